from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from prefrontal.replay.histories.agent_turns import (
    AgentAnswer,
    Arrival,
    Interruption,
    LeftOut,
    Line,
    ToolResult,
    Turn,
    Turns,
    beside,
    content_blocks,
    moment,
    text_of,
)


def came(time: float = 10.0, kind: str = "user") -> Arrival:
    return Arrival(kind, "hello", time, "main", 1)


def turns(*lines: Line) -> tuple[list[Turn], dict[str, int]]:
    counts: Counter[str] = Counter()
    taker = Turns(counts)
    done = [turn for line in lines if (turn := taker.take(line)) is not None]
    last = taker.end()
    return done + ([] if last is None else [last]), dict(+counts)


@pytest.mark.parametrize(
    ("lines", "relevant"),
    [
        ([AgentAnswer(12.0, "Paid.")], True),
        ([AgentAnswer(12.0, "NO_REPLY")], False),
        ([AgentAnswer(12.0, "")], False),
        (
            [AgentAnswer(11.0, "Let me look.", calls=True), ToolResult(), AgentAnswer(12.0, "")],
            False,
        ),
        ([AgentAnswer(11.0, "Let me look."), ToolResult(), AgentAnswer(12.0, "NO_REPLY")], False),
        ([AgentAnswer(11.0, None), AgentAnswer(12.0, "Paid.")], True),
        ([AgentAnswer(11.0, "Paid."), AgentAnswer(12.0, "NO_REPLY")], True),
        (
            [
                AgentAnswer(11.0, "", calls=True, told=True),
                ToolResult(),
                AgentAnswer(12.0, "NO_REPLY"),
            ],
            True,
        ),
        ([AgentAnswer(12.0, "", calls=True, told=False)], False),
        ([AgentAnswer(11.0, None, failed=True), AgentAnswer(12.0, "Paid.")], True),
        ([LeftOut("other"), AgentAnswer(12.0, "Paid.")], True),
    ],
)
def test_a_turn_matters_when_the_answer_after_the_last_tool_says_something(
    lines: list[Line], relevant: bool
) -> None:
    arrival = came()
    done, _ = turns(arrival, *lines)
    assert done == [Turn(arrival, relevant, 12.0)]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "unanswered"),
        ([AgentAnswer(11.0, None)], "unanswered"),
        ([AgentAnswer(11.0, "Let me look.", calls=True)], "unanswered"),
        ([AgentAnswer(11.0, "Look.", calls=True), ToolResult()], "unanswered"),
        ([AgentAnswer(11.0, None, failed=True)], "failed"),
        ([AgentAnswer(11.0, "Paid."), Interruption()], "stopped"),
    ],
)
def test_a_turn_without_a_whole_answer_has_no_label(lines: list[Line], why: str) -> None:
    assert turns(came(), *lines) == ([], {why: 1})
    done, counts = turns(came(), *lines, came(20.0), AgentAnswer(21.0, "Paid."))
    assert [turn.arrival.time for turn in done] == [20.0]
    assert counts == {why: 1}


def test_an_answer_is_known_when_it_was_given_and_never_before_the_question() -> None:
    done, _ = turns(came(10.0), AgentAnswer(5.0, "Paid."), came(20.0), AgentAnswer(None, "Paid."))
    assert [turn.known_at for turn in done] == [10.0, 20.0]


def test_ok_is_an_answer_to_a_person_and_none_to_a_heartbeat() -> None:
    done, _ = turns(
        came(1.0), AgentAnswer(2.0, "ok"), came(3.0, "heartbeat"), AgentAnswer(4.0, "ok")
    )
    assert [turn.relevant for turn in done] == [True, False]


def test_an_answer_to_nothing_is_counted() -> None:
    assert turns(AgentAnswer(1.0, "Hello?"), ToolResult(), Interruption()) == ([], {"unasked": 1})


def test_the_names_of_unknown_lines_are_counted_up_to_a_bound() -> None:
    _, counts = turns(*(beside(f"kind {n}", ()) for n in range(5_000)), beside([1], ()))
    assert len(counts) <= 101
    assert sum(counts.values()) == 5_001


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2026-02-02T02:40:00.000Z", 1_770_000_000.0),
        ("2026-02-02T02:40:00", 1_770_000_000.0),
        ("2026-02-02T03:40:00+01:00", 1_770_000_000.0),
        (1_770_000_000, 1_770_000_000.0),
        (1_770_000_000_000, 1_770_000_000.0),
        ("", None),
        ("soon", None),
        (None, None),
        (True, None),
        ([], None),
        (float("nan"), None),
        (1e300, None),
        (-1e14, None),
        (10**400, None),
        ("0001-01-01T00:00:00+23:00", None),
    ],
)
def test_a_time_is_read_in_every_form_the_tools_write(value: Any, seconds: float | None) -> None:
    assert moment(value) == seconds


def test_the_text_of_a_message_is_all_its_texts_and_nothing_else() -> None:
    parts = [{"type": "text", "text": "a"}, "b", 3, {"type": "image"}, {"type": "text", "text": 4}]
    assert text_of(content_blocks(parts)) == "a\nb"
    assert text_of(content_blocks("c")) == "c"
    assert text_of(content_blocks([{"type": "thinking", "thinking": "hm"}])) is None
    assert content_blocks({"type": "text"}) == []
