from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from prefrontal.cli.watch.built_in_modules import built_in_module
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.errors import InputError, SourceError
from prefrontal.executive.roles import Waker
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.threshold_facts import FOLLOWING, WAKING
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

from .wake_days import MODULES, NOW, Trust, gate, live, signals

PATIENCE_S = 60.0


@pytest.fixture
def log() -> Iterator[DecisionLog]:
    with DecisionLog() as made:
        yield made


def file(name: str = "bill.pdf", **features: Any) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/bills/{name}", "created", 1.0, NOW, features)


def plain(log: DecisionLog, clock: ManualClock | None = None, **told: Any) -> Stepper:
    settings = GateSettings(**{"audit_share": 0.0} | told)
    return Stepper(log, MODULES, settings, clock=clock or ManualClock(NOW))


def what(record: Decision) -> tuple[object, ...]:
    """What was decided, without the names of decision and start."""
    details = {name: value for name, value in to_plain(record.payload).items() if name != "run"}
    details["folded"] = [each["name"] for each in details.get("folded", ())]
    return (record.time, record.subject, record.acted, record.reason, record.score,
            record.threshold, record.question, record.propensity, record.why, details)  # fmt: skip


def test_it_fills_the_role_of_the_loop_and_its_wakes_are_in_the_log(log: DecisionLog) -> None:
    waker: Waker = plain(log)
    [wake] = waker.wake(file())
    assert wake == log.get(wake.id)
    assert (wake.kind, wake.subject, wake.reason) == ("wake", "bills", Reason.WOKE)
    assert (wake.time, to_plain(wake.payload)["monotonic"]) == (NOW, 0.0)
    assert list(waker.wake(file("notes.txt"))) == []


@pytest.mark.exhaustive
def test_the_same_events_and_labels_give_the_same_decisions() -> None:
    told = []
    for _ in range(2):
        with DecisionLog() as one:
            live(one, 600)
            told.append([what(each) for each in one.records()])
    assert told[0] == told[1]
    assert len(told[0]) > 300


def test_it_decides_as_a_registry_does(log: DecisionLog) -> None:
    stream = [event for _, event in signals(Random(7), 300)]
    told: dict[str, Any] = {"audit_share": 0.1, "log_refusals": True}
    options: dict[str, Any] = {"clock": ManualClock(NOW), "standings": Trust()}
    one = Stepper(log, MODULES, GateSettings(**told), **options)
    for event in stream:
        one.wake(event)
    with DecisionLog() as other:
        registry = PulseRegistry(log=other, threshold=0.0, **told, **options)
        for module in MODULES:
            registry.register_module(module.module_id, module)
        registry.start()
        assert all(registry.push(event) for event in stream)
        assert registry.stop(PATIENCE_S)
        other.flush()
        theirs = sorted(map(repr, map(what, other.records())))
    assert sorted(map(repr, map(what, log.records()))) == theirs


def test_a_label_counts_from_the_next_event_on(log: DecisionLog) -> None:
    one = plain(log)
    [first] = one.wake(file("a.pdf"))
    log.add_label(first.id, 0.0, NOW)
    [second] = one.wake(file("b.pdf"))
    assert second.score < first.score
    assert (to_plain(first.payload)["labels"], to_plain(second.payload)["labels"]) == (0, 1)


def test_what_slept_is_kept_only_where_that_is_wanted(log: DecisionLog) -> None:
    plain(log).wake(file("notes.txt"))
    assert log.counts() == {}
    plain(log, log_refusals=True).wake(file("notes.txt"))
    assert log.counts() == {"below_threshold": 1}


def test_groups_wait_for_the_tick(log: DecisionLog) -> None:
    clock = ManualClock(NOW)
    one = plain(log, clock=clock, policy=PolicySettings(group_s=60.0))
    assert [one.wake(file(name)) for name in ("a.pdf", "b.pdf")] == [[], []]
    assert one.due() == 60.0
    clock.advance(59.0)
    assert one.tick() == []
    clock.advance(1.0)
    [wake] = one.tick()
    assert wake.question is not None and wake.question.endswith(" And 1 more: b.pdf created.")
    assert one.wake(file("c.pdf")) == []
    [left] = one.close()
    assert left == log.get(left.id)


def test_what_it_learned_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log, plain(log) as one:
        [wake] = one.wake(file("a.pdf"))
        log.add_label(wake.id, 0.0, NOW)
        before = one.wake(file("b.pdf"))[0]
    with DecisionLog(path) as log, plain(log) as one:
        after = one.wake(file("b.pdf"))[0]
    assert (before.score, before.why) == (after.score, after.why)
    assert before.score < wake.score


def test_a_gate_that_was_never_closed_learns_its_labels_again(log: DecisionLog) -> None:
    one = plain(log)
    [wake] = one.wake(file("a.pdf"))
    log.add_label(wake.id, 0.0, NOW)
    [before] = one.wake(file("b.pdf"))
    [after] = plain(log).wake(file("b.pdf"))
    assert before.score == after.score < wake.score


def test_it_tells_of_its_modules(log: DecisionLog) -> None:
    one = gate(log, ManualClock(NOW), recall=None)
    assert one.modules == ["bills", "mail", "photos"]
    facts = one.thresholds()
    assert {name: each.threshold for name, each in facts.items()} == {
        "bills": 0.6, "mail": 0.3, "photos": 0.7,
    }  # fmt: skip
    assert facts["bills"].sentence() == "threshold 0.60, the module's own"
    assert one.recall_estimate("bills") is None is one.recall_estimate("nobody")
    one.wake(file())
    assert one.counts() == {"woke": 1}


def test_the_estimate_of_recall_comes_from_wakes_and_audits(log: DecisionLog) -> None:
    one = plain(log, audit_share=1.0)
    for name, label in (("a.pdf", 1.0), ("b.txt", 1.0), ("c.txt", 0.0)):
        for wake in one.wake(file(name)):
            log.add_label(wake.id, label, NOW)
    one.learn()
    estimate = one.recall_estimate("bills")
    assert estimate is not None
    assert (estimate.recall, estimate.audits) == (0.5, 2)


def test_the_threshold_of_a_recall_stands_from_the_start_on(log: DecisionLog) -> None:
    told: dict[str, Any] = {"recall": 0.5, "audit_share": 1.0, "policy": PolicySettings()}
    with plain(log, **told) as one:
        for number in range(60):
            for wake in one.wake(file(f"{number}.{('pdf', 'txt')[number % 8 > 0]}")):
                log.add_label(wake.id, float(number % 4 == 0), NOW)
    before = one.thresholds()
    assert before["bills"].origin == FOLLOWING
    assert plain(log, **told).thresholds() == before


def test_a_module_that_is_given_twice_is_refused(log: DecisionLog) -> None:
    with pytest.raises(InputError, match="module_id must be given once, got 'bills'"):
        Stepper(log, [MODULES[0], MODULES[0]], GateSettings())


def test_an_event_of_the_wrong_type_is_named_and_the_next_is_taken(log: DecisionLog) -> None:
    one = plain(log)
    with pytest.raises(TypeError, match="location"):
        one.wake(SignalEvent("filesystem", 7, "created", 1.0, NOW))  # type: ignore[arg-type]
    assert len(one.wake(file())) == 1


class Full:
    """A log whose disk is full while the test says so."""

    def __init__(self, log: DecisionLog) -> None:
        self._log = log
        self.full = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def keep(self, records: list[Decision], **more: Any) -> None:
        if self.full:
            raise SourceError("the disk is full")
        self._log.keep(records, **more)


def test_a_wake_that_could_not_be_stored_comes_with_the_next(log: DecisionLog) -> None:
    full: Any = Full(log)
    one = plain(full)
    full.full = True
    with pytest.raises(SourceError):
        one.wake(file("a.pdf"))
    full.full = False
    found = one.wake(file("b.pdf"))
    assert [each.window[0].location[-5:] for each in found] == ["a.pdf", "b.pdf"]
    assert all(log.get(each.id) == each for each in found)


def test_a_module_whose_priors_changed_wakes_on_everything_until_enough_is_known_again(
    log: DecisionLog,
) -> None:
    clock, folder = ManualClock(NOW), {"watch_directories": ["/srv/bills"]}
    first = built_in_module("filesystem", folder, "bills")
    with Stepper(log, [first], GateSettings(policy=PolicySettings(hold_s=0)), clock=clock) as gate:
        for number in range(60):
            clock.advance(60.0)
            matters = number % 2 == 0
            for wake in gate.wake(file(f"{'bill' if matters else 'menu'}-{number}.pdf")):
                log.add_label(wake.id, float(matters), clock.now())
        assert gate.thresholds()["bills"].origin == FOLLOWING
    same = Stepper(log, [first], GateSettings(), clock=clock)
    assert same.thresholds()["bills"].known > 9
    other = built_in_module("filesystem", folder | {"relevant_extensions": [".txt"]}, "bills")
    with Stepper(log, [other], GateSettings(), clock=clock) as changed:
        facts = changed.thresholds()["bills"]
        assert (facts.origin, facts.known, facts.estimate) == (WAKING, 0, None)
    again = Stepper(log, [other], GateSettings(), clock=clock)
    assert again.thresholds()["bills"].known == 0
