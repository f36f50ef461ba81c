from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import ToolCall
from prefrontal.runtime.channel_book import ChannelBook, Place
from prefrontal.testing import ManualClock, Reply, ScriptedLLM, make_runtime

from .sample_plugins import message

HOME, OFFICE = Place("mail", "home", "Alice"), Place("chat", "office", "Alice")


def test_the_last_place_counts() -> None:
    book = ChannelBook()
    book.note("alice", HOME)
    book.note("alice", OFFICE)
    assert book.get("alice") == OFFICE
    assert book.get("bob") is None


def test_those_who_wrote_longest_ago_are_forgotten_first() -> None:
    book = ChannelBook(capacity=2)
    for peer in ("a", "b", "a", "c"):
        book.note(peer, HOME)
    assert [peer for peer in "abc" if book.get(peer)] == ["a", "c"]


def test_it_is_the_same_after_it_was_written_and_read() -> None:
    book, other = ChannelBook(), ChannelBook(capacity=2)
    for peer in ("a", "b", "c"):
        book.note(peer, HOME)
    other.note("c", OFFICE)
    other.read(book.written())
    assert [other.get(peer) for peer in "abc"] == [None, HOME, OFFICE]


def test_it_has_changed_until_it_is_written_down() -> None:
    book = ChannelBook()
    book.note("a", HOME)
    assert book.changed
    book.written()
    book.note("a", HOME)
    assert not book.changed


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}', '{"a": ["x", "y"]}', '{"a": [1, 2, 3]}'])
def test_what_is_no_book_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - that of the JSON reader, or our own
        ChannelBook().read(text)


def writing() -> ScriptedLLM:
    call = ToolCall("1", "send_message", {"peer_id": "alice", "text": "Any news?"})
    return ScriptedLLM([Reply("", tool_calls=[call]), "done"])


async def restarted(workspace: Path, model: Any) -> Any:
    runtime = make_runtime({}, clock=ManualClock(), llm=model, workspace=workspace)
    await runtime.start()
    return runtime


async def test_after_a_restart_the_agent_still_knows_where_to_write(tmp_path: Path) -> None:
    first = await restarted(tmp_path, ScriptedLLM())
    await first.receive(message(channel_type="mail", channel_id="home"))
    await first.stop()
    second = await restarted(tmp_path, writing())
    await second.receive(message("ask alice", "bob", 2))
    written = second.sent[0]
    assert (written.channel_type, written.content) == ("mail", "Any news?")
    await second.stop()


async def test_it_is_written_down_while_the_agent_runs_too(tmp_path: Path) -> None:
    clock = ManualClock()
    first = make_runtime({}, clock=clock, llm=ScriptedLLM(), workspace=tmp_path)
    await first.start()
    await first.receive(message(channel_type="mail"))
    clock.advance(60)
    await first.tick()
    kept = list((tmp_path / "memory" / "files").glob("session-channels*"))
    assert len(kept) == 1
    await first.stop()


async def test_a_damaged_book_is_a_warning_and_its_text_is_set_aside(tmp_path: Path) -> None:
    place = tmp_path / "memory" / "files"
    place.mkdir(parents=True)
    (place / "session-channels.md").write_text("[1]", encoding="utf-8")
    runtime = await restarted(tmp_path, ScriptedLLM())
    assert await runtime.receive(message()) is not None
    [told] = [line[2] for line in runtime.logs if line[:2] == ("warn", "session")]
    assert "its text is under session-channels-corrupt" in told
    await runtime.stop()
    assert (place / "session-channels-corrupt.md").read_text(encoding="utf-8") == "[1]"
    assert "alice" in (place / "session-channels.md").read_text(encoding="utf-8")
