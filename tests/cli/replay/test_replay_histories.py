"""`prefrontal replay SESSIONS`: what OpenClaw and Claude Code kept, read and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.replay.report.document import document
from prefrontal.replay.result import ReplayResult

from ...replay.agent_sessions import (
    claude_home,
    claw,
    claw_header,
    openclaw_home,
    said,
    write_session,
)
from ...replay.streams import history, write_lines
from ..commands import run
from ..commands import said as refused


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return openclaw_home(tmp_path / ".openclaw")


def test_the_table_shows_the_policies_and_says_what_was_read(home: Path) -> None:
    result = run(home)
    assert result.exit_code == 0, result.output
    page = " ".join(result.stdout.split())
    assert ".openclaw: 230 windows over 16 days" in page
    assert "the agent's own reply was not empty" in page
    assert "Learned gate" in page
    assert (
        "Note: Read 1 session of OpenClaw, 577 lines: 48 messages of people, 240 heartbeats; the"
        " agent answered 112 of these 288 with more than a no-op."
    ) in page


def test_json_carries_the_same_result_and_the_notes(home: Path) -> None:
    result = run(home, "--json", "--recall", "0.8", "--max", "200")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["source"], found["preset"], found["asked_recall"]) == (".openclaw", "noop", 0.8)
    assert found["windows"] + found["warmup"] == 200
    assert any("88 turns outside the asked span" in note for note in found["notes"])
    again = document(ReplayResult.from_dict(found), str(home))
    assert again == found
    assert found["next"][0] == f"prefrontal adopt {home} --recall 0.8"


def test_tools_files_and_recorded_windows_stand_in_one_table(tmp_path: Path, home: Path) -> None:
    session = home / "agents" / "main" / "sessions" / "b7300bff-a214.jsonl"
    windows = write_lines(tmp_path / "windows.jsonl", history(0, 60))
    result = run(home, claude_home(tmp_path / ".claude"), session, "--events", windows)
    assert result.exit_code == 0, result.output
    for name in (".openclaw", ".claude", "b7300bff-a214.jsonl", "windows.jsonl"):
        assert name in result.stdout


def test_a_span_is_asked_for_as_of_any_history(home: Path) -> None:
    everything = json.loads(run(home, "--json").stdout)
    late = json.loads(run(home, "--json", "--since", "2026-02-12", "--until", "2026-02-18").stdout)
    assert 0 < late["windows"] < everything["windows"]
    assert "since must be" in refused(run(home, "--since", "soonish"))


def test_a_report_is_written_and_shows_no_secret(tmp_path: Path) -> None:
    lines = [claw_header()]
    for number in range(60):
        text = f"the password: hunter2hunter2 for gate {number}"
        lines.append(claw("user", said(text), number * 900.0))
        answer = "Opened." if number % 2 else "NO_REPLY"
        lines.append(claw("assistant", said(answer), number * 900.0 + 5))
    path = write_session(tmp_path / "s.jsonl", lines)
    report, kept = tmp_path / "r.html", tmp_path / "r.json"
    result = run(path, "--report", report, "--save", kept)
    assert result.exit_code == 0, result.output
    for shown in (result.output, report.read_text(), kept.read_text()):
        assert "hunter2" not in shown
        assert "Opened." not in shown


def test_a_folder_of_neither_is_one_sentence_that_says_what_was_looked_for(tmp_path: Path) -> None:
    sentence = refused(run(tmp_path))
    assert sentence.startswith("history must be a folder or a file of sessions of OpenClaw")
    assert "agents/*/sessions/*.jsonl" in sentence
    missing = refused(run(tmp_path / "missing"))
    assert missing.startswith("history must be a folder or a file that exists, got")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--relevant", "followup"), "relevant must be noop or message:REGEX for an agent's"),
        (("--log", "x"), "--log must come without PATH"),
        (("--compare", "a", "b"), "--compare must come without PATH"),
        (("--events", "x", "--png", "y"), "--png must come with one history"),
    ],
)
def test_what_does_not_go_with_sessions_is_refused(
    home: Path, words: tuple[str, ...], complaint: str
) -> None:
    assert refused(run(home, *words)).startswith(complaint)
