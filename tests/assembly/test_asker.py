from __future__ import annotations

import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.asker import LABELS_EVERY_S, Asker
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

INVOICES = parse_fingerprint(
    {
        "module_id": "invoices",
        "cluster": "money",
        "version": "1",
        "question_template": "{location}: an invoice to file?",
        "default_threshold": 0.6,
        "signal_priors": {
            "filesystem": {"watch_directories": ["/downloads"], "relevant_extensions": [".pdf"]}
        },
    }
)


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/downloads/{name}", "created", 1.0, 1_700_000_000.0)


def gate(log: DecisionLog, clock: ManualClock | None = None, **told: Any) -> Asker:
    settings = GateSettings(**{"audit_share": 0.0, **told})
    return Asker(log, [INVOICES], settings, clock=clock or ManualClock())


def decided(one: Asker, name: str) -> Decision:
    [record] = one.judge([file(name)])
    return record


def test_it_decides_and_learns_as_a_watch_does(tmp_path: Path) -> None:
    names = ["bill.pdf", "menu.pdf", "notes.txt", "bill-2.pdf", "menu-2.pdf"]
    with DecisionLog(tmp_path / "ours.sqlite") as ours, DecisionLog() as theirs:
        one = gate(ours)
        watch = PulseRegistry(log=theirs, threshold=0.0, audit_share=0.0, log_refusals=True)
        watch.register_module("invoices", INVOICES)
        mine, seen = [], []
        for name in names:
            record = decided(one, name)
            mine.append((record.reason, record.score, record.question, record.why))
            one.label(record.id, float("bill" in name))
            watch.start()
            assert watch.push(file(name))
            assert watch.stop()
            theirs.flush()
            [kept] = theirs.recent(1)
            seen.append((kept.reason, kept.score, kept.question, kept.why))
            watch.record_feedback(kept.id, float("bill" in name))
    assert mine == seen
    assert mine[-1][1] < mine[1][1]


def test_it_takes_up_what_a_watch_saved_and_leaves_that_alone(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.sqlite") as log:
        before = decided(gate(log), "bill.pdf")
        watch = PulseRegistry(log=log, audit_share=0.0)
        watch.register_module("invoices", INVOICES)
        watch.start()
        log.flush()
        watch.record_feedback(before.id, 0.0)
        assert watch.stop()
        saved = log.load_state("weights")
        one = gate(log)
        after = decided(one, "bill.pdf")
        one.label(after.id, 0.0)
        assert log.load_state("weights") == saved is not None
        assert decided(one, "bill.pdf").score < after.score < before.score


def test_labels_of_another_process_are_learned_within_seconds(tmp_path: Path) -> None:
    clock = ManualClock()
    with DecisionLog(tmp_path / "log.sqlite") as log:
        one = gate(log, clock)
        first = decided(one, "bill.pdf")
        log.flush()
        with DecisionLog(tmp_path / "log.sqlite") as other:
            other.add_label(first.id, 0.0, clock.now())
        assert decided(one, "bill.pdf").score == first.score
        clock.advance(LABELS_EVERY_S)
        assert decided(one, "bill.pdf").score < first.score


def test_budgets_hold_back_and_say_so() -> None:
    with DecisionLog() as log:
        one = gate(log, policy=PolicySettings(wakes_per_hour=1.0, burst=1))
        reasons = [decided(one, "bill.pdf").reason for _ in range(2)]
    assert reasons == [Reason.WOKE, Reason.GLOBAL_BUDGET]


def test_an_audit_carries_its_chance() -> None:
    with DecisionLog() as log:
        one = gate(log, audit_share=0.25)
        records = [decided(one, "notes.txt") for _ in range(60)]
    audits = [each for each in records if each.reason is Reason.AUDIT]
    assert 0 < len(audits) < 60
    for each in audits:
        assert (each.acted, each.propensity) == (True, 0.25)
        assert each.question == "/downloads/notes.txt: an invoice to file?"


def test_a_decision_is_found_though_it_was_not_on_the_disk_yet(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with DecisionLog(path) as log, closing(sqlite3.connect(path)) as other:
        one = gate(log)
        other.execute("BEGIN IMMEDIATE")  # nobody else can write
        record = decided(one, "bill.pdf")
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(one.find, record.id)
            wait([found], timeout=0.02)
            other.rollback()
            assert found.result() == record


def test_a_threshold_of_the_settings_is_that_of_every_module() -> None:
    with DecisionLog() as log:
        assert decided(gate(log, threshold=0.99), "bill.pdf").threshold == 0.99
        assert decided(gate(log, threshold=0.1), "bill.pdf").threshold == 0.1
        assert decided(gate(log), "bill.pdf").threshold == 0.6


def test_what_slept_is_kept_too_and_can_be_labelled(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.sqlite") as log:
        one = gate(log)
        slept = decided(one, "notes.txt")
        assert not slept.acted
        assert one.label(slept.id[:8], 1.0).label is None
        assert one.find(slept.id).label == 1.0
        assert decided(one, "notes.txt").score > slept.score


def folded(log: DecisionLog) -> Counter[str]:
    """How often each window that was held back was told of."""
    log.flush()
    wakes = [each.payload for each in log.records() if each.acted]
    return Counter(
        window.id for wake in wakes if isinstance(wake, WakePayload) for window in wake.folded
    )


COOLING = {"policy": PolicySettings(cooldown_s=60.0), "threshold": 0.0}


@pytest.mark.parametrize("first", ["watch", "asker", "another asker"])
def test_what_was_held_back_is_told_once_though_two_processes_wait_for_it(
    tmp_path: Path, first: str
) -> None:
    path, clock = tmp_path / "log.sqlite", ManualClock(1_700_000_000.0)
    with DecisionLog(path) as ours, DecisionLog(path) as theirs:
        one = gate(ours, clock, **COOLING)
        assert decided(one, "a.pdf").acted
        held = decided(one, "b.pdf")
        ours.flush()
        clock.advance(100.0)
        settings = GateSettings(audit_share=0.0, **COOLING)
        watch = Watch(settings, theirs, clock=clock)
        watch.add(INVOICES)
        other = gate(theirs, clock, **COOLING)
        asked = Event()
        watch.on_wake(lambda _: asked.set())
        tells = {"asker": one, "another asker": other}
        if first in tells:
            tells[first].judge([file("c.pdf")])
            assert folded(ours) == folded(theirs) == Counter([held.id])
        watch.start()
        assert watch.push(file("d.pdf"))
        assert asked.wait(60.0) and watch.stop(60.0)
        assert folded(theirs) == Counter([held.id])
        clock.advance(100.0)
        one.judge([file("e.pdf")])
        clock.advance(100.0)
        other.judge([file("f.pdf")])
        assert folded(theirs)[held.id] == 1
        assert set(folded(theirs).values()) == {1}


@pytest.mark.parametrize("second", ["asker", "watch"])
def test_what_another_is_telling_of_is_not_told_of_again(
    tmp_path: Path, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prefrontal.decisions.log.TELLING_S", 600.0)  # however slow the machine
    path, clock = tmp_path / "log.sqlite", ManualClock(1_700_000_000.0)
    stores, at_the_door = Event(), Event()

    class Ours(DecisionLog):
        def flush(self) -> None:
            stores.set()
            at_the_door.wait(20.0)
            super().flush()

    class Theirs(DecisionLog):
        def telling(self) -> AbstractContextManager[None]:
            at_the_door.set()
            return super().telling()

    with DecisionLog(path) as log:
        before = gate(log, clock, **COOLING)
        assert decided(before, "a.pdf").acted
        held = decided(before, "b.pdf")
        log.flush()
        clock.advance(100.0)
        with Ours(path) as ours, Theirs(path) as theirs, ThreadPoolExecutor(1) as pool:
            one, other = gate(ours, clock, **COOLING), gate(theirs, clock, **COOLING)
            watch = Watch(GateSettings(audit_share=0.0, **COOLING), theirs, clock=clock)
            watch.add(INVOICES)
            first = pool.submit(one.judge, [file("c.pdf")])
            assert stores.wait(60.0)
            if second == "asker":
                other.judge([file("d.pdf")])
            else:
                watch.start()
                assert watch.push(file("d.pdf")) and watch.stop(60.0)
            first.result(60.0)
        assert folded(log)[held.id] == 1


def test_what_is_wrong_is_named() -> None:
    with DecisionLog() as log:
        one = gate(log)
        with pytest.raises(InputError, match="module must be one of invoices, got 'taxes'"):
            one.judge([file("x")], "taxes")
        with pytest.raises(InputError, match="label must be a number from 0 to 1, got 2"):
            one.label(decided(one, "bill.pdf").id, 2)
        with pytest.raises(InputError, match="modules must hold one at least, got none"):
            Asker(log, [], GateSettings()).judge([file("x")])
        with pytest.raises(InputError, match="module_id must be given once, got 'invoices'"):
            Asker(log, [INVOICES, INVOICES], GateSettings())
