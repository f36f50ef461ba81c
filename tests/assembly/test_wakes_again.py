from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from prefrontal.assembly.wakes_again import CHANGED, WITHOUT_REFUSALS, VerifyTally, again
from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import FoldedWindow, WakePayload
from prefrontal.decisions.threshold_wishes import wish_threshold
from prefrontal.decisions.wake_runs import START
from prefrontal.executive.again import Deviation
from prefrontal.pulse.gate_module import VERSION
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.asker import Asker
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.starts import start_of
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

from ..exhaustive import first
from .wake_days import MODULES, NOW, POLICY, Trust, gate, live, module, signals

PATIENCE_S = 30.0
ANYTHING = {"default_threshold": 0.2, "signal_priors": {"http": {}}}


def decided_again(log: DecisionLog) -> tuple[list[Deviation], VerifyTally]:
    tally = VerifyTally()
    return list(again(log, tally)), tally


def file(path: str, actor: str = "") -> SignalEvent:
    return SignalEvent("filesystem", path, "created", 1.0, NOW, {"actor": actor} if actor else {})


REASONS = {Reason.WOKE, Reason.AUDIT, Reason.BELOW_THRESHOLD, Reason.COOLDOWN, Reason.QUIET_HOURS,
           Reason.MODULE_BUDGET, Reason.PEER_BUDGET}  # fmt: skip


def days_decided_again(events: int) -> tuple[set[str], set[float]]:
    """The reasons and the thresholds of that many events, of which no decision differs."""
    with DecisionLog() as log:
        wakes = live(log, events, starts=4)
        found, tally = decided_again(log)
        counts = log.counts()
    assert found == []
    assert (tally.decided, tally.starts, tally.lost) == (sum(counts.values()), 4, 0)
    assert tally.decided > 0.6 * events
    return set(counts), {each.threshold for each in wakes}


@pytest.mark.exhaustive
def test_8_000_events_are_decided_again_bit_for_bit() -> None:
    reasons, thresholds = days_decided_again(8_000)
    assert reasons >= REASONS
    assert len(thresholds) > 2  # the recall rule was at work


@pytest.mark.exhaustive
def test_100_000_events_are_decided_again_bit_for_bit() -> None:
    reasons, thresholds = days_decided_again(100_000)
    assert reasons >= REASONS | {Reason.GLOBAL_BUDGET}
    assert len(thresholds) > 20


@pytest.mark.exhaustive
def test_a_live_gate_with_its_threads_is_decided_again(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.sqlite") as log:
        random = Random(3)
        stream = [event for _, event in signals(random, 5000)]
        for part in (stream[:2500], stream[2500:]):
            registry = PulseRegistry(
                log=log, threshold=0.0, recall=0.8, audit_share=0.1, standings=Trust(),
                policy=PolicySettings(overlap="skip"), log_refusals=True,
            )  # fmt: skip
            for each in MODULES:
                registry.register_module(each.module_id, each)
            registry.on_escalation(_labels(registry))
            registry.start()
            assert all(registry.push(event) for event in part)
            assert registry.stop(PATIENCE_S)
            log.flush()
        found, tally = decided_again(log)
        labels = list(log.labels_after(0))
    assert found == []
    assert (tally.starts, tally.lost) == (2, 0)
    assert tally.decided > 3000
    assert len(labels) > 100


def _labels(registry: PulseRegistry) -> Callable[[EscalationDecision], None]:
    def label(decision: EscalationDecision) -> None:
        assert decision.activation_id is not None
        useful = "bill" in decision.window[-1].location
        registry.record_feedback(decision.activation_id, float(useful))

    return label


@pytest.mark.parametrize("hold_s", [0.0, 2.0])
def test_calls_that_go_on_where_the_last_one_ended_are_decided_again(hold_s: float) -> None:
    clock, settings = ManualClock(NOW), GateSettings(policy=POLICY, audit_share=0.1)
    modules = [replace(each, hold_s=hold_s) for each in MODULES]
    with DecisionLog(clock=clock) as log:
        for number, (pause, event) in enumerate(signals(Random(4), 120)):
            clock.advance(pause / 4)
            if number % 3 == 0:
                call = Watch(settings, log, clock=clock, goes_on=True)
                for each in modules:
                    call.add(each)
                call.start()
            assert call.push(event)
            if number % 3 == 2:
                assert call.stop(PATIENCE_S)
                log.flush()
        found, tally = decided_again(log)
        reasons = set(log.counts())
    assert found == []
    assert tally.starts > 20
    assert Reason.COOLDOWN in reasons
    assert hold_s or Reason.MODULE_BUDGET in reasons


@pytest.mark.exhaustive
def test_wakes_that_were_gathered_are_decided_again() -> None:
    with DecisionLog() as log:
        grouped = POLICY.model_copy(update={"group_s": 90.0})
        more = (*MODULES, module("all", "/srv", ".pdf", ".eml", least=0.75))
        live(log, 4000, starts=3, policy=grouped, modules=more, recall=None)
        found, tally = decided_again(log)
        gathered = [each for each in log.recent(1000) if len(folded(each)) > 1]
    assert found == []
    assert (tally.starts, tally.lost) == (3, 0)
    assert len(gathered) > 20
    assert any("closed" in to_plain(each.payload) for each in gathered) or tally.decided > 1000


@pytest.mark.exhaustive
def test_bursts_of_modules_that_hold_are_decided_again() -> None:
    with DecisionLog() as log:
        held = POLICY.model_copy(update={"hold_s": 40.0, "cooldown_s": 0.0})
        live(log, 4000, starts=3, policy=held, audit_share=0.3)
        found, tally = decided_again(log)
        told = [each for each in log.recent(1000) if len(folded(each)) > 1]
        audits = [each for each in log.records() if to_plain(each.payload).get("held_back")]
    assert found == []
    assert (tally.starts, tally.lost) == (3, 0)
    assert len(told) > 20 and len(audits) > 5


@pytest.mark.parametrize("hold_s", first(1, [0.0, 30.0]))
def test_wakes_of_budgets_that_modules_and_sources_share_are_decided_again(hold_s: float) -> None:
    random, clock = Random(3), ManualClock(NOW)
    modules = [parse_fingerprint(each.to_dict() | {"hold_s": hold_s}) for each in MODULES]
    modules.append(parse_fingerprint(modules[0].to_dict() | {"module_id": "any"} | ANYTHING))
    policy = PolicySettings(
        budget="24/hour", wakes_per_hour=30.0, burst=4, module_budget="16/hour",
        source_budget="9/hour", key_ttl_s=0.0,
    )  # fmt: skip
    with DecisionLog(clock=clock) as log:
        stream = signals(random, 300)
        for _ in range(3):
            one = gate(log, clock, modules=modules, policy=policy, standings=None)
            for pause, event in islice(stream, 100):
                clock.advance(pause)
                source = random.choice(("filesystem", "filesystem", "ci", "deploys"))
                one.tick()
                one.wake(replace(event, source=source))
            one.close()
        found, tally = decided_again(log)
        counts = log.counts()
    assert found == []
    assert (tally.starts, tally.lost) == (3, 0)
    assert counts["woke"] > 20
    assert hold_s or min(counts["module_budget"], counts["source_budget"]) > 5


def folded(record: Decision) -> tuple[FoldedWindow, ...]:
    return record.payload.folded if isinstance(record.payload, WakePayload) else ()


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        assert other.execute(sql).rowcount == 1
        other.commit()


@pytest.mark.exhaustive
def test_a_label_that_was_changed_afterwards_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log:
        live(log, 600)
        assert decided_again(log)[0] == []
        change(path, "UPDATE labels SET label = 1 - label WHERE seq = 5")
        fields = {each.field for each in decided_again(log)[0]}
    assert {"score", "why"} <= fields


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("column", "value"),
    [("score", "score * 1.0000000000000002"), ("threshold", "0.61"), ("reason", "'audit'")],
)
def test_a_decision_that_was_changed_afterwards_is_found(
    tmp_path: Path, column: str, value: str
) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log:
        wakes = live(log, 600)
        changed = next(each for each in wakes if each.reason == Reason.WOKE)
        change(path, f"UPDATE decisions SET {column} = {value} WHERE id = '{changed.id}'")
        found, _ = decided_again(log)
    assert [(each.id, each.field) for each in found] == [(changed.id, column)]


def test_a_weight_that_no_label_moved_is_found() -> None:
    with DecisionLog() as log:
        clock = ManualClock(NOW)
        one = gate(log, clock, audit_share=0.0)
        one.wake(file("/srv/bills/bill.pdf"))
        one._gate._limbic.update_weights("bills", [file("/srv/bills/x.pdf")], 0.0)
        clock.advance(60)
        one.wake(file("/srv/bills/bill-2.pdf"))
        one.close()
        found, _ = decided_again(log)
    assert {"score", "why", "weights"} == {each.field for each in found}
    assert [each.id for each in found if each.field == "weights"] == ["bills"]


@pytest.mark.exhaustive
def test_weights_that_came_from_elsewhere_are_told_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log:
        live(log, 300, seed=2)
        other = gate(log, ManualClock(NOW))
        other._gate._limbic.update_weights("mail", [file("/srv/mail/x.pdf")], 1.0)
        other.close()
        last = gate(log, ManualClock(NOW))
        last.wake(file("/srv/photos/dog.jpg"))
        found, _ = decided_again(log)
    assert (last.run, "weights") in [(each.id, each.field) for each in found]


def test_a_wake_that_was_taken_out_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log:
        with gate(log, ManualClock(NOW)) as one:
            one.wake(file("/srv/mail/letter.eml"))
            [wake] = one.wake(file("/srv/bills/bill.pdf", "cleo"))
            one.wake(file("/srv/bills/notes.txt"))
        change(path, f"UPDATE decisions SET subject = 'mail' WHERE id = '{wake.id}'")
        found, _ = decided_again(log)
    assert [(each.field, each.was is None, each.now is None) for each in found] == [
        ("", False, True),
        ("", True, False),
    ]


@pytest.mark.exhaustive
def test_refusals_that_were_pruned_are_counted_and_nothing_else_changes() -> None:
    clock = ManualClock(NOW)
    with DecisionLog(clock=clock) as log:
        random = Random(5)
        one = gate(log, clock, recall=None, policy=PolicySettings(), standings=None)
        for pause, event in signals(random, 1500):
            clock.advance(pause)
            one.wake(event)
        one.close()
        whole = sum(log.counts().values())
        clock.advance(86_400.0)
        pruned = log.prune(1.2)
        found, tally = decided_again(log)
    assert found == []
    assert 0 < pruned == tally.lost
    assert tally.decided == whole - pruned


def test_a_threshold_of_a_person_is_taken_as_it_was() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = gate(log, clock, recall=None)
        for number, wish in enumerate((None, 0.1, 0.95, None)):
            wish_threshold(log, "bills", wish)
            for name in ("bill.pdf", "notes.txt"):
                clock.advance(60)
                one.wake(file(f"/srv/bills/{number}{name}"))
        found, tally = decided_again(log)
        kept = list(log.records())
    assert found == []
    assert tally.decided == 8
    assert [each.threshold for each in kept] == [0.6, 0.6, 0.1, 0.1, 0.95, 0.95, 0.6, 0.6]
    assert [to_plain(each.payload).get("wished", False) for each in kept[1:5]] == [
        False,
        True,
        True,
        True,
    ]


def test_modules_that_changed_between_two_starts_are_those_of_each_start() -> None:
    other = module("bills", "/srv/bills", ".pdf", ".txt", least=0.4)
    with DecisionLog() as log:
        for number, modules in enumerate((MODULES, MODULES[1:], (other, MODULES[2]), MODULES)):
            live(log, 150, seed=number, modules=modules)
        found, tally = decided_again(log)
        labels = len(list(log.labels_after(0)))
    assert found == []
    assert tally.starts == 4
    assert labels > 40


def test_what_cannot_be_decided_again_is_counted() -> None:
    with DecisionLog() as log:
        with gate(log, ManualClock(NOW), log_refusals=False) as one:
            one.wake(file("/srv/bills/bill.pdf", "cleo"))
        asked = Asker(log, MODULES, GateSettings(), clock=ManualClock(NOW))
        asked.judge([file("/srv/bills/bill.pdf")])
        log.flush()
        found, tally = decided_again(log)
    assert found == []
    assert (tally.decided, dict(tally.left)) == (2, {})


def test_a_recall_of_before_is_not_decided_again_without_refusals() -> None:
    with DecisionLog() as log, gate(log, ManualClock(NOW), log_refusals=False) as one:
        one.wake(file("/srv/bills/bill.pdf", "cleo"))
        ((_, content),) = log.wake_runs().starts()
        start = start_of(content)
        assert start.version == VERSION and not start.follows
        old = replace(start, version=1, settings=start.settings.model_copy(update={"recall": 0.8}))
        log.save_state(START + start.run, old.to_bytes(), start.labels)
        found, tally = decided_again(log)
    assert found == []
    assert (tally.decided, dict(tally.left)) == (0, {WITHOUT_REFUSALS: 1})


@pytest.mark.exhaustive
@pytest.mark.parametrize("recall", [None, 0.8])
def test_wakes_alone_are_decided_again(recall: float | None) -> None:
    with DecisionLog() as log:
        wakes = live(log, 3000, starts=2, recall=recall, log_refusals=False)
        held = log.recent(10_000, acted=False)
        found, tally = decided_again(log)
    assert found == []
    assert (tally.decided - len(held), tally.starts, tally.lost) == (len(wakes), 2, 0)
    assert {"cooldown", "peer_budget", "quiet_hours"} <= {each.reason for each in held}
    assert {Reason.WOKE, Reason.AUDIT} == {each.reason for each in wakes}


def test_modules_that_come_before_the_first_event_belong_to_the_start() -> None:
    with DecisionLog() as log:
        registry = PulseRegistry(log=log, threshold=0.0, clock=ManualClock(NOW))
        registry.start()
        for each in MODULES:
            registry.register_module(each.module_id, each)
        registry.unregister_module("mail")
        assert registry.push(file("/srv/bills/bill.pdf"))
        assert registry.stop(PATIENCE_S)
        found, tally = decided_again(log)
    assert found == []
    assert (tally.decided, dict(tally.left)) == (1, {})


def test_the_other_scorer_gives_the_same_bits_again() -> None:
    with DecisionLog() as log:
        live(log, 200, starts=2, scorer="lstm", seed=4, recall=None)
        found, tally = decided_again(log)
        labels = len(list(log.labels_after(0)))
    assert found == []
    assert tally.starts == 2
    assert labels > 5


def test_after_other_modules_came_nothing_is_decided_again() -> None:
    with DecisionLog() as log:
        registry = PulseRegistry(log=log, threshold=0.0, log_refusals=True, clock=ManualClock(NOW))
        registry.register_module("bills", MODULES[0])
        for number in range(2):
            registry.start()
            assert registry.push(file(f"/srv/bills/{number}.pdf"))
            assert registry.stop(PATIENCE_S)
            registry.register_module("more", module("more", "/srv", ".pdf"))
        found, tally = decided_again(log)
    assert found == []
    assert (tally.decided, dict(tally.left)) == (1, {CHANGED: 2})


def test_who_asks_beside_a_running_gate_is_decided_again_with_it() -> None:
    clock, random = ManualClock(NOW), Random(9)
    with DecisionLog(clock=clock) as log:
        live(log, 60, seed=8)
        one = gate(log, clock)
        asked = Asker(log, MODULES, GateSettings(recall=0.8, audit_share=0.1), clock=clock)
        for number, (pause, event) in enumerate(signals(random, 300)):
            clock.advance(pause)
            made = one.wake(event) if number % 2 else asked.judge([event])
            log.flush()
            for each in made:
                if each.acted and random.random() < 0.5:
                    log.add_label(each.id, float("bill" in each.window[-1].location), clock.now())
        one.close()
        found, tally = decided_again(log)
        decided = sum(log.counts().values())
    assert found == []
    assert (tally.starts, tally.decided, tally.lost) == (3, decided, 0)
