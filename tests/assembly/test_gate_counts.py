"""What a gate did so far is what its log says, counted once for each signal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.assembly.gate_counts import GateCounts
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.payloads import Moment, WakePayload
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.recall import share_interval
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.replay.delays import DelaySpan, delays
from prefrontal.replay.live_figures import LiveFigures
from prefrontal.replay.prices import TOKENS_PER_WAKE, USUAL_PRICES
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent
from prefrontal.web.tallies import Tallies

from ..web.dash_samples import NOON, wake
from .wake_days import MODULES, live

HOUR = 3600.0


@pytest.fixture
def log(tmp_path: Path) -> Iterator[DecisionLog]:
    with DecisionLog(tmp_path / "log") as made:
        yield made


def figures(
    log: DecisionLog, since: float | None = None, until: float | None = None
) -> LiveFigures:
    with closing(DecisionPages(log.path)) as pages:
        return GateCounts.read(pages.gate, since, until).figures()


def waiting(event: int) -> WakePayload:
    return replace(numbered(event), waits=True)


def numbered(event: int, run: str = "run1") -> WakePayload:
    return WakePayload(run, Moment(event, NOON, 0.0, 0, 0))


@pytest.mark.exhaustive
def test_the_figures_of_live_days_are_those_of_a_plain_count(log: DecisionLog) -> None:
    live(log, 2000, starts=3)
    asked = [each for each in log.records() if each.acted]
    answered = [each for each in asked if each.label is not None]
    events: dict[str, int] = {}
    for each in log.records():
        assert isinstance(each.payload, WakePayload)
        assert each.payload.moment is not None
        run = each.payload.run
        events[run] = max(events.get(run, 0), each.payload.moment.event)
    times = [each.time for each in log.records()]
    found = figures(log)
    assert len(events) == 3
    assert (found.signals, found.wakes) == (sum(events.values()), len(asked))
    assert found.audits == sum(each.reason == "audit" for each in asked) > 0
    assert found.labelled == len(answered) > 0
    assert found.useful == sum(each.label >= 0.5 for each in answered if each.label is not None)
    assert found.useful_share == found.useful / len(answered)
    days = (max(times) - min(times)) / 86_400
    assert (found.first, found.last, found.days) == (min(times), max(times), days)
    assert found.wakes_per_day == len(asked) / days
    assert found.saved == found.signals - len(asked) > 0
    assert found.saved_heartbeat == math.floor(days * 48) - len(asked)
    assert sum(each.wakes for each in found.modules) == len(asked)
    assert found.caught is not None
    assert 0.0 <= found.caught.low <= found.caught.recall <= found.caught.high <= 1.0


def test_a_signal_about_which_two_modules_ask_counts_once_and_savings_may_be_negative(
    log: DecisionLog,
) -> None:
    for module in ("a", "b", "c"):
        log.append(wake(subject=module, payload=numbered(1)))
    found = figures(log)
    assert (found.signals, found.wakes, found.saved) == (1, 3, -2)
    plain = found.to_dict()
    assert plain["tokens_saved"] == -2 * TOKENS_PER_WAKE
    assert plain["usd_saved"] == pytest.approx(-2 * USUAL_PRICES.usd_per_wake)


def test_what_a_log_without_refusals_does_not_hold_is_known_by_its_number(log: DecisionLog) -> None:
    log.append(wake(payload=numbered(40)))
    log.append(wake(payload=numbered(100)))
    log.append(wake(payload=numbered(7, "run2")))
    assert (figures(log).signals, figures(log).saved) == (107, 104)


def test_a_question_about_what_an_earlier_start_held_back_is_no_signal(log: DecisionLog) -> None:
    log.append(wake(payload=numbered(40)))
    log.append(wake(NOON + 1, payload=numbered(0, "run2")))
    assert (figures(log).signals, figures(log).wakes) == (40, 2)


def test_signals_of_before_they_were_numbered_are_told_by_their_moments(log: DecisionLog) -> None:
    log.append_many([wake(NOON, "a"), wake(NOON, "b"), wake(NOON + 1, "a")])
    assert figures(log).signals == 2


@pytest.mark.parametrize(("hours", "known"), [(5.99, False), (6.0, True)])
def test_a_rate_needs_six_hours(log: DecisionLog, hours: float, known: bool) -> None:
    log.append_many([wake(NOON, payload=numbered(1))])
    log.append_many([wake(NOON + hours * HOUR, payload=numbered(10))])
    found = figures(log).to_dict()
    for name in ("wakes_per_day", "signals_per_day", "saved_heartbeat", "usd_saved_heartbeat"):
        assert (found[name] is not None) is known, name
    if known:
        assert (found["wakes_per_day"], found["signals_per_day"]) == (8.0, 40.0)
        assert found["saved_heartbeat"] == 12 - 2


def test_what_was_caught_is_estimated_from_audits_by_their_chance(log: DecisionLog) -> None:
    for number in range(40):
        relevant = float(number % 4 == 0)
        log.append(wake(score=0.9, label=1.0 - relevant / 2))
        log.append(wake(score=0.1, reason="audit", label=relevant))
    caught = figures(log).caught
    assert caught is not None
    low, high = share_interval(10, 40)
    told = 40 + 10  # audits that found something were told of it
    assert (caught.recall, caught.audits) == (told / (40 + 500), 40)
    assert caught.high == told / (40 + 2000 * low)
    assert caught.low == (40 * share_interval(40, 40)[0] + 10) / (
        40 * share_interval(40, 40)[0] + 2000 * high
    )


def test_an_audit_that_found_something_stands_for_no_more_than_its_chance(log: DecisionLog) -> None:
    log.append_many([wake(score=0.9, label=1.0) for _ in range(30)])
    for number in range(8):
        near = wake(score=0.4, reason="audit", label=float(number == 0))
        far = wake(score=0.1, reason="audit", label=0.0)
        log.append_many([replace(near, propensity=0.1), replace(far, propensity=0.01)])
    caught = figures(log).caught
    assert caught is not None
    assert caught.recall == pytest.approx(31 / 40)  # the one stands for ten, of which it is one
    assert caught.low < 0.3
    assert caught.high == 1.0


def test_where_every_window_is_labelled_what_was_caught_is_counted(log: DecisionLog) -> None:
    for number in range(10):
        woken = wake(score=0.9, payload=numbered(2 * number + 1))
        slept = wake(score=0.1, reason="below_threshold", payload=numbered(2 * number + 2))
        log.append_many([woken, slept])
        log.add_label(woken.id, float(number < 6), NOON, "preset")
        log.add_label(slept.id, float(number < 2), NOON, "preset")
    caught = figures(log).caught
    assert caught is not None
    assert (caught.recall, caught.audits) == (6 / 8, None)
    assert (caught.low, caught.high) == share_interval(6, 8)
    assert figures(log).modules[0].caught == caught
    assert figures(log).labelled == 10


def test_a_part_of_the_time_has_its_own_signals(log: DecisionLog) -> None:
    for hour, event in ((0, 10), (1, 25), (2, 30)):
        log.append(wake(NOON + hour * HOUR, payload=numbered(event), label=1.0))
    log.append(wake(NOON + 2 * HOUR, payload=numbered(4, "run2")))
    parts = [
        figures(log, None, NOON + HOUR),
        figures(log, NOON + HOUR, NOON + 2 * HOUR),
        figures(log, NOON + 2 * HOUR, None),
    ]
    assert [each.signals for each in parts] == [10, 15, 5 + 4]
    assert [each.wakes for each in parts] == [1, 1, 2]
    assert [each.labelled for each in parts] == [1, 1, 1]


def test_a_delay_is_from_each_window_to_the_question_that_told_of_it(log: DecisionLog) -> None:
    clock = ManualClock(NOON)
    policy = PolicySettings(cooldown_s=60.0, key_ttl_s=0.0)
    module = parse_fingerprint(MODULES[0].to_dict() | {"default_threshold": 0.0})
    one = Stepper(log, [module], GateSettings(audit_share=0.0, policy=policy), clock=clock)
    with closing(DecisionPages(log.path)) as pages:
        tallies = Tallies(pages, clock.now())
        for _ in range(4):
            one.judge([SignalEvent("git", "/src", "commit", 1.0, clock.now())], module.module_id)
            clock.advance(10.0)
        clock.advance(20.0)
        one.tick()  # the cooldown is over: one question tells of the three that waited
        waits = [0.0, 50.0, 40.0, 30.0]
        median, p90 = delays(waits)
        span = figures(log).delay_s
        assert span is not None
        assert (span.median, span.p90) == (median, p90)
        assert figures(log, until=NOON + 1.0).delay_s == DelaySpan(0.0, 0.0)
        tallies.take(pages, NOON)
        assert tallies.figures().delay_s == span


def test_what_was_held_back_and_told_later_was_caught(log: DecisionLog) -> None:
    held = [wake(score=0.9, reason="cooldown", payload=waiting(at)) for at in (2, 3)]
    slept = wake(score=0.1, reason="below_threshold", payload=numbered(4))
    with closing(DecisionPages(log.path)) as pages:
        tallies = Tallies(pages, NOON)
        log.append_many([wake(payload=numbered(1)), *held, slept])
        for each in (*held, slept):
            log.add_label(each.id, 1.0, NOON, "preset")
        tallies.take(pages, NOON)
        caught = figures(log).caught
        assert caught is not None
        assert caught.recall == 2 / 3
        assert tallies.figures() == figures(log)
        assert (tallies.today["held"], tallies.today["missed"]) == (2, 1)


def test_an_empty_log_has_no_figures_and_no_rates(log: DecisionLog) -> None:
    found = figures(log)
    assert (found.signals, found.wakes, found.days, found.saved) == (0, 0, 0.0, 0)
    assert found.delay_s is None
    assert (found.caught, found.useful_share, found.wakes_per_day) == (None, None, None)


def test_what_was_replayed_at_an_adoption_is_not_what_the_gate_did(log: DecisionLog) -> None:
    log.append(wake(reason="replayed", payload=numbered(9)))
    assert figures(log) == figures(DecisionLog(Path(log.path).with_name("other")))
