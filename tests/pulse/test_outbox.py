"""`Outbox`: a thread for each durable sink, woken by the log, ended by a stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.pulse.sinks import DeliveryOutcome
from prefrontal.pulse.sinks.outbox import Outbox
from prefrontal.types import SignalEvent

from .outboxes import HAS_IT, NO, NOBODY, Owing, ScriptedSink
from .wakes import wake

PATIENCE_S = 30.0
DAY_S = 86_400.0


class Heard(ScriptedSink):
    """Says each question aloud as it comes; waits for `go` before it answers."""

    def __init__(self, *answers: DeliveryOutcome | Exception) -> None:
        super().__init__(*answers)
        self.heard: SimpleQueue[str | None] = SimpleQueue()
        self.go = threading.Event()
        self.go.set()

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        self.heard.put(decision.question)
        assert self.go.wait(PATIENCE_S)
        return super().deliver(decision)

    def next(self) -> str | None:
        return self.heard.get(timeout=PATIENCE_S)


@pytest.fixture
def owing(tmp_path: Path) -> Iterator[Owing]:
    owing = Owing(tmp_path / "log.db")
    yield owing
    owing.close()


def outbox(owing: Owing, **sinks: ScriptedSink) -> Outbox:
    return Outbox(owing.log, [(name, sink, DAY_S) for name, sink in sinks.items()], owing.clock)


def test_what_is_stored_is_delivered_without_anybody_asking(owing: Owing) -> None:
    agent = Heard()
    box = outbox(owing, agent=agent)
    box.start()
    box.start()
    owing.ask("a")
    assert agent.next() == "a"
    owing.ask("b", "c")
    assert [agent.next(), agent.next()] == ["b", "c"]
    assert box.stop()
    assert (box.owed(), agent.heard.empty()) == (0, True)
    box.close()


def test_what_was_left_over_is_taken_up_at_the_start(owing: Owing) -> None:
    [record] = owing.ask("a")
    agent = Heard()
    box = outbox(owing, agent=agent)
    assert box.owed() == 1
    box.start()
    assert agent.next() == "a"
    assert box.stop()
    assert agent.got[0].id == record.id
    box.close()


def test_a_sink_that_hangs_holds_up_neither_another_nor_the_log(tmp_path: Path) -> None:
    owing = Owing(tmp_path / "log.db")
    owing.log._owed_to = ("agent", "other")
    agent, other = Heard(), Heard()
    agent.go.clear()
    box = outbox(owing, agent=agent, other=other)
    box.start()
    owing.ask("a", "b")
    assert agent.next() == "a"
    assert [other.next(), other.next()] == ["a", "b"]
    owing.ask("c")
    assert other.next() == "c"
    assert not box.stop(timeout_s=0.01), "the one that hangs does not end in time"
    agent.go.set()
    assert box.stop(PATIENCE_S)
    assert (agent.questions, other.questions) == (["a", "b", "c"], ["a", "b", "c"])
    box.close()
    owing.close()


def test_a_stop_delivers_what_is_due_and_waits_for_nothing_else(owing: Owing) -> None:
    agent = Heard(NO, NOBODY)
    box = outbox(owing, agent=agent)
    owing.ask("a", "b", "c")
    box.start()
    assert box.stop(PATIENCE_S)
    assert agent.questions == ["a", "b"]
    assert box.owed() == 3
    box.close()


def test_a_stop_before_the_start_and_a_log_without_sinks_are_fine() -> None:
    with DecisionLog() as log:
        box = Outbox(log, [])
        box.take(wake())
        box.start()
        assert box.stop()
        assert box.owed() == 0
        box.close()


def test_a_decision_that_the_log_holds_is_not_taken_twice(owing: Owing) -> None:
    agent = Heard()
    box = outbox(owing, agent=agent)
    [record] = owing.ask("a")
    decision = record
    box.take(decision)
    box.start()
    assert agent.next() == "a"
    box.take(decision)
    assert box.stop()
    assert len(agent.got) == 1
    box.close()


def test_a_log_that_cannot_be_read_delivers_rather_twice_than_never(owing: Owing) -> None:
    agent = Heard()
    box = outbox(owing, agent=agent)
    box._deliveries.close()
    box.start()
    box.take(wake(question="a"))
    assert agent.next() == "a"
    box.stop()
    box.close()


def test_a_full_disk_is_told_and_its_questions_are_delivered_at_once_and_stored_later(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    agent = Heard()
    box = outbox(owing, agent=agent)
    registry = PulseRegistry(threshold=0.0, log=owing.log, audit_share=0.0, clock=owing.clock)
    registry.register_module(
        "m",
        {
            "module_id": "m",
            "cluster": "c",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.0,
            "signal_priors": {},
        },
    )
    registry.on_wake(box.take)
    box.start()
    registry.start()
    [(pages,)] = owing.log._database.execute("PRAGMA page_count")
    owing.log._database.execute(f"PRAGMA max_page_count = {pages}")
    huge = "x" * 100_000
    registry.push(SignalEvent("memory", "/full", "created", 1.0, 1.0, {"text": huge}))
    assert agent.next() == "/full?"
    owing.log._database.execute(f"PRAGMA max_page_count = {1 << 30}")
    registry.push(SignalEvent("memory", "/room", "created", 1.0, 2.0, {"text": huge}))
    assert agent.next() == "/room?"
    assert registry.stop()
    assert box.stop()
    assert len(agent.got) == 2
    kept = [record.question for record in owing.log.records()]
    assert kept == ["/full?", "/room?"]
    line, later = [record.getMessage() for record in caplog.records]
    assert line.startswith("decisions could not be stored, they are delivered all the same: ")
    assert line.endswith("the disk is full; nothing more is decided until they are")
    assert later == "the log can be written again: 1 decision"
    box.close()


def test_a_closed_outbox_is_woken_by_the_log_no_more(owing: Owing) -> None:
    agent = Heard()
    box = outbox(owing, agent=agent)
    box.start()
    assert box.stop()
    box.close()
    owing.ask("a")
    assert agent.heard.empty()
    assert owing.log.on_owed != box.wake
    with pytest.raises(SourceError, match="is closed"):
        box.owed()


def test_the_answer_of_a_sink_that_was_abandoned_is_noted_nowhere(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    agent = Heard(HAS_IT)
    agent.go.clear()
    box = outbox(owing, agent=agent)
    [record] = owing.ask("a")
    box.start()
    agent.next()
    assert not box.stop(timeout_s=0.0)
    box.close()
    agent.go.set()
    assert box.stop(PATIENCE_S), "its thread ends"
    assert owing.states(record) == [("pending", 0, "")]
    assert caplog.records == []


def test_what_is_owed_to_a_sink_that_is_no_more_is_told_and_given_up_after_a_day(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    [old] = owing.ask("a")
    owing.clock.advance(DAY_S)
    [young] = owing.ask("b")
    box = outbox(owing, other=Heard())
    box.start()
    assert box.stop()
    assert owing.states(old, young) == [
        ("given up", 0, "no sink has this name any more"),
        ("pending", 0, ""),
    ]
    box.close()
    [line] = [record.getMessage() for record in caplog.records]
    assert line == "2 questions are owed to agent, but no sink has this name, 1 given up"


def test_a_row_that_cannot_be_read_is_given_up_and_those_behind_it_go_on(
    owing: Owing, caplog: pytest.LogCaptureFixture
) -> None:
    broken, _ = owing.ask("a", "b")
    sql = "UPDATE decisions SET events = '[[' WHERE id = ?"
    owing.log._database.execute(sql, (broken.id,))
    agent = Heard()
    box = outbox(owing, agent=agent)
    box.start()
    assert agent.next() == "b"
    assert box.stop()
    box.close()
    assert owing.states(broken) == [("given up", 1, "it cannot be read")]
    [line] = [each.getMessage() for each in caplog.records]
    assert line == f"agent: {broken.id[:8]} is given up: it cannot be read"


def test_a_start_waits_for_nothing_that_a_refusal_before_it_set(owing: Owing) -> None:
    [record] = owing.ask("a")
    for answer in (NO, HAS_IT):
        agent = Heard(answer)
        box = outbox(owing, agent=agent)
        box.start()
        assert agent.next() == "a"
        assert box.stop()
        box.close()
    assert owing.states(record) == [("done", 2, "HTTP 204")]


def test_what_is_owed_by_hand_is_delivered_once_in_the_words_of_now(owing: Owing) -> None:
    """For who decides later what a sink is owed: the log owes this one nothing by itself."""
    agent = Heard()
    box = outbox(owing, diary=agent)
    box.word(lambda record: replace(record, question=f"{record.question} Say so."))
    _, second = owing.ask("a", "b")
    for _ in range(2):
        box.owe(second.id)
    box.start()
    assert agent.next() == "b Say so."
    assert box.stop()
    assert (box.sinks, box.owed(), agent.heard.empty()) == (1, 0, True)
    assert [each.id for each in agent.got] == [second.id]
    box.close()
