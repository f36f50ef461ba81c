from __future__ import annotations

from typing import Any

import pytest

from prefrontal.replay.histories.agent_turns import (
    AgentAnswer,
    Arrival,
    Interruption,
    LeftOut,
    Line,
    ToolResult,
)
from prefrontal.replay.histories.claude import ClaudeSession

from ..agent_sessions import START, code, said

RESULT = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]
STOPPED = "[Request interrupted by user]"


def read(entry: dict[str, Any]) -> Line:
    return ClaudeSession("-home-me-project").read(7, entry)


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("/home/me/my-project", "my-project"),
        ("C:\\Users\\me\\project\\", "project"),
        ("/", "work"),
        (None, "work"),
    ],
)
def test_a_message_carries_its_time_its_id_and_the_name_of_its_folder(
    folder: str | None, place: str
) -> None:
    session = ClaudeSession("-home-me-work")
    line = session.read(7, code("user", said("fix it"), 5.0, cwd=folder))
    assert line == Arrival("user", "fix it", START + 5, place, 7, "u5")


@pytest.mark.parametrize(
    ("text", "more", "kind"),
    [
        ("fix it", {"origin": {"kind": "human"}}, "user"),
        ("<command-name>/review</command-name>", {}, "user"),
        ("tests", {"turnOrigin": "cron"}, "cron"),
        ("tests", {"origin": {"kind": "scheduled-task"}}, "cron"),
        ("tests", {"origin": {"kind": "task-notification"}}, "system"),
        ("tests", {"origin": {"kind": "peer"}}, "agent"),
        ("tests", {"origin": ["peer"]}, "user"),
        ("<task-notification>done</task-notification>", {}, "system"),
        ("HEARTBEAT", {}, "heartbeat"),
        ("Look around. If all is well, reply HEARTBEAT_OK.", {}, "heartbeat"),
    ],
)
def test_a_message_says_by_whom_it_was_sent(text: str, more: dict[str, Any], kind: str) -> None:
    line = read(code("user", text, 5.0, **more))
    assert isinstance(line, Arrival)
    assert line.kind == kind


def test_what_the_tool_put_into_a_message_is_taken_out() -> None:
    reminder = "<system-reminder>be brief</system-reminder>"
    line = read(code("user", f"{reminder}fix{reminder} it<system-reminder>cut", 5.0))
    assert isinstance(line, Arrival)
    assert line.text == "fix it<system-reminder>cut"


def test_a_message_of_nothing_but_open_marks_is_cut() -> None:
    line = read(code("user", "<system-reminder>" * 500_000, 5.0))
    assert isinstance(line, Arrival)
    assert line.text == ("<system-reminder>" * 500_000)[: len(line.text)]
    assert len(line.text) == 200_000


@pytest.mark.parametrize(
    ("content", "more", "answer"),
    [
        (said("Fixed."), {}, AgentAnswer(START + 9, "Fixed.")),
        ([], {}, AgentAnswer(START + 9, "")),
        ([{"type": "thinking", "thinking": "hm"}], {}, AgentAnswer(START + 9, None)),
        ([{"type": "tool_use", "name": "Bash"}], {}, AgentAnswer(START + 9, None, calls=True)),
        (
            said("API Error"),
            {"isApiErrorMessage": True},
            AgentAnswer(START + 9, "API Error", failed=True),
        ),
    ],
)
def test_an_answer_says_something_or_calls_tools_or_failed(
    content: Any, more: dict[str, Any], answer: AgentAnswer
) -> None:
    assert read(code("assistant", content, 9.0, **more)) == answer


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"type": "summary", "summary": "x"}, LeftOut("other")),
        ({"type": "system", "content": "x"}, LeftOut("other")),
        ({"type": "file-history-snapshot"}, LeftOut("other")),
        ({"type": "surprise"}, LeftOut("unknown:surprise")),
        ({"type": {}}, LeftOut("unknown:dict")),
        (code("user", "x", 1.0, message=None), LeftOut("broken")),
        (code("user", "x", 1.0, isSidechain=True), LeftOut("sidechain")),
        (code("assistant", "x", 1.0, isSidechain=True), LeftOut("sidechain_answers")),
        (code("user", "x", 1.0, isMeta=True), LeftOut("injected")),
        (code("user", "x", 1.0, isCompactSummary=True), LeftOut("injected")),
        (code("user", "<local-command-stdout>", 1.0), LeftOut("injected")),
        (code("user", "x", 1.0, timestamp="soon"), LeftOut("timeless")),
        (code("user", RESULT, 1.0), ToolResult()),
        (code("user", "x", 1.0, toolUseResult={"stdout": ""}), ToolResult()),
        (code("user", STOPPED, 1.0), Interruption()),
        (code("user", [*RESULT, *said(STOPPED)], 1.0), Interruption()),
    ],
)
def test_other_lines_are_no_part_of_a_turn(entry: dict[str, Any], line: Line) -> None:
    assert read(entry) == line
