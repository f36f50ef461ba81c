"""The rows of the table against figures worked out by hand."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import pytest

from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.delays import delays
from prefrontal.replay.heartbeats import DAY_S
from prefrontal.replay.prices import USUAL_PRICES
from prefrontal.replay.result import PolicyResult, ReplayResult
from prefrontal.testing import ScriptedGate, ScriptedRule
from prefrontal.types import SignalEvent

from .streams import HOUR, START, window

DAYS = 2.0


def woken(events: Sequence[SignalEvent]) -> bool:
    return events[0].location.startswith("wake")


def by_rule(events: Sequence[SignalEvent]) -> bool:
    return "rule" in events[0].location


def replayed(
    windows: Sequence[tuple[str, bool, float]], recall: float = 0.9, seed: int = 0
) -> ReplayResult:
    """(path, relevant, hours after the start) for each window; nothing is warm-up."""
    gate = ScriptedGate(lambda w: float(woken(w)), rule=ScriptedRule(by_rule, "the rule"))
    made = [
        window(number, path, relevant=relevant, at=START + hours * HOUR)
        for number, (path, relevant, hours) in enumerate(windows)
    ]
    asked = Question("history", "recorded", 0, recall=recall, tokens_per_wake=1_000, seed=seed)
    return backtest(made, gate, asked)


TEN = [
    ("wake rule", True, 0.0),
    ("wake", True, 0.1),  # in the same half hour as the first
    ("sleep", False, 6.0),
    ("wake", False, 12.0),
    ("sleep rule", True, 18.0),
    ("wake rule", False, 24.0),
    ("wake", True, 30.0),
    ("sleep", False, 36.0),
    ("sleep rule", False, 42.0),
    ("sleep", False, 48.0),
]


def row(result: ReplayResult, name: str) -> PolicyResult:
    found = result.policy(name)
    assert found is not None
    return found


def test_the_rows_are_in_their_order() -> None:
    names = [each.name for each in replayed(TEN).policies]
    assert names == [*("heartbeat", "cheap_heartbeat", "on_change", "rule", "random", "prefrontal")]


def test_a_heartbeat_wakes_48_times_a_day_and_sees_everything() -> None:
    heartbeat = row(replayed(TEN), "heartbeat")
    assert (heartbeat.recall, heartbeat.share_woken, heartbeat.wakes_per_day) == (1.0, 1.0, 48.0)
    useful = 3  # half hours in which something relevant happened
    assert heartbeat.precision == useful / 96
    assert heartbeat.tokens_per_useful_wake == 96 * 1_000 / useful


def test_a_heartbeat_comes_a_median_wait_after_what_mattered_and_the_others_at_once() -> None:
    # Relevant at 0, 6, 1080 and 1800 minutes after a full half hour: they wait 30, 24, 30, 30.
    result = replayed(TEN)
    assert row(result, "heartbeat").delay_minutes == 30.0
    late = [(path, relevant, hours + 0.3) for path, relevant, hours in TEN]
    assert row(replayed(late), "heartbeat").delay_minutes == pytest.approx(12.0)
    for name in ("on_change", "rule", "random", "prefrontal"):
        assert row(result, name).delay_minutes == 0.0
        assert row(result, name).delay_p90_minutes == 0.0
    asleep = replayed([("sleep", relevant, hours) for _, relevant, hours in TEN])
    assert row(asleep, "prefrontal").delay_minutes is None
    assert row(asleep, "prefrontal").delay_p90_minutes is None


def test_nine_of_ten_wait_no_longer_than_the_90th_percentile() -> None:
    # Relevant at 0, 3, 6, ... 27 minutes after a full half hour: they wait 30, 27, ... 3.
    tenths = [("wake", True, number * 0.05) for number in range(10)]
    heartbeat = row(replayed(tenths), "heartbeat")
    assert heartbeat.delay_minutes == pytest.approx(16.5)
    assert heartbeat.delay_p90_minutes == pytest.approx(27.3)
    assert delays([4.0]) == (4.0, 4.0)
    assert delays([]) == (None, None)


def at(*hours: float) -> ReplayResult:
    """What mattered at these hours of a day, UTC; the first day begins at midnight."""
    midnight = (START - START % DAY_S - START) / HOUR
    return replayed([("wake", True, midnight + each) for each in hours])


def test_the_cheap_heartbeat_beats_18_times_in_the_16_hours_that_hold_most_windows() -> None:
    # At 08:10, 12:00 and 23:50: beats at 08:00, 08:55, ..., 11:40, 12:35, ..., 23:35.
    result = at(8 + 1 / 6, 12.0, 23 + 5 / 6, 36.0)
    cheap = row(result, "cheap_heartbeat")
    assert cheap.detail.startswith("every 55 minutes, 08:00 to 24:00 UTC, ")
    assert (cheap.recall, cheap.wakes_per_day, cheap.share_woken) == (1.0, 18.0, 1.0)
    waits = [45.0, 35.0, 8 * 60 + 10.0, 35.0]
    assert cheap.delay_minutes == pytest.approx(statistics.median(waits))
    assert cheap.delay_p90_minutes == pytest.approx(delays(waits)[1])
    assert cheap.precision == pytest.approx(4 / (result.days * 18))
    # Nights alone, so it is active at night: from 17:00 on, the first such hour after 08:00.
    nights = row(at(1.0, 8.5, 24.5, 32.99), "cheap_heartbeat")
    assert nights.detail.startswith("every 55 minutes, 17:00 to 09:00 UTC, ")


def test_the_cheap_heartbeat_costs_what_a_small_model_takes() -> None:
    result = replayed(TEN)
    assert row(result, "cheap_heartbeat").usd_per_wake == pytest.approx(
        USUAL_PRICES.usd_per_wake / 3
    )
    others = [each for each in result.policies if each.name != "cheap_heartbeat"]
    assert {each.usd_per_wake for each in others} == {None}


def test_on_change_wakes_for_every_window() -> None:
    assert row(replayed(TEN), "on_change") == PolicyResult(
        "on_change", 1.0, 10 / DAYS, 1.0, 4 / 10, 10 * 1_000 / 4, "every window wakes", 0.0, 0.0
    )


def test_the_rule_wakes_where_it_matches() -> None:
    assert row(replayed(TEN), "rule") == PolicyResult(
        "rule", 2 / 4, 4 / DAYS, 4 / 10, 2 / 4, 4 * 1_000 / 2, "the rule", 0.0, 0.0
    )


def test_prefrontal_wakes_where_the_score_reaches_the_threshold() -> None:
    result = replayed(TEN)
    prefrontal = row(result, "prefrontal")
    assert (prefrontal.recall, prefrontal.wakes_per_day) == (3 / 4, 5 / DAYS)
    assert (prefrontal.share_woken, prefrontal.precision) == (5 / 10, 3 / 5)
    assert prefrontal.tokens_per_useful_wake == pytest.approx(5 * 1_000 / 3)
    same = ("wakes_per_day", "share_woken", "precision", "tokens_per_useful_wake")
    assert [getattr(result, each) for each in same] == [getattr(prefrontal, each) for each in same]
    assert result.got_recall == prefrontal.recall


@pytest.mark.exhaustive
@pytest.mark.parametrize("recall", [0.05, 0.5, 0.9, 1.0])
def test_chance_wakes_for_the_asked_share(recall: float) -> None:
    many = [("sleep", number % 4 == 0, number / 10) for number in range(8_000)]
    chance = row(replayed(many, recall), "random")
    assert chance.share_woken == pytest.approx(recall, abs=0.02)
    assert chance.recall == pytest.approx(recall, abs=0.04)
    assert chance.precision == pytest.approx(1 / 4, abs=0.05)
    assert chance == row(replayed(many, recall), "random")
    if recall < 1:
        assert chance != row(replayed(many, recall, seed=1), "random")


def test_without_relevant_windows_no_policy_has_a_recall_or_a_useful_wake() -> None:
    for each in replayed([(path, False, hours) for path, _, hours in TEN]).policies:
        assert each.recall is None
        assert each.precision in (0.0, None)
        assert each.tokens_per_useful_wake is None
        assert each.delay_minutes is None


def test_a_policy_that_never_wakes_has_no_precision() -> None:
    result = replayed([("sleep", True, hours) for _, _, hours in TEN])
    for name in ("rule", "prefrontal"):
        never = row(result, name)
        assert (never.recall, never.share_woken, never.precision) == (0.0, 0.0, None)
        assert never.tokens_per_useful_wake is None


def test_without_windows_there_is_nothing_to_wake_for() -> None:
    for each in replayed([]).policies:
        assert (each.recall, each.share_woken) == (None, 0.0)
        beats = {"heartbeat": 48.0, "cheap_heartbeat": 18.0}
        assert each.wakes_per_day == beats.get(each.name, 0.0)


def test_windows_of_one_moment_count_as_an_hour() -> None:
    result = replayed([(path, relevant, 0.0) for path, relevant, _ in TEN])
    assert result.days == 1 / 24
    assert row(result, "on_change").wakes_per_day == pytest.approx(240)
    heartbeat = row(result, "heartbeat")
    assert heartbeat.precision == 1 / 2
