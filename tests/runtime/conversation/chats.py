"""Conversations for tests."""

from __future__ import annotations

from prefrontal.runtime.conversation.models import Direction, MessageQuery, NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore

NOW = 1_700_000_000.0


def chat(peer_id: str = "ann", channel_id: str | None = None, **fields: bool) -> Viewer:
    """A chat of a peer, by default in a channel of its own."""
    return Viewer(
        peer_id, "test", f"chat-{peer_id}" if channel_id is None else channel_id, **fields
    )


def said(
    store: ConversationStore,
    viewer: Viewer,
    text: str,
    *,
    direction: Direction = "in",
    at: float = NOW,
    turn: int | None = None,
    origins: tuple[str, ...] = (),
) -> int:
    """Record a message; its id."""
    return store.submit(NewMessage(viewer, direction, text, at, turn, origins)).result()


def exchange(store: ConversationStore, viewer: Viewer, question: str, answer: str) -> int:
    """Record a question and its answer; the question's id."""
    number = said(store, viewer, question)
    said(store, viewer, answer, direction="out", turn=number)
    return number


def found(
    store: ConversationStore, words: str, viewer: Viewer | None = None, **fields: object
) -> list[str]:
    """The texts that a search gives, the best first."""
    query = MessageQuery(words, **fields)  # type: ignore[arg-type]
    return [hit.message.content for hit in store.search(query, viewer)]
