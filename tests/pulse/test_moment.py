"""All decisions about one event share one moment, and who is behind it moves their scores."""

from __future__ import annotations

import logging
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import from_plain, to_plain
from prefrontal.decisions.payloads import Moment, WakePayload
from prefrontal.decisions.threshold_wishes import wish_threshold
from prefrontal.pulse.moment import reasons, shifted
from prefrontal.pulse.recent_refusals import MOST
from prefrontal.settings import PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent, Standing

from .registries import PATIENCE_S, file, raw

SCORES = st.floats(0.0, 1.0, exclude_min=True, exclude_max=True)


class RunningClock(ManualClock):
    """Goes on with every look."""

    def now(self) -> float:
        self.advance(0.001)
        return super().now()

    def monotonic(self) -> float:
        self.advance(0.001)
        return super().monotonic()


class Known:
    """The role Standings: what the test says of every event."""

    def __init__(self, standing: Standing | None) -> None:
        self._standing = standing

    def standing(self, event: SignalEvent) -> Standing | None:
        return self._standing


class Broken:
    def standing(self, event: SignalEvent) -> Standing | None:
        raise RuntimeError("no ledger")


def kept(
    events: list[SignalEvent], modules: list[dict[str, Any]] | None = None, **options: Any
) -> list[Decision]:
    """What the log holds, refusals too, after these events; the earliest first."""
    defaults: dict[str, Any] = {"audit_share": 0.0, "log_refusals": True, "clock": ManualClock()}
    with DecisionLog() as log:
        registry = PulseRegistry(log=log, **defaults | options)
        for module in MODULES if modules is None else modules:
            registry.register_module(module["module_id"], module)
        with registry._worker.paused():  # all events are one batch
            registry.start()
            assert all(registry.push(each) for each in events)
        assert registry.stop(PATIENCE_S)
        return sorted(
            log.records(), key=lambda each: (to_plain(each.payload)["event"], each.subject)
        )


MODULES = [raw("homework"), raw("never", threshold=1.0)]


def ann(shift: float, trust: int = -4, wakes_per_hour: float | None = None) -> Known:
    return Known(Standing("ann", trust, shift, wakes_per_hour))


def test_all_decisions_about_an_event_are_of_one_moment() -> None:
    records = kept([file("a.pdf"), file("b.txt"), file("c.pdf")], clock=RunningClock())
    moments = [(each.time, to_plain(each.payload)["monotonic"]) for each in records]
    assert moments[0] == moments[1] < moments[2] == moments[3] < moments[4] == moments[5]
    assert [to_plain(each.payload)["event"] for each in records] == [1, 1, 2, 2, 3, 3]
    assert [to_plain(each.payload)["slept"] for each in records] == [0, 0, 1, 1, 3, 3]
    assert [each.acted for each in records] == [True, False, False, False, True, False]


def test_a_start_bears_one_name_and_another_start_another() -> None:
    first, second = (kept([file("a.pdf"), file("b.pdf")]) for _ in range(2))
    [name] = {to_plain(each.payload)["run"] for each in first}
    [other] = {to_plain(each.payload)["run"] for each in second}
    assert len(name) == len(other) == 8
    assert name != other
    int(name + other, 16)


def test_a_decision_says_which_label_was_the_last_it_knew() -> None:
    with DecisionLog() as log:
        registry = PulseRegistry(log=log, audit_share=0.0, clock=ManualClock())
        registry.register_module("homework", raw())
        for number in range(3):
            registry.start()
            assert registry.push(file(f"{number}.pdf"))
            assert registry.stop(PATIENCE_S)
            registry.record_feedback(log.recent(1)[0].id, 1.0)
        assert [to_plain(each.payload)["labels"] for each in log.records()] == [0, 1, 2]


def test_a_refusal_that_is_remembered_and_one_that_is_logged_say_the_same() -> None:
    with DecisionLog() as log:
        registry = PulseRegistry(
            log=log, audit_share=0.0, log_refusals=True, clock=ManualClock(), standings=ann(-0.5)
        )
        registry.register_module("homework", raw())
        registry.start()
        assert registry.push(file("a.txt"))
        assert registry.stop(PATIENCE_S)
        log.flush()
        [remembered] = registry.refusals()
        assert remembered == log.get(remembered.id) == registry.explain(remembered.id)
        assert to_plain(remembered.payload)["peer"] == "ann"


def test_every_refusal_is_logged_however_many_one_batch_brings() -> None:
    modules = [raw(f"m{number}") for number in range(8)]
    count = MOST // len(modules) + 100  # together more than the memory of refusals holds
    assert len(kept([file(f"{n}.txt") for n in range(count)], modules)) == 8 * count


@given(score=SCORES, shift=st.floats(-30, 30))
def test_a_shift_is_added_to_the_log_odds(score: float, shift: float) -> None:
    after = shifted(score, shift)
    assert 0.0 <= after <= 1.0
    if 1e-6 < score < 1 - 1e-6 and abs(shift) < 10:
        odds = math.log(after / (1 - after))
        assert odds == pytest.approx(math.log(score / (1 - score)) + shift, abs=1e-6)


@given(score=SCORES, first=st.floats(-50, 50), second=st.floats(-50, 50))
def test_more_trust_never_lowers_a_score(score: float, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert shifted(score, low) <= shifted(score, high)


@pytest.mark.parametrize("shift", [-1e308, -3.0, 0.0, 3.0, 1e308, math.inf, -math.inf])
def test_what_is_certain_or_no_number_stays_so(shift: float) -> None:
    assert shifted(0.0, shift) == 0.0
    assert shifted(1.0, shift) == 1.0
    assert math.isnan(shifted(math.nan, shift))
    assert 0.0 <= shifted(0.5, shift) <= 1.0


@given(score=SCORES)
def test_a_shift_of_nothing_changes_no_bit(score: float) -> None:
    assert shifted(score, 0.0) == score == shifted(score, -0.0)


def test_without_a_shift_the_bits_stay() -> None:
    plain = kept([file("a.pdf"), file("b.txt")])
    for standings in (Known(None), ann(0.0), Broken()):
        told = kept([file("a.pdf"), file("b.txt")], standings=standings)
        assert [(each.score, each.why, each.reason) for each in told] == [
            (each.score, each.why, each.reason) for each in plain
        ]


def test_little_trust_lets_the_agent_sleep_and_says_why() -> None:
    [plain, _] = kept([file("a.pdf")])
    [record, _] = kept([file("a.pdf")], standings=ann(-2.0))
    assert (plain.acted, record.acted) == (True, False)
    assert record.score == shifted(plain.score, -2.0)
    assert ("trust in ann -4", -2.0) in record.why
    assert [abs(amount) for _, amount in record.why] == sorted(
        (abs(amount) for _, amount in record.why), reverse=True
    )
    assert {name: to_plain(record.payload)[name] for name in ("peer", "trust", "shift")} == {
        "peer": "ann",
        "trust": -4,
        "shift": -2.0,
    }
    assert "budget" not in to_plain(record.payload)


def test_a_small_shift_is_named_among_many_stronger_reasons() -> None:
    moment = Moment(1, 0.0, 0.0, 0, 0, Standing("ann", 3, 0.01))
    pushed = [(f"token={number}", 9.0 - number / 10) for number in range(30)]
    why = reasons(moment, pushed, 12)
    assert why == (*pushed[:11], ("trust in ann +3", 0.01))


def test_a_standing_that_cannot_be_told_loses_no_event(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "prefrontal.pulse"):
        [record, _] = kept([file("a.pdf")], standings=Broken())
    assert record.acted
    assert "no ledger" in caplog.text


def test_a_peer_has_a_budget_of_its_own_over_all_modules() -> None:
    modules = kept([file(f"{n}.pdf") for n in range(4)], standings=ann(0.0, 2, 1.0),
                   policy=PolicySettings(burst=3))  # fmt: skip
    reasons = [each.reason for each in modules if each.subject == "homework"]
    assert reasons == [Reason.WOKE] * 3 + [Reason.PEER_BUDGET]
    assert {to_plain(each.payload)["budget"] for each in modules} == {1.0}


@given(
    event=st.integers(1, 2**40),
    times=st.tuples(st.floats(0, 2e9), st.floats(0, 1e7)),
    counts=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    standing=st.none()
    | st.builds(Standing, st.text(min_size=1), st.integers(-10, 10), st.floats(-9, 9),
                st.none() | st.floats(0, 100)),
)  # fmt: skip
def test_a_row_gives_the_moment_back(
    event: int, times: tuple[float, float], counts: tuple[int, int], standing: Standing | None
) -> None:
    moment = Moment(event, *times, *counts, standing)
    wake = WakePayload("run", moment, gathered=(moment, moment))
    assert from_plain("wake", to_plain(wake), moment.time) == wake


def test_a_group_tells_of_each_window_it_gathered() -> None:
    clock = RunningClock()
    with DecisionLog() as log:
        registry = PulseRegistry(
            log=log, audit_share=0.0, clock=clock, policy=PolicySettings(group_s=60.0)
        )
        registry.register_module("homework", raw())
        registry.start()
        assert all(registry.push(file(f"{number}.pdf")) for number in range(3))
        assert registry.stop(PATIENCE_S)
        *held, record = sorted(log.records(), key=lambda each: each.acted)
        assert [each.reason for each in held] == [Reason.GROUPED] * 3
    assert isinstance(record.payload, WakePayload)
    folded = record.payload.folded
    assert [each.id for each in folded] == [each.id for each in held]
    assert record.window == held[0].window  # of equals, the oldest
    assert record.time > folded[2].time > folded[0].time
    assert record.payload.closed


def test_a_persons_threshold_stands_before_the_floor_until_it_is_taken_back() -> None:
    with DecisionLog() as log:
        registry = PulseRegistry(log=log, audit_share=0.0, log_refusals=True, clock=ManualClock())
        registry.register_module("homework", raw(threshold=0.65))
        told = []
        for number, wish in enumerate((None, 0.95, 0.1, None)):
            wish_threshold(log, "homework", wish)
            wish_threshold(log, "nobody", 0.5)
            registry.drain_training()
            registry.start()
            assert registry.push(file(f"{number}.pdf"))
            assert registry.stop(PATIENCE_S)
            log.flush()
            [record] = log.recent(1)
            told.append((record.threshold, record.acted, to_plain(record.payload).get("wished")))
    assert told == [(0.65, True, None), (0.95, False, True), (0.1, True, True), (0.65, True, None)]


def test_a_persons_threshold_is_there_from_the_registration_on() -> None:
    with DecisionLog() as log:
        wish_threshold(log, "homework", 0.25)
        registry = PulseRegistry(log=log)
        registry.register_module("homework", raw())
        assert registry.status()["thresholds"] == {"homework": 0.25}
