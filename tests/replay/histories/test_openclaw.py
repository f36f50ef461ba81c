from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.replay.histories.agent_turns import AgentAnswer, Arrival, LeftOut, Line, ToolResult
from prefrontal.replay.histories.openclaw import OpenClawSession, kind_of_text

from ..agent_sessions import HEARTBEAT, START, claw, claw_header, said


def read(entry: dict[str, Any], key: str = "") -> Line:
    return OpenClawSession("main", key).read(7, entry)


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": "c", "name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("please pay", ""),
        ("[urgent] the deploy failed", ""),
        ("What does [OpenClaw heartbeat poll] mean?", ""),
        ("Your heartbeats are fine", ""),
        ("System: is the name of my cat\nfeed her", ""),
        (HEARTBEAT, "heartbeat"),
        (f"[Thu 2026-05-07 00:23 GMT+8] {HEARTBEAT}", "heartbeat"),
        (f"System: [now] mail from Ann\nSystem: rain\n\n{HEARTBEAT}", "heartbeat"),
        ("System: [now] failed :: line\n  more\n\nRead HEARTBEAT.md if it exists", "heartbeat"),
        ("System: [now] rain\n\nshall I take an umbrella?", ""),
        ("shall I?\nRead HEARTBEAT.md please", ""),
        ("Read HEARTBEAT.md if it exists (workspace context). Follow it.", "heartbeat"),
        ("Follow the heartbeat monitor scratch context when provided.", "heartbeat"),
        ("HEARTBEAT", "heartbeat"),
        ("Check the oven. If nothing needs attention, reply HEARTBEAT_OK.", "heartbeat"),
        ("[cron:9f water] Water the ferns", "cron"),
        ("[OpenClaw cron wake]", "cron"),
        ("System: [now] ferns\n\nA scheduled reminder has been triggered.", "cron"),
        ("[OpenClaw exec completion]", "system"),
        ("System: [now] Exec finished (code 0)", "system"),
        ("System (untrusted): [now] a\nSystem: b\n", "system"),
        ("<<<EXTERNAL_UNTRUSTED_CONTENT\nmail", "hook"),
    ],
)
def test_a_message_is_known_by_how_it_opens(text: str, kind: str) -> None:
    assert kind_of_text(text) == kind
    line = read(claw("user", said(text), 60.0))
    assert isinstance(line, Arrival)
    assert line.kind == (kind or "user")


def test_the_facts_on_the_sender_are_taken_out_of_a_message() -> None:
    facts = 'Conversation info (untrusted metadata):\n```json\n{"sender_id": "4711"}\n```\n\n'
    sender = 'Sender (untrusted metadata):\n```json\n{"id": "4711"}\n```\n'
    for before in ("", "System: [now] rain\n\n"):
        text = f"{before}{facts}{sender}[Fri 2026-03-27 18:20 GMT+8] pay it"
        line = read(claw("user", said(text), 60.0))
        assert isinstance(line, Arrival)
        assert line.kind == "user"
        assert line.text.startswith("System:" if before else "pay it")
        assert line.text.endswith("pay it")
        assert "4711" not in line.text
    cut = "Sender (untrusted metadata):\n```json\nand no end"
    line = read(claw("user", said(cut), 60.0))
    assert isinstance(line, Arrival)
    assert line.text == cut


@pytest.mark.parametrize(
    ("key", "kind", "place"),
    [
        ("", "user", "main/session"),
        ("agent:main:main", "user", "main/session"),
        ("agent:main:telegram:group:-100", "user", "main/telegram"),
        ("agent:main:cron:9f", "cron", "main/cron"),
        ("cron:9f", "cron", "main/session"),
        ("hook:1234", "hook", "main/session"),
        ("agent:main:main:heartbeat", "heartbeat", "main/main"),
    ],
)
def test_a_session_key_says_what_comes_in_it_and_no_address(
    key: str, kind: str, place: str
) -> None:
    assert read(claw("user", "hello", 60.0), key) == Arrival(
        kind, "hello", START + 60, place, 7, "u60"
    )


@pytest.mark.parametrize(
    ("provenance", "kind"),
    [
        ({"kind": "internal_system", "sourceTool": "heartbeat"}, "heartbeat"),
        ({"kind": "internal_system", "sourceTool": "cron"}, "cron"),
        ({"kind": "internal_system", "sourceTool": "exec"}, "system"),
        ({"kind": "internal_system", "sourceTool": [1]}, "system"),
        ({"kind": "inter_session"}, "agent"),
        ({"kind": "external_user"}, "user"),
        ("heartbeat", "user"),
    ],
)
def test_the_mark_of_a_message_goes_before_its_words(provenance: Any, kind: str) -> None:
    line = read(claw("user", "anything", 60.0, provenance=provenance))
    assert isinstance(line, Arrival)
    assert line.kind == kind


@pytest.mark.parametrize(
    ("content", "more", "answer"),
    [
        (said("Paid."), {}, AgentAnswer(START + 9, "Paid.")),
        ("Paid.", {}, AgentAnswer(START + 9, "Paid.")),
        ([], {}, AgentAnswer(START + 9, "")),
        ([{"type": "thinking", "thinking": "hm"}], {}, AgentAnswer(START + 9, "")),
        (
            [{"type": "thinking"}],
            {"stopReason": "toolUse"},
            AgentAnswer(START + 9, None, calls=True),
        ),
        (
            [*said("Look."), call("read", {"path": "HEARTBEAT.md"})],
            {"stopReason": "toolUse"},
            AgentAnswer(START + 9, "Look.", calls=True),
        ),
        ([], {"stopReason": "error"}, AgentAnswer(START + 9, "", failed=True)),
        (
            said("[assistant turn failed before producing content]"),
            {},
            AgentAnswer(START + 9, "[assistant turn failed before producing content]", failed=True),
        ),
    ],
)
def test_an_answer_says_something_or_calls_tools_or_failed(
    content: Any, more: dict[str, Any], answer: AgentAnswer
) -> None:
    line = read(claw("assistant", content, 9.0, **more))
    assert isinstance(line, AgentAnswer)
    assert (line.time, line.text or "", line.calls, line.failed) == (
        *(answer.time, answer.text or "", answer.calls, answer.failed),
    )


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("message", {"action": "send", "message": "rain"}, True),
        ("message", json.dumps({"action": "Reply"}), True),
        ("message", {"action": "react"}, None),
        ("message", "{broken", None),
        ("heartbeat_respond", {"notify": True}, True),
        ("heartbeat_respond", {"notify": "true"}, True),
        ("heartbeat_respond", {"notify": False}, False),
        ("heartbeat_respond", None, False),
        ("read", {"path": "HEARTBEAT.md"}, None),
    ],
)
def test_a_tool_that_tells_the_person_is_an_answer(
    name: str, arguments: Any, told: bool | None
) -> None:
    line = read(claw("assistant", [call(name, arguments)], 9.0))
    assert isinstance(line, AgentAnswer)
    assert line.told is told
    nested = {"function": {"name": name, "arguments": arguments}}
    line = read(claw("assistant", [], 9.0, tool_calls=[nested]))
    assert isinstance(line, AgentAnswer)
    assert line.told is told


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (claw_header(), LeftOut("other")),
        ({"type": "compaction"}, LeftOut("other")),
        ({"type": "surprise"}, LeftOut("unknown:surprise")),
        ({"type": ["message"]}, LeftOut("unknown:list")),
        ({}, LeftOut("unknown:NoneType")),
        ({"type": "message", "message": "hello"}, LeftOut("broken")),
        (claw("oracle", "hello", 1.0), LeftOut("unknown:oracle")),
        (claw("bashExecution", "ls", 1.0), LeftOut("other")),
        (claw("assistant", "sent", 1.0, model="delivery-mirror"), LeftOut("other")),
        (claw("toolResult", said("file"), 1.0), ToolResult()),
        (claw("user", [{"type": "tool_result", "content": "x"}], 1.0), ToolResult()),
        ({"type": "message", "message": {"role": "user", "content": "x"}}, LeftOut("timeless")),
    ],
)
def test_other_lines_are_no_part_of_a_turn(entry: dict[str, Any], line: Line) -> None:
    assert read(entry) == line


def test_the_time_of_the_message_stands_in_for_that_of_the_line() -> None:
    entry = claw("user", "hello", 0.0, timestamp=(START + 5) * 1000)
    del entry["timestamp"]
    line = read(entry)
    assert isinstance(line, Arrival)
    assert line.time == START + 5


def test_the_session_of_a_subagent_is_left_out_by_its_key_or_its_first_message() -> None:
    assert read(claw("user", "x", 1.0), "agent:main:subagent:1") == LeftOut("sidechain")
    session = OpenClawSession("main")
    first = session.read(1, claw("user", "[Subagent Context] You are one.", 1.0))
    rest = [session.read(2, claw(role, "x", 2.0)) for role in ("assistant", "user")]
    assert [first, *rest] == [
        *(LeftOut("sidechain"), LeftOut("sidechain_answers"), LeftOut("sidechain"))
    ]
