"""The threshold for an asked recall: rules, reference, and whether the recall is kept."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.recall import STEP, RecallPromise


class Reference:
    """Conformal inference over the last scores under integral control, in plain Python."""

    def __init__(self, recall: float, memory: int, step: float) -> None:
        self.recall, self.step, self.correction, self.threshold = recall, step, 0.0, 0.0
        self.balance, self.decided = 0.0, 0
        self.needed = 10**9 if recall == 1 else math.ceil(1 / (1 - recall) - 1e-9) - 1
        memory = memory if recall == 1 else max(memory, self.needed)
        self.scores: deque[float] = deque(maxlen=memory)

    def observe(self, score: float, relevant: bool, threshold: float) -> None:
        if not relevant or not math.isfinite(score):
            return
        if len(self.scores) >= self.needed:
            most = 1 - self.recall
            memory = self.scores.maxlen or 0
            self.decided = min(self.decided + 1, memory)
            surplus = 0.2 * most * self.decided
            self.balance = self.balance + most - (score < threshold)
            self.balance = min(surplus, max(-most * memory, self.balance))
            gain = self.step * math.sqrt(most) * memory / max(self.needed, self.decided)
            self.correction = min(most, max(-most, gain * self.balance))
        self.scores.append(score)
        share = min(1.0, max(0.0, 1 - self.recall + self.correction))
        rank = min(len(self.scores), math.floor((len(self.scores) + 1) * share + 1e-9))
        self.threshold = sorted(self.scores)[rank - 1] if rank else 0.0


observations = st.lists(
    st.tuples(
        st.floats(0, 1) | st.sampled_from([0.25, 0.5, math.nan, math.inf]),
        st.booleans(),
        st.none() | st.floats(0, 1),
    ),
    max_size=120,
)


@given(
    st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 1.0]) | st.floats(0.01, 1),
    st.integers(1, 60),
    st.sampled_from([0.0, 0.01, 0.3]),
    observations,
)
@settings(deadline=None, max_examples=200)
def test_the_threshold_is_that_of_the_reference_after_every_window(
    recall: float, memory: int, step: float, seen: list[tuple[float, bool, float | None]]
) -> None:
    promise = RecallPromise(recall, memory=memory, step=step)
    reference = Reference(recall, memory, step)
    highest = 0.0
    for score, relevant, threshold in seen:
        reference.observe(score, relevant, promise.threshold if threshold is None else threshold)
        promise.observe(score, relevant, threshold)
        if relevant and math.isfinite(score):
            highest = max(highest, score)
        assert promise.threshold == reference.threshold
        assert promise.positives == len(reference.scores)
        assert promise.can_promise == (promise.positives >= reference.needed)
        assert 0 <= promise.threshold <= highest
        low, high = promise.interval()
        assert 0 <= low <= high <= 1


def test_without_correction_the_threshold_is_the_conformal_quantile_of_numpy() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    for recall in (0.75, 0.9, 0.95):
        promise = RecallPromise(recall, memory=10_000, step=0)
        scores = rng.random(400)
        for count, score in enumerate(scores, start=1):
            promise.observe(float(score), True)
            rank = math.floor((count + 1) * (1 - recall) + 1e-9)
            if rank > 0:
                share = (rank - 0.5) / count  # between two steps, so that rounding picks neither
                quantile = np.quantile(scores[:count], share, method="inverted_cdf")
                assert promise.threshold == quantile


@pytest.mark.parametrize(
    ("recall", "needed"),
    [(0.5, 1), (0.75, 3), (0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99), (0.1, 1)],
)
def test_everything_wakes_until_enough_relevant_windows_are_known(
    recall: float, needed: int
) -> None:
    promise = RecallPromise(recall)
    assert promise.needed == needed
    for _ in range(needed):
        assert promise.threshold == 0.0
        assert not promise.can_promise
        assert promise.sentence().startswith(f"No promise yet: recall {recall:g} needs {needed} ")
        promise.observe(0.3, relevant=False)
        promise.observe(0.7, relevant=True)
    assert promise.can_promise
    assert promise.threshold == 0.7


def test_windows_that_did_not_matter_change_nothing() -> None:
    promise, without = RecallPromise(0.9), RecallPromise(0.9)
    rng = random.Random(1)
    for _ in range(300):
        score = rng.random()
        promise.observe(rng.random(), relevant=False)
        promise.observe(score, relevant=True)
        without.observe(score, relevant=True)
        assert promise.threshold == without.threshold
        assert promise.interval() == without.interval()


def test_a_recall_of_one_always_wakes() -> None:
    promise = RecallPromise(1.0)
    for _ in range(1_000):
        promise.observe(0.9, relevant=True)
    assert promise.threshold == 0.0
    assert promise.needed is None
    assert not promise.can_promise
    assert promise.interval() == (1.0, 1.0)
    assert promise.sentence() == "Nothing may be missed at recall 1, so every window wakes."


def test_a_recall_close_to_one_remembers_as_much_as_it_needs() -> None:
    promise = RecallPromise(0.999)
    for number in range(2_000):
        promise.observe(0.5 + number % 100 / 1_000, relevant=True)
    assert promise.needed == promise.positives == 999
    assert promise.can_promise
    assert promise.threshold >= 0.5


def got_recall(promise: RecallPromise, scores: Iterable[float], late: int = 0) -> float:
    """Share caught of relevant windows; each label comes `late` relevant windows later."""
    waiting: deque[tuple[float, float]] = deque()
    decided = caught = 0
    for score in scores:
        threshold = promise.threshold
        if threshold > 0:
            decided += 1
            caught += score >= threshold
        waiting.append((score, threshold))
        if len(waiting) > late:
            promise.observe(waiting[0][0], True, waiting.popleft()[1])
    return caught / decided


def scores(seed: int, count: int, drift: float = 0.0, at: float = 0.5) -> Iterator[float]:
    """Scores of relevant windows; from the share `at` on they fall by `drift` in log-odds."""
    rng = random.Random(seed)
    for number in range(count):
        logit = rng.gauss(0.5, 1.5) - drift * (number >= at * count)
        yield 1 / (1 + math.exp(-logit))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("recall", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_asked_recall_is_kept_when_what_comes_is_like_what_was(
    recall: float, seed: int
) -> None:
    assert got_recall(RecallPromise(recall), scores(seed, 6_000)) == pytest.approx(recall, abs=0.02)


@pytest.mark.parametrize("drift", [-1.5, 1.5, 4.0])
@pytest.mark.parametrize("recall", [0.8, 0.9, 0.95])
def test_the_asked_recall_is_kept_when_the_scores_drift(recall: float, drift: float) -> None:
    got = [got_recall(RecallPromise(recall), scores(seed, 6_000, drift)) for seed in range(3)]
    assert got == pytest.approx([recall] * 3, abs=0.02)


def test_scores_that_sink_all_the_time_are_followed_better_with_the_correction() -> None:
    def sinking(seed: int) -> Iterator[float]:
        rng = random.Random(seed)
        return (1 / (1 + math.exp(-rng.gauss(3 - number / 400, 1))) for number in range(4_000))

    corrected = got_recall(RecallPromise(0.9), sinking(0))
    plain = got_recall(RecallPromise(0.9, step=0), sinking(0))
    assert corrected == pytest.approx(0.9, abs=0.02)
    assert plain < corrected - 0.01


def short_recalls(step: float, drift: float) -> list[float]:
    """The recall of forty histories of sixty relevant windows each, after fifteen to warm up."""
    got = []
    for seed in range(40):
        promise = RecallPromise(0.9, step=step)
        caught = []
        for score in scores(seed, 75, drift, at=0.4):
            caught.append(score >= promise.threshold)
            promise.observe(score, True)
        got.append(sum(caught[15:]) / 60)
    return got


@pytest.mark.parametrize("drift", [0.0, 1.0, 3.0])
def test_a_short_history_keeps_its_recall_too(drift: float) -> None:
    got = short_recalls(STEP, drift)
    assert min(got) >= 0.86
    assert sum(each >= 0.88 for each in got) >= 38
    assert sum(got) / len(got) <= 0.95
    plain = short_recalls(0.01, drift)
    assert sum(each >= 0.88 for each in plain) < 38


def test_what_was_caught_beyond_the_target_is_not_spent_at_once() -> None:
    promise = RecallPromise(0.9)
    for number in range(400):
        promise.observe(0.5 + number / 1_000, True)  # each one better than all before: all caught
    missed = 0
    for _ in range(100):
        missed += promise.threshold > 0.1
        promise.observe(0.1, True)
    assert missed <= 0.2 * 0.1 * 200 + 0.1 * 100


def test_it_says_that_misses_are_made_up_for() -> None:
    promise = RecallPromise(0.9)
    for _ in range(20):
        promise.observe(0.8, True)
    for _ in range(4):
        promise.observe(0.2, True, threshold=0.8)
    assert promise.threshold == 0.0
    assert promise.sentence() == (
        "Of the last 15 relevant windows 11 were caught, too few for the recall 0.9 that was asked,"
        " so every window wakes until that is made up for."
    )


def test_labels_that_come_late_still_keep_the_recall() -> None:
    for seed in range(3):
        got = got_recall(RecallPromise(0.9), scores(seed, 6_000, drift=1.0), late=40)
        assert got == pytest.approx(0.9, abs=0.02)


def test_a_late_label_is_judged_by_the_threshold_of_its_decision() -> None:
    judged, misjudged = RecallPromise(0.5, step=0.1), RecallPromise(0.5, step=0.1)
    for number in range(40):
        score = 0.1 + number / 100
        judged.observe(score, True, threshold=0.0)  # woke then, whatever the threshold is now
        misjudged.observe(score, True, threshold=1.0)
    assert judged.interval()[0] > 0.9
    assert judged.threshold > 0.4
    assert misjudged.interval() == (1.0, 1.0)  # all were missed, so now everything wakes
    assert misjudged.threshold == 0.0


@pytest.mark.parametrize("recall", [0.0, -0.5, 1.001, 2, math.nan, math.inf, 10**400])
def test_a_recall_outside_its_range_is_refused(recall: float) -> None:
    with pytest.raises(ValueError, match=r"^recall must be above 0 and at most 1, got "):
        RecallPromise(recall)


@pytest.mark.parametrize("recall", ["0.9", None, True, [0.9]])
def test_a_recall_that_is_no_number_is_refused(recall: Any) -> None:
    with pytest.raises(TypeError, match=r"^recall must be a number, got "):
        RecallPromise(recall)


@pytest.mark.parametrize("memory", [0, -1, 1.5, True, None, "9"])
def test_a_memory_below_one_window_is_refused(memory: Any) -> None:
    with pytest.raises(ValueError, match=r"^memory must be a whole number from 1 up, got "):
        RecallPromise(0.9, memory=memory)


@pytest.mark.parametrize("step", [-0.1, 1, math.nan, "0", None])
def test_a_step_outside_its_range_is_refused(step: Any) -> None:
    with pytest.raises(ValueError, match=r"^step must be from 0 to below 1, got "):
        RecallPromise(0.9, step=step)
