"""Farming: a sudden jump of size, or a record built in a hurry."""

from __future__ import annotations

import math
import statistics
from random import Random
from typing import Any

import pytest

from prefrontal._core.cortex import TriggerEngine

DAY = 86_400.0


def engine_of(**options: Any) -> TriggerEngine:
    return TriggerEngine(**({"farming": True, "period_s": None, "count": None} | options))


def farms(engine: TriggerEngine, now: float) -> bool:
    return engine.due(now) == [(1, ("farming",))]


def easy_ones(engine: TriggerEngine, count: int = 5) -> float:
    """Trivial requests over two weeks; the time of the last."""
    for n in range(count):
        engine.push(1, "in", "farm1", n * 3 * DAY, 40.0 + n)
        engine.push(1, "good", "farm1", n * 3 * DAY)
    return (count - 1) * 3 * DAY


def test_five_trivial_requests_over_two_weeks_then_a_far_larger_one_are_noticed() -> None:
    engine = engine_of()
    now = easy_ones(engine) + DAY
    assert not farms(engine, now)
    engine.push(1, "in", "farm1", now, 900.0)
    assert farms(engine, now) and engine.statistics(1, "farm1")["size_jump"]


def test_a_short_request_is_noticed_once_its_effort_is_known() -> None:
    engine = engine_of()
    now = easy_ones(engine) + DAY
    engine.push(1, "in", "farm1", now, 45.0)
    engine.push(1, "effort", "farm1", now + 5, 100.0)
    assert not farms(engine, now + 5)
    engine.push(1, "effort", "farm1", now + 9, 100.0)
    assert farms(engine, now + 9)


@pytest.mark.parametrize(
    ("easy", "size", "options"),
    [
        (4, 5000.0, {}),
        (5, 175.0, {}),
        (5, 199.0, {"farming_jump_factor": 2.0}),
        (5, 5000.0, {"farming": False}),
        (5, 5000.0, {"farming_easy_count": 6}),
    ],
)
def test_a_shorter_record_or_a_smaller_jump_is_no_sign(
    easy: int, size: float, options: dict[str, Any]
) -> None:
    engine = engine_of(**options)
    now = easy_ones(engine, easy) + DAY
    engine.push(1, "in", "farm1", now, size)
    assert engine.due(now) == []


def test_a_peer_whose_requests_were_always_large_does_not_jump() -> None:
    engine = engine_of()
    for n in range(8):
        engine.push(1, "in", "bo", n * DAY, 3000.0)
    assert engine.due(8 * DAY) == []


def test_a_jump_is_told_once_and_a_later_one_again() -> None:
    engine = engine_of()
    now = easy_ones(engine) + DAY
    engine.push(1, "in", "farm1", now, 900.0)
    engine.begin(1, now)
    engine.finish(1, now)
    engine.push(1, "effort", "farm1", now, 900.0)
    assert engine.due(now) == []
    engine.push(1, "in", "farm1", now + DAY, 1000.0)
    assert engine.due(now + DAY) == []
    engine.push(1, "in", "farm1", now + 2 * DAY, 8000.0)
    assert farms(engine, now + 2 * DAY)


def test_against_the_usual_size_a_second_jump_and_a_climb_in_steps_are_seen() -> None:
    for sizes in ((900.0, 900.0), (100.0, 170.0, 240.0)):
        seen = {}
        for jump_from in ("largest", "usual"):
            engine = engine_of(farming_jump_from=jump_from)
            now = easy_ones(engine)
            for size in sizes:
                now += DAY
                engine.push(1, "in", "farm1", now, size)
            seen[jump_from] = engine.statistics(1, "farm1")["size_jump"]
        assert seen == {"largest": False, "usual": True}


def test_a_jump_from_the_usual_size_is_four_times_its_geometric_mean() -> None:
    sizes = (3.0, 70.0, 15.0, 0.0, 31.0)
    usual = math.prod(1.0 + size for size in sizes) ** 0.2 - 1.0
    for factor, jumped in ((3.999999, False), (4.000001, True)):
        engine = engine_of(farming_jump_from="usual", farming_jump_min_size=0.0)
        for n, size in enumerate((*sizes, factor * usual)):
            engine.push(1, "in", "bo", n * DAY, size)
        told = engine.statistics(1, "bo")
        assert told["size_jump"] is jumped and told["size_usual"] == pytest.approx(usual)


def test_nothing_after_nothing_is_no_jump() -> None:
    for jump_from in ("largest", "usual"):
        engine = engine_of(farming_jump_from=jump_from, farming_jump_min_size=0.0)
        for n in range(9):
            engine.push(1, "in", "bo", n * DAY)
        assert engine.due(9 * DAY) == []


def test_a_jump_stays_noticed_over_a_failed_cycle() -> None:
    engine = engine_of()
    now = easy_ones(engine)
    engine.push(1, "in", "farm1", now, 900.0)
    engine.begin(1, now)
    engine.fail(1, now)
    assert farms(engine, now + 60.0)


def test_five_visits_faster_than_ten_a_day_are_noticed_at_the_fifth() -> None:
    engine = engine_of()
    for n in range(5):
        now = n * 2.0 * 3600
        engine.push(1, "in", "bo", now)
        assert farms(engine, now) is (n == 4)


def test_five_visits_at_exactly_ten_a_day_are_no_hurry() -> None:
    engine = engine_of()
    for n in range(9):
        engine.push(1, "in", "bo", n * DAY / 10)
    assert engine.due(DAY) == []


def test_a_bad_outcome_breaks_the_run() -> None:
    engine = engine_of()
    for n in range(8):
        engine.push(1, "in", "bo", n * 3600.0)
        if n == 3:
            engine.push(1, "bad", "bo", n * 3600.0)
    assert engine.due(8 * 3600.0) == []
    engine.push(1, "in", "bo", 8 * 3600.0)
    assert farms(engine, 8 * 3600.0)


def test_the_bad_outcome_of_the_fifth_visit_takes_the_sign_back_until_a_cycle_saw_it() -> None:
    for cycle in (False, True):
        engine = engine_of(retry_s=0.0)
        for n in range(5):
            engine.push(1, "in", "bo", n * 3600.0)
        if cycle:
            engine.begin(1, 5 * 3600.0)
        engine.push(1, "bad", "bo", 5 * 3600.0)
        if cycle:
            engine.fail(1, 5 * 3600.0)
        assert farms(engine, 5 * 3600.0) is cycle
        assert not engine.statistics(1, "bo")["tempo"]


def test_a_chat_is_one_visit_unless_the_gap_is_zero() -> None:
    for gap, noticed in ((600.0, False), (0.0, True)):
        engine = engine_of(farming_tempo_gap_s=gap)
        for n in range(40):
            engine.push(1, "in", "bo", n * 599.0)
        assert farms(engine, DAY) is noticed


def test_a_hurry_is_told_once_until_the_tempo_has_fallen() -> None:
    engine = engine_of()
    now, told = 0.0, []
    for hours in (2, 2, 2, 2, 2, 2, 60, 2, 2, 2, 2, 2):
        now += hours * 3600.0
        engine.push(1, "in", "bo", now)
        told.append(farms(engine, now))
        if told[-1]:
            engine.begin(1, now)
            engine.finish(1, now)
    assert told == [False] * 4 + [True] + [False] * 5 + [True, False]
    assert engine.statistics(1, "bo")["tempo"]


def test_four_times_a_usual_size_is_common_and_four_times_the_largest_is_not() -> None:
    """Why the jump is measured from the largest: sizes drawn as those of honest chat are."""
    random, above_usual, above_largest = Random(4), 0, 0
    for _ in range(200):
        sizes = [math.exp(random.gauss(4.6, 1.0)) for _ in range(60)]
        engine = engine_of(farming_tempo_per_day=1e9)
        for n, size in enumerate(sizes):
            engine.push(1, "in", "bo", float(n), size)
            above_largest += engine.statistics(1, "bo")["size_jump"]
            if n >= 5 and size >= 200.0:
                above_usual += size >= 4 * statistics.median(sizes[:n])
    assert above_usual > 10 * above_largest
    assert above_largest < 0.25 * 200


def test_statistics_are_those_of_the_whole_list() -> None:
    random = Random(1)
    engine = engine_of()
    times = sorted(random.uniform(0, 9 * DAY) for _ in range(300))
    sizes = [random.expovariate(0.01) for _ in times]
    for time, size in zip(times, sizes, strict=True):
        engine.push(1, "in", "bo", time, size)
        engine.push(1, "out", "bo", time)
        engine.push(1, random.choice(("good", "bad")), "bo", time)
    for kind in ("bad", "good", "good", "good"):
        engine.push(1, kind, "bo", 9 * DAY)
    told = engine.statistics(1, "bo")
    closed = sizes[:-1]
    assert told["interactions"] == told["outgoing"] == 300
    assert told["good"] + told["bad"] == 304 and told["streak"] == 3
    assert (told["first_seen"], told["last_seen"]) == (times[0], times[-1])
    assert told["size_mean"] == pytest.approx(statistics.fmean(closed), rel=1e-12)
    assert told["size_deviation"] == pytest.approx(statistics.stdev(closed), rel=1e-12)
    assert (told["size_max"], told["size_open"]) == (max(closed), sizes[-1])
    assert told["per_day"] == pytest.approx(299 / (times[-1] - times[0]) * DAY)
