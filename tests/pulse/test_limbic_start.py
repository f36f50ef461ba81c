"""What a fresh module thinks, from its fingerprint alone."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.compat.prefrontal import PrefrontalLayer
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, EVENINGS, FILES, MONDAY_EVENING, file, fingerprint, tick

GATE = 0.65
DAY = 86_400


def fresh(seed: int = 0, threshold: float = 0.65, **priors: Any) -> LimbicLayer:
    limbic = LimbicLayer(seed=seed, utc=True)
    limbic.register("m", fingerprint(threshold, **priors))
    return limbic


def random_files(seed: int) -> dict[str, Any]:
    """Folders and kinds of files that somebody might declare."""
    rng = random.Random(seed)
    kinds = [".pdf", ".tmp", ".log", ".txt", ".py", ".go", ".json", ".ts", ".msg", ".PNG", ".Md"]
    rng.shuffle(kinds)
    folders = [f"/srv/{rng.choice('abc')}/{n}" for n in range(rng.randint(1, 3))]
    return {
        "watch_directories": folders,
        "relevant_extensions": kinds[: rng.randint(1, 4)],
        "irrelevant_extensions": kinds[4 : 4 + rng.randint(0, 4)],
    }


@pytest.mark.parametrize("told", [True, False], ids=["extension told", "from the name"])
def test_a_fresh_module_wakes_for_what_it_declared_and_for_nothing_else(told: bool) -> None:
    for seed in range(400):
        limbic = fresh(seed, filesystem=FILES)

        def score(name: str, limbic: LimbicLayer = limbic) -> float:
            features: dict[str, Any] = {"extension": name[-4:]} if told else {}
            return limbic.score("m", [file(f"{DOWNLOADS}/{name}", **features)])

        assert score("hw3.pdf") > GATE > 0.4 > score("hw3.txt") > score("hw3.tmp")
        assert score("hw3.tmp") < 0.1


@pytest.mark.parametrize("seed", range(40))
def test_any_fingerprint_separates_what_it_calls_relevant(seed: int) -> None:
    priors = random_files(seed)
    limbic = fresh(seed, filesystem=priors)
    folders = priors["watch_directories"]

    def scores(kinds: list[str]) -> list[float]:
        places = [f"{folder}/deep/in/x{kind}" for folder in folders for kind in kinds]
        return [limbic.score("m", [file(place)]) for place in places]

    relevant = scores(priors["relevant_extensions"])
    others = scores([*priors["irrelevant_extensions"], ".unheard", ""])
    assert min(relevant) > GATE > max(others)


def test_a_file_outside_the_watched_folders_scores_below_one_inside() -> None:
    limbic = fresh(filesystem=FILES)
    inside, outside = (limbic.score("m", [file(f"{at}/hw3.pdf")]) for at in (DOWNLOADS, "/srv"))
    assert inside > outside + 0.1


def test_a_module_that_declared_hours_waits_for_them() -> None:
    limbic = fresh(filesystem=FILES, time=EVENINGS)

    def score(days: int, hours: int) -> float:
        at = MONDAY_EVENING + days * DAY + hours * 3600
        return limbic.score("m", [file(time=at)])

    evenings = [score(days, hours) for days in range(5) for hours in range(-1, 4)]
    assert min(evenings) == max(evenings) > GATE
    assert max(score(days, hours) for days in range(5) for hours in (-2, 4)) < 0.5
    assert max(score(days, hours) for days in (5, 6) for hours in (-1, 0, 3)) < 0.5


@pytest.mark.parametrize("priors", [{}, {"filesystem": FILES}, {"time": EVENINGS}])
def test_the_threshold_moves_the_gate_and_never_the_score(priors: dict[str, Any]) -> None:
    windows = ([file()], [tick()], [file(f"{DOWNLOADS}/a.tmp")])
    scores = [
        [fresh(threshold=threshold, **priors).score("m", window) for window in windows]
        for threshold in (0.0, 0.3, 0.65, 0.95, 1.0)
    ]
    assert all(each == scores[0] for each in scores)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 0, 1])
def test_the_ends_of_the_threshold_register_and_score(threshold: float) -> None:
    score = fresh(threshold=threshold, filesystem=FILES).score("m", [file()])
    assert GATE < score < 1


@pytest.mark.parametrize("magnitude", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("source", ["filesystem", "memory", "time", "network"])
def test_a_magnitude_that_is_no_number_never_makes_a_score_that_is_none(
    source: str, magnitude: float
) -> None:
    limbic = fresh(filesystem=FILES)
    window = [SignalEvent(source, f"{DOWNLOADS}/hw3.pdf", "created", magnitude, math.nan)]
    for label in (1.0, 0.0, 0.5):
        limbic.update_weights("m", window, label)
    score = limbic.score("m", window)
    assert 0 < score < 1
    decision = PrefrontalLayer(GATE).evaluate("m", score, window, fingerprint())
    assert not math.isnan(decision.confidence)


def test_ticks_alone_never_wake_a_fresh_module_that_waits_for_files() -> None:
    week = [(day * 24 + hour) * 3600.0 for day in range(7) for hour in range(24)]
    for priors in ({"filesystem": FILES}, {"filesystem": FILES, "time": EVENINGS}, {}):
        limbic = fresh(**priors)
        scores = [
            limbic.score("m", [tick(MONDAY_EVENING + at, minutes)])
            for at in week
            for minutes in (0, 1, 59, 60, 1_440, 10_000)
        ]
        assert max(scores) < 0.3


def test_a_day_of_ticks_in_one_window_does_not_wake_either() -> None:
    limbic = fresh(filesystem=FILES, time=EVENINGS)
    window = [tick(MONDAY_EVENING - DAY + 60 * minute, minute) for minute in range(1_440)]
    assert limbic.score("m", window) < 0.3


def test_a_clock_module_wakes_in_its_hours_once_half_its_interval_has_passed() -> None:
    limbic = fresh(time=EVENINGS | {"typical_interval_hours": 24})
    soon, due = (limbic.score("m", [tick(minutes=minutes)]) for minutes in (30, 1_200))
    night = limbic.score("m", [tick(MONDAY_EVENING + 7 * 3600, minutes=1_200)])
    assert soon < 0.2
    assert due > GATE > night


@pytest.mark.parametrize("minutes", [0.0, 60.0, 847.0, 10_000.0])
def test_the_hour_still_counts_after_a_long_idle_time(minutes: float) -> None:
    limbic = fresh(time=EVENINGS)
    scores = [limbic.score("m", [tick(MONDAY_EVENING + 7200 * n, minutes)]) for n in range(12)]
    odds = [math.log(score / (1 - score)) for score in scores]
    assert max(odds) - min(odds) > 2


def test_kinds_that_the_hash_confuses_are_told_apart() -> None:
    limbic = fresh(
        filesystem=FILES | {"relevant_extensions": [".txt"], "irrelevant_extensions": [".log"]}
    )
    text, log = (limbic.score("m", [file(f"{DOWNLOADS}/a{kind}")]) for kind in (".txt", ".log"))
    assert text > GATE > 0.1 > log


@pytest.mark.parametrize("told", [True, False], ids=["extension told", "from the name"])
def test_the_case_of_a_kind_does_not_matter(told: bool) -> None:
    for declared in (".pdf", ".PDF", ".Pdf"):
        limbic = fresh(filesystem=FILES | {"relevant_extensions": [declared]})
        scores = set()
        for kind in (".pdf", ".PDF", ".pDf"):
            features: dict[str, Any] = {"extension": kind} if told else {}
            scores.add(limbic.score("m", [file(f"{DOWNLOADS}/a{kind}", **features)]))
        assert len(scores) == 1
        assert scores.pop() > GATE


def test_a_kind_with_a_capital_outside_ascii_is_found_as_declared() -> None:
    limbic = fresh(filesystem=FILES | {"relevant_extensions": [".ÜB"]})
    assert limbic.score("m", [file(f"{DOWNLOADS}/a.ÜB")]) > GATE


@given(seed=st.integers(), threshold=st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_no_seed_and_no_threshold_changes_a_fresh_score(seed: int, threshold: float) -> None:
    limbic = fresh(seed, threshold, filesystem=FILES, time=EVENINGS)
    assert limbic.score("m", [file()]) == fresh(filesystem=FILES, time=EVENINGS).score(
        "m", [file()]
    )
