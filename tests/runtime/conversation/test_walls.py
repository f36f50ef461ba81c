"""Nothing of one peer is shown in another's chat: against the rule, written down again plainly."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.runtime.conversation.models import MessageQuery, Viewer
from prefrontal.runtime.conversation.store import ConversationStore

from .chats import chat, exchange, found, said

PEERS, ROOMS, TYPES = ("ann", "bob", "cid", ""), ("r1", "r2", "r3"), ("mail", "web")


@dataclass(frozen=True)
class Line:
    """What one peer and the agent said to each other. answer: whether it was answered."""

    viewer: Viewer
    answer: bool


VIEWERS = st.builds(
    Viewer,
    st.sampled_from(PEERS),
    st.sampled_from(TYPES),
    st.sampled_from(ROOMS),
    st.sampled_from((False, False, False, True)),
)


def wall(viewer: Viewer) -> tuple[str, ...]:
    """Who may see what is said there: a room's group, or one peer in channels of a type."""
    if viewer.group or viewer.peer_id == "":
        return ("room", viewer.channel_type, viewer.channel_id)
    return ("peer", viewer.channel_type, viewer.peer_id)


def holds(lines: list[Line], viewer: Viewer) -> None:
    with ConversationStore() as store:
        numbers = []
        for number, line in enumerate(lines):
            turn = said(store, line.viewer, f"common word{number}")
            numbers.append(turn)
            if line.answer:
                said(store, line.viewer, f"common reply{number}", direction="out", turn=turn)
        may = {n for n, each in enumerate(lines) if wall(each.viewer) == wall(viewer)}
        seen = {text.split()[1] for text in found(store, "common", viewer, limit=100)}
        answers = {f"reply{n}" for n in may if lines[n].answer}
        assert seen == {f"word{n}" for n in may} | answers
        assert seen == {text.split()[1] for text in found(store, "", viewer, limit=100)}
        room = (viewer.channel_type, viewer.channel_id)
        here = {
            n for n in may if (lines[n].viewer.channel_type, lines[n].viewer.channel_id) == room
        }
        history = {each.content.split()[1] for each in store.history(viewer, 100)}
        assert history == {
            name for n in here if lines[n].answer for name in (f"word{n}", f"reply{n}")
        }
        opened = {n for n, turn in enumerate(numbers) if store.around(turn, 100, 100, viewer)}
        assert opened == may
        around = [each for n in opened for each in store.around(numbers[n], 100, 100, viewer)]
        assert {each.content.split()[1] for each in around} == seen


LINES = st.lists(st.builds(Line, VIEWERS, st.booleans()), max_size=12)


@settings(max_examples=200, deadline=None)
@given(LINES, VIEWERS)
def test_a_chat_shows_what_was_said_behind_its_wall_and_nothing_else(
    lines: list[Line], viewer: Viewer
) -> None:
    holds(lines, viewer)


def test_who_writes_in_the_channel_of_another_sees_nothing_of_it_before_or_after() -> None:
    with ConversationStore() as store:
        exchange(store, chat("ann", "room"), "my secret", "kept")
        exchange(store, chat("bob", "room", group=True), "hello", "hello")
        exchange(store, chat("ann", "room"), "my second secret", "kept, too")
        for viewer in (chat("bob", "room"), chat("bob", "room", group=True)):
            assert found(store, "secret", viewer) == []
            assert "secret" not in repr(store.history(viewer, 40))
        assert len(found(store, "secret", chat("ann", "room"))) == 2


def test_the_operator_sees_everything() -> None:
    with ConversationStore() as store:
        said(store, chat("ann"), "x one")
        said(store, chat("bob"), "x two")
        hits = store.search(MessageQuery("x"))
        assert [hit.message.peer_id for hit in hits] == ["bob", "ann"]
