"""Keys of the memory and messages for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..page import cut, page, plain_table, shown, when

if TYPE_CHECKING:
    from rich.console import Console

    from ...runtime.conversation.models import Message
    from ...storage.text_memory import TextMemory

KEY_WIDTH = 32
LEAST_TEXT, MOST_TEXT = 12, 160
NARROW = 64
"""A terminal of less cells than this gets only keys and texts."""


def print_keys(files: TextMemory, keys: Sequence[str]) -> None:
    """Key, when it was written, how long it is and how it begins; nothing without keys."""
    if not keys:
        return
    with page() as console:
        narrow = console.width < NARROW
        names = ("key", "text") if narrow else ("key", "written", "characters", "text")
        table = plain_table(*names)
        if not narrow:
            table.columns[2].justify = "right"
        room = _room(console, keys, 0 if narrow else 21 + 12)
        for key in keys:
            text = files.retrieve(key) or ""
            facts = () if narrow else (when(files.modified(key) or 0.0), f"{len(text):,}")
            table.add_row(cut(key, KEY_WIDTH), *facts, cut(text, room))
        console.print(table, soft_wrap=True)


def print_found(files: TextMemory, hits: Sequence[tuple[str, float]]) -> None:
    """Key, how well it fits, and how its text begins."""
    with page() as console:
        table = plain_table("key", "score", "text")
        table.columns[1].justify = "right"
        room = _room(console, [key for key, _ in hits], 7)
        for key, score in hits:
            table.add_row(cut(key, KEY_WIDTH), f"{score:.2f}", cut(files.retrieve(key) or "", room))
        console.print(table, soft_wrap=True)


def print_messages(messages: Sequence[Message]) -> None:
    """Number, time, who wrote to whom, and how the text begins."""
    with page() as console:
        table = plain_table("id", "said", "by", "text")
        table.columns[0].justify = "right"
        writers = [writer(each) for each in messages]
        width = len(str(max(each.id for each in messages))) + 2 + 19 + 2
        room = _room(console, writers, width)
        for each, name in zip(messages, writers, strict=True):
            text = cut(each.content, room)
            table.add_row(str(each.id), when(each.created_at), cut(name, KEY_WIDTH), text)
        console.print(table, soft_wrap=True)


def writer(message: Message) -> str:
    """Who wrote it: the peer, or the agent to the peer."""
    peer = message.peer_id or "itself"
    return peer if message.direction == "in" else f"agent to {peer}"


def _room(console: Console, keys: Sequence[str], width: int) -> int:
    """How wide the text may be beside the keys and `taken` other cells."""
    longest = max(shown(key).cell_len for key in keys)
    return min(MOST_TEXT, max(LEAST_TEXT, console.width - min(KEY_WIDTH, longest) - 2 - width))
