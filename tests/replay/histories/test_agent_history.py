from __future__ import annotations

import errno
import gc
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import InputError, SourceError
from prefrontal.replay.histories import agent_history
from prefrontal.replay.histories.agent_files import FoundSessions, find_sessions
from prefrontal.replay.histories.agent_history import LONGEST_TEXT, AgentHistory
from prefrontal.replay.session import Request, replay_history
from prefrontal.types import Window

from ..agent_sessions import (
    HEARTBEAT,
    START,
    claude_home,
    claw,
    claw_header,
    code,
    openclaw_home,
    said,
    write_session,
)


def asked(text: str, answer: str, at: float) -> list[dict[str, Any]]:
    """A message to OpenClaw and the answer five seconds later."""
    return [claw("user", said(text), at), claw("assistant", said(answer), at + 5)]


def history(folder: Path, *entries: Any, **given: Any) -> AgentHistory:
    return AgentHistory(write_session(folder / "abcdefgh-ijkl.jsonl", entries), **given)


def test_a_turn_becomes_a_window_that_knows_its_label_when_it_was_answered(
    tmp_path: Path,
) -> None:
    (window,) = history(tmp_path, claw_header(), *asked("pay it", "Paid.", 60))
    assert (window.key, window.time, window.known_at) == ("abcdefgh:2", START + 60, START + 65)
    assert (window.actor, window.text, window.relevant) == ("user", "pay it", True)
    (event,) = window.events
    assert (event.source, event.delta_type, event.timestamp) == ("user", "arrived", START + 60)
    assert event.features == {"actor": "user", "text": "pay it"}


def test_the_answer_is_shown_to_nobody(tmp_path: Path) -> None:
    def shown(answer: str) -> list[Window]:
        entries = [*asked("pay it", answer, 60), *asked(HEARTBEAT, answer, 90)]
        return list(history(tmp_path, claw_header(), *entries))

    assert shown("Paid 30 to the zoo.") == shown("The zoo wrote; nothing else is new today.")
    assert "zoo" not in repr(shown("Paid 30 to the zoo."))


def test_sessions_that_overlap_are_told_in_order_of_time(tmp_path: Path) -> None:
    write_session(tmp_path / "a.jsonl", [claw_header(), *asked("1", "x", 1), *asked("9", "x", 9)])
    write_session(tmp_path / "b.jsonl", [claw_header(), *asked("5", "x", 5), *asked("2", "x", 2)])
    write_session(tmp_path / "c.jsonl", [code("user", "3", 3.0), code("assistant", said("x"), 4.0)])
    assert [window.text for window in AgentHistory(tmp_path)] == ["1", "2", "3", "5", "9"]


def test_a_turn_that_stands_in_two_files_counts_once(tmp_path: Path) -> None:
    lines = [claw_header(), *asked("pay", "Paid.", 60), *asked("look", "NO_REPLY", 90)]
    write_session(tmp_path / "a.jsonl", lines)
    write_session(tmp_path / "b.jsonl", [*lines, *asked("more", "Done.", 95)])
    found = AgentHistory(tmp_path)
    assert [(window.key, window.text) for window in found] == [
        *(("a:2", "pay"), ("a:4", "look"), ("b:6", "more"))
    ]
    assert "Left out: 2 turns that stood in two places." in found.notes


def test_the_span_and_the_limit_choose_and_say_so(tmp_path: Path) -> None:
    lines = [line for at in range(10) for line in asked(str(at), "x", at * 100.0)]
    found = history(tmp_path, *lines, since=START + 200, until=START + 700, limit=3)
    assert [window.text for window in found] == ["5", "6", "7"]
    assert len(found) == 3
    assert any("7 turns outside the asked span" in note for note in found.notes)
    assert any("3 messages of people" in note for note in found.notes)


def test_secrets_and_signs_that_steer_a_terminal_are_taken_out_before_the_text_is_cut(
    tmp_path: Path,
) -> None:
    secret = "sk-" + "a1" * 20
    text = f"use {secret} \x1b[31mnow\u202e \ud800 " + "long " * 3000
    line = code("user", text, 1.0, cwd=f"/srv/{secret} work")
    (window,) = history(tmp_path, line, code("assistant", said("ok"), 2.0))
    assert window.text.startswith("use [redacted]")
    assert len(window.text) == LONGEST_TEXT
    assert not {"\x1b", "\u202e", "\ud800"} & set(window.text)
    assert "a1a1" not in repr(window)


@pytest.mark.parametrize("before", range(3_960, 4_002, 3))
def test_a_secret_at_the_cut_leaves_no_half_behind(tmp_path: Path, before: int) -> None:
    block = "-----BEGIN PRIVATE KEY-----" + "k" * 3_000 + "-----END PRIVATE KEY-----"
    text = block + " x" * ((before - len(block)) // 2) + " password: hunter2hunter2" + " y" * 999
    answer = code("assistant", said("ok"), 2.0)
    (window,) = history(tmp_path, code("user", text, 1.0), answer)
    assert "h" not in window.text
    assert "kkk" not in window.text


def test_a_long_text_without_spaces_is_shown(tmp_path: Path) -> None:
    answer = code("assistant", said("ok"), 2.0)
    (window,) = history(tmp_path, code("user", "雨" * 9_000 + "sk-abc", 1.0), answer)
    assert window.text.startswith("雨雨")


def test_what_was_read_and_what_could_not_be_is_told(tmp_path: Path) -> None:
    found = history(
        tmp_path,
        claw_header(),
        *asked(HEARTBEAT, "HEARTBEAT_OK", 1),
        *asked("[cron:1] ferns", "Water them.", 20),
        "{broken\n",
        b'{"a": "\xff"}\n',
        {"type": "sur\x1bprise"},
        claw("user", "and now?", 50),
        '{"type": "mess',
    )
    assert found.notes == (
        "Read 1 session of OpenClaw, 10 lines: 1 heartbeat, 1 timed message; the agent answered 1"
        " of these 2 with more than a no-op.",
        "Left out: 1 turn without an answer.",
        "Could not be read: 1 broken line, 1 unfinished last line, 2 lines of unknown types"
        " (NoneType, surprise).",
        "1 line held bytes that are not text; they were replaced.",
    )


def test_a_session_that_is_gone_before_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(tmp_path / "a.jsonl", [claw_header(), *asked("pay", "Paid.", 60)])
    gone = write_session(tmp_path / "b.jsonl", [claw_header(), *asked("look", "Seen.", 90)])

    def found_and_gone(path: Path) -> FoundSessions:
        found = find_sessions(path)
        gone.unlink()
        return found

    monkeypatch.setattr(agent_history, "find_sessions", found_and_gone)
    notes = AgentHistory(tmp_path).notes
    assert notes[0].startswith("Read 1 session of OpenClaw, 3 lines: 1 message of a person;")
    assert notes[1] == "Could not be read: 1 file or folder (No such file or directory)."


def test_heartbeats_that_openclaw_cut_out_and_an_empty_database_are_told(
    tmp_path: Path,
) -> None:
    home = openclaw_home(tmp_path, days=1)
    session = home / "agents" / "main" / "sessions" / "b7300bff-a214.jsonl"
    write_session(session, [claw_header(), *asked(HEARTBEAT, "Mail.", 1)])
    (home / "agents" / "main" / "agent").mkdir()
    (home / "agents" / "main" / "agent" / "openclaw-agent.sqlite").touch()
    notes = " ".join(AgentHistory(home).notes)
    assert "1 file or folder (no transcripts in the database)" in notes
    assert "wake-ups for nothing are undercounted" in notes


def test_no_answered_turn_is_a_result_that_says_so(tmp_path: Path) -> None:
    path = write_session(tmp_path / "s.jsonl", [claw_header()])
    found = replay_history(str(path), Request(), PulseGate())
    assert (found.windows, found.relevant) == (0, 0)
    assert found.notes[0] == "Read 1 session of OpenClaw, 1 line: no answered turn."


def test_a_replay_learns_which_heartbeats_matter(tmp_path: Path) -> None:
    found = replay_history(str(openclaw_home(tmp_path / ".openclaw")), Request(), PulseGate())
    assert (found.source, found.preset) == (".openclaw", "noop")
    assert found.windows + found.warmup == 288
    assert found.auc is not None
    assert found.auc > 0.9
    assert found.share_woken < 0.6
    assert found.got_recall is not None
    assert found.got_recall >= 0.9


def test_a_message_of_ones_own_may_be_what_matters(tmp_path: Path) -> None:
    home = str(claude_home(tmp_path))
    found = replay_history(home, Request(relevant="message:fix"), PulseGate())
    assert found.preset == "message:fix"
    with pytest.raises(InputError, match="relevant must be noop or message:REGEX for an agent's"):
        replay_history(home, Request(relevant="followup"), PulseGate())


def test_the_reading_is_told_in_mebibytes(tmp_path: Path) -> None:
    long = claw("toolResult", said("x" * 2**21), 3.0)
    told: list[tuple[str, int, int]] = []
    history(tmp_path, claw_header(), long, long, step=lambda *step: told.append(step))
    assert [step[0] for step in told] == ["reading sessions, MiB"] * 2
    assert told[-1][1:] == (4, 4)


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_what_was_said(tmp_path: Path) -> None:
    lines = [line for at in range(2_000) for line in asked("x" * 4_000, "y" * 4_000, at * 9.0)]
    path = write_session(tmp_path / "s.jsonl", lines)
    del lines
    tracemalloc.start()
    try:
        total = sum(len(window.text) for window in AgentHistory(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 2_000 * LONGEST_TEXT
    assert peak < 2_500_000 < path.stat().st_size / 6


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
WORDS = st.sampled_from(
    ["message", "user", "assistant", "toolResult", "text", "toolCall", "tool_use", "system"]
)
FIELDS = (
    *("type", "role", "content", "message", "timestamp", "model", "stopReason", "stop_reason"),
    *("provenance", "tool_calls", "isSidechain", "cwd", "uuid", "id", "origin", "name", "text"),
    *("arguments", "function", "toolUseResult", "isMeta"),
)
VALUES: st.SearchStrategy[Any] = st.deferred(
    lambda: WORDS | JSON | LINES | st.lists(LINES, max_size=2)
)
LINES: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(FIELDS), VALUES, max_size=6
)


@pytest.mark.exhaustive
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(lines=st.lists(LINES, max_size=8), claude=st.booleans())
def test_any_lines_give_windows_in_order_or_are_counted(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]], claude: bool
) -> None:
    first = {"type": "summary", "leafUuid": "x"} if claude else claw_header()
    found = history(tmp_path_factory.mktemp("s"), first, *lines)
    windows = list(found)
    assert [window.time for window in windows] == sorted(window.time for window in windows)
    assert all(window.known_at is not None for window in windows)
    json.dumps([window.text for window in windows], allow_nan=False).encode()
    assert found.notes[0].startswith("Read 1 session of ")


def test_a_full_temporary_folder_is_one_sentence_and_no_fault_of_the_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(agent_history, "TemporaryFile", Full)
    with pytest.raises(SourceError, match=r"folder .* cannot be written: No space left on device"):
        history(tmp_path, claw_header(), *asked("pay it", "Paid.", 60))
    gc.collect()  # an exception of the end would be a warning
