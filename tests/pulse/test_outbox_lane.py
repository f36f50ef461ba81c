"""`OutboxLane`: what one durable sink is owed gets there, in order, however long that takes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.pulse.sinks import DeliveryOutcome
from prefrontal.pulse.sinks.outbox_lane import LONGEST_WAIT_S, MOST_UNSTORED, STORAGE_WAIT_S
from prefrontal.testing import ManualClock
from prefrontal.types import Reason

from .outboxes import HAS_IT, NO, NOBODY, Owing, ScriptedSink, until_rest
from .wakes import wake

DAY_S = 86_400.0


@pytest.fixture
def owing(tmp_path: Path) -> Iterator[Owing]:
    owing = Owing(tmp_path / "log.db")
    yield owing
    owing.close()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_what_is_owed_is_delivered_once_and_in_order(owing: Owing) -> None:
    records = owing.ask("a", "b", "c")
    sink = ScriptedSink()
    lane = owing.lane(sink)
    assert until_rest(lane) is None
    assert [each.id for each in sink.got] == [record.id for record in records]
    assert owing.states(*records) == [("done", 1, "HTTP 204")] * 3
    assert until_rest(lane) is None
    assert len(sink.got) == lane.delivered == 3


def test_a_decision_reaches_the_sink_as_it_was_taken(owing: Owing) -> None:
    [woken] = owing.ask("Größe von „x\udcff“?")
    [audit] = owing.ask("b", reason=str(Reason.AUDIT), propensity=0.02)
    sink = ScriptedSink()
    until_rest(owing.lane(sink))
    first, second = sink.got
    assert (first.question, first.score, first.reason) == (woken.question, 0.9, woken.reason)
    assert (tuple(first.window), first.subject) == (woken.window, "invoices")
    assert (second.id, second.reason) == (audit.id, "audit")


def test_a_sink_that_is_down_is_tried_with_growing_waits_up_to_an_hour(owing: Owing) -> None:
    records = owing.ask("a", "b")
    sink = ScriptedSink(*[NOBODY] * 15, HAS_IT)
    lane = owing.lane(sink)
    waits = []
    while (wait_s := until_rest(lane)) is not None:
        waits.append(wait_s)
        assert lane.step() == wait_s, "it is left alone until then"
        owing.clock.advance(wait_s)
    assert waits[:4] == [0.5, 1.0, 2.0, 4.0]
    assert waits[12:] == [2048.0, LONGEST_WAIT_S, LONGEST_WAIT_S]
    assert sink.questions == ["a"] * 16 + ["b"], "nothing overtakes"
    assert {each.id for each in sink.got[:16]} == {records[0].id}
    assert all(each == sink.got[0] for each in sink.got[:16]), "each try is the same"
    assert owing.states(*records) == [("done", 16, "HTTP 204"), ("done", 1, "HTTP 204")]


def test_a_sink_is_left_alone_for_as_long_as_it_asks_but_for_an_hour_at_most(owing: Owing) -> None:
    owing.ask("a")
    later = [DeliveryOutcome(False, "HTTP 429", down_for_s=asked) for asked in (90.0, 1e9)]
    lane = owing.lane(ScriptedSink(*later, HAS_IT))
    assert until_rest(lane) == 90.0
    owing.clock.advance(90.0)
    assert until_rest(lane) == LONGEST_WAIT_S


def test_after_it_was_back_the_waits_begin_anew(owing: Owing) -> None:
    owing.ask("a")
    lane = owing.lane(ScriptedSink(NOBODY, NOBODY, HAS_IT, NOBODY, HAS_IT))
    for _ in range(2):
        owing.clock.advance(until_rest(lane) or 0.0)
    assert until_rest(lane) is None
    owing.ask("b")
    assert until_rest(lane) == 0.5


def test_a_question_that_is_refused_waits_by_itself(owing: Owing) -> None:
    records = owing.ask("a", "b", "c")
    sink = ScriptedSink(NO, HAS_IT, HAS_IT, NO, HAS_IT)
    lane = owing.lane(sink)
    assert until_rest(lane) == 0.5
    assert sink.questions == ["a", "b", "c"]
    assert owing.states(*records)[0] == ("pending", 1, "HTTP 400")
    owing.clock.advance(0.5)
    assert until_rest(lane) == 1.0
    owing.clock.advance(1.0)
    assert until_rest(lane) is None
    assert sink.questions == ["a", "b", "c", "a", "a"]


def test_a_refused_question_is_given_up_in_the_end_and_that_is_told(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    [record] = owing.ask("a")
    sink = ScriptedSink(NO)
    lane = owing.lane(sink, give_up_s=600.0)
    while (wait_s := until_rest(lane)) is not None:
        owing.clock.advance(wait_s)
    assert owing.states(record) == [("given up", len(sink.got), "HTTP 400")]
    assert 600.0 <= owing.clock.now() - record.time <= 1200.0
    assert told(caplog) == [
        f"agent failed for {record.id[:8]}, which is tried again: HTTP 400",
        f"agent: {record.id[:8]} is given up: HTTP 400",
    ]


def test_what_waited_too_long_for_a_sink_that_is_down_is_given_up_at_once(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    old = owing.ask("a", "b", "c")
    lane = owing.lane(ScriptedSink(NOBODY))
    while owing.clock.now() - old[0].time < DAY_S - 1800:
        owing.clock.advance(until_rest(lane) or 0.0)
    [young] = owing.ask("d")
    owing.clock.advance(until_rest(lane) or 0.0)
    until_rest(lane)
    assert [state for state, *_ in owing.states(*old, young)] == ["given up"] * 3 + ["pending"]
    assert told(caplog) == [
        "agent is down, its questions wait: no answer: refused",
        "agent: 3 questions are given up: no answer: refused",
    ]


def test_nothing_is_given_up_for_the_first_hour_however_old_it_is(owing: Owing) -> None:
    [record] = owing.ask("a")
    owing.clock.advance(30 * DAY_S)  # nothing ran
    lane = owing.lane(ScriptedSink(*[NOBODY] * 9, HAS_IT))
    while (wait_s := until_rest(lane)) is not None:
        owing.clock.advance(wait_s)
    assert owing.states(record) == [("done", 10, "HTTP 204")]


def test_a_restart_goes_on_at_once_with_the_same_question_and_id(tmp_path: Path) -> None:
    before = Owing(tmp_path / "log.db")
    [record] = before.ask("a")
    first = ScriptedSink(NOBODY)
    lane = before.lane(first)
    for _ in range(12):
        before.clock.advance(until_rest(lane) or 0.0)
    before.close()
    after = Owing(tmp_path / "log.db", before.clock)
    second = ScriptedSink()
    lane = after.lane(second)
    assert lane.renew() == 1
    assert until_rest(lane) is None
    assert second.got == [first.got[0]]
    assert after.states(record) == [("done", len(first.got) + 1, "HTTP 204")]
    after.close()


def test_a_refused_question_is_due_at_the_next_start(owing: Owing) -> None:
    owing.ask("a")
    until_rest(owing.lane(ScriptedSink(NO)))
    again = owing.lane(sink := ScriptedSink())
    assert again.renew() == 1
    assert until_rest(again) is None
    assert len(sink.got) == 1


def test_a_clock_that_is_put_back_does_not_hold_a_question_for_long(owing: Owing) -> None:
    [record] = owing.ask("a")
    lane = owing.lane(ScriptedSink(NO, HAS_IT))
    assert until_rest(lane) == 0.5
    owing.clock.jump(-2 * LONGEST_WAIT_S)
    assert until_rest(lane) is None
    assert owing.states(record)[0][0] == "done"


def test_a_sink_that_breaks_its_word_stops_nothing(owing: Owing) -> None:
    records = owing.ask("a", "b")
    lane = owing.lane(ScriptedSink(ValueError("oh"), HAS_IT))
    assert until_rest(lane) == 0.5
    assert owing.states(*records) == [("pending", 1, "ValueError: oh"), ("done", 1, "HTTP 204")]


def test_going_down_and_coming_back_are_told_once(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    owing.ask("a", "b")
    lane = owing.lane(ScriptedSink(NOBODY, NOBODY, NOBODY, HAS_IT))
    while (wait_s := until_rest(lane)) is not None:
        owing.clock.advance(wait_s)
    down, back = told(caplog)
    assert (down, back) == (
        "agent is down, its questions wait: no answer: refused",
        "agent answers again",
    )


def test_what_a_full_disk_kept_out_of_the_log_is_delivered_from_memory(owing: Owing) -> None:
    sink = ScriptedSink(NOBODY, HAS_IT)
    lane = owing.lane(sink)
    lane.take_unstored(wake(question="a"))
    lane.take_unstored(wake(question="b"))
    assert until_rest(lane) == 0.5
    owing.clock.advance(0.5)
    assert until_rest(lane) is None
    assert sink.questions == ["a", "a", "b"]


def test_what_memory_cannot_hold_or_the_sink_refuses_is_told(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    lane = owing.lane(ScriptedSink(NO, HAS_IT))
    for number in range(MOST_UNSTORED + 1):
        lane.take_unstored(replace(wake(), id=f"{number:08x}"))
    assert until_rest(lane) is None
    assert told(caplog) == [
        "agent: 000003e8 is lost: too many wait",
        "agent: 00000000 is given up: HTTP 400",
    ]


def test_what_was_delivered_but_cannot_be_noted_is_noted_later_and_not_repeated(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    records = owing.ask("a", "b")
    sink = ScriptedSink()
    lane = owing.lane(sink)
    owing.deliveries._database.execute("PRAGMA query_only = on")
    assert until_rest(lane) == STORAGE_WAIT_S
    assert sink.questions == ["a", "b"]
    owing.deliveries._database.execute("PRAGMA query_only = off")
    assert until_rest(lane) is None
    assert sink.questions == ["a", "b"]
    assert [state for state, *_ in owing.states(*records)] == ["done", "done"]
    [line] = told(caplog)
    assert line.startswith("agent: the log cannot be read or written: ")


def test_a_log_that_cannot_be_read_is_told_and_tried_again(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    lane = owing.lane(ScriptedSink())
    owing.deliveries.close()
    assert [lane.step(), lane.step()] == [STORAGE_WAIT_S] * 2
    [line] = told(caplog)
    assert line.endswith("is closed")


def test_a_lane_that_was_abandoned_says_nothing_more(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    lane = owing.lane(ScriptedSink())
    lane.abandoned = True
    owing.deliveries.close()
    assert lane.step() == STORAGE_WAIT_S
    assert told(caplog) == []


def test_the_clock_of_the_machine_is_not_read(owing: Owing) -> None:
    assert isinstance(owing.clock, ManualClock)
    [record] = owing.ask("a")
    until_rest(owing.lane(ScriptedSink(NO)))
    assert owing.deliveries.next_at("agent") == record.time + 0.5


def test_nothing_overtakes_a_question_whose_sink_is_down_while_the_disk_is_full(
    owing: Owing,
) -> None:
    owing.ask("a", "b")
    sink = ScriptedSink(NOBODY, HAS_IT)
    lane = owing.lane(sink)
    owing.deliveries._database.execute("PRAGMA query_only = on")
    assert until_rest(lane) == 0.5
    owing.clock.advance(0.5)
    assert until_rest(lane) == STORAGE_WAIT_S
    assert sink.questions == ["a", "a", "b"]


def test_what_another_process_has_delivered_meanwhile_stays_delivered(owing: Owing) -> None:
    [record] = owing.ask("a")
    other = owing.lane(ScriptedSink())

    class Slow(ScriptedSink):
        def deliver(self, decision: Decision) -> DeliveryOutcome:
            until_rest(other)
            return super().deliver(decision)

    until_rest(owing.lane(Slow(NOBODY)))
    assert owing.states(record) == [("done", 1, "HTTP 204")]
