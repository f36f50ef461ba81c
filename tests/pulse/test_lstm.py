"""The LSTM scorer against plain NumPy and against torch's own numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.types import SignalEvent

from ..exhaustive import first
from .plain_lstm import SHAPES, PlainLstm, inputs, sample_weights, sample_window
from .sample_modules import EVENINGS, FILES, MONDAY_EVENING, file, fingerprint, tick

GOLDEN = json.loads((Path(__file__).parent / "lstm_golden.json").read_text(encoding="utf-8"))
LENGTHS = [1, 2, 8, 32, 128]


def layer(seed: int = 0, weights: int | None = None, *names: str) -> LimbicLayer:
    limbic = LimbicLayer("lstm", seed)
    for name in names or ("m",):
        limbic.register(name, fingerprint(filesystem=FILES, time=EVENINGS))
        if weights is not None:
            limbic.set_weights(name, sample_weights(weights))
    return limbic


def flat(limbic: LimbicLayer, name: str = "m") -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.concatenate([each.ravel() for each in limbic.get_weights(name).values()])


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_score_is_that_of_plain_numpy(length: int, seed: int) -> None:
    window = sample_window(length, seed)
    plain = PlainLstm(sample_weights(seed))
    assert abs(layer(0, seed).score("m", window) - plain.score(inputs(window))) <= 2e-6
    fresh = layer(seed)
    plain = PlainLstm(fresh.get_weights("m"))
    assert abs(fresh.score("m", window) - plain.score(inputs(window))) <= 2e-6


@pytest.mark.parametrize("length", first(2, LENGTHS))
def test_twenty_labels_move_it_as_they_move_plain_numpy(length: int) -> None:
    limbic, plain = layer(0, length), PlainLstm(sample_weights(length))
    for number in range(20):
        window, label = sample_window(length, number % 3), (number % 4) / 3
        limbic.update_weights("m", window, label)
        plain.learn(inputs(window), label)
        assert abs(limbic.score("m", window) - plain.score(inputs(window))) <= 1e-5
    expected = np.concatenate([plain.w[name].ravel() for name in SHAPES])
    # Adam divides by a slope's size, so where that is about its epsilon rounding shows
    assert np.quantile(abs(flat(limbic) - expected), 0.999) <= 1e-5


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: str(case["length"]))
def test_scores_and_weights_are_torchs_before_and_after_labels(case: dict[str, Any]) -> None:
    limbic, window = layer(0, case["length"]), sample_window(case["length"])
    for label, expected in zip([*GOLDEN["labels"], None], case["scores"], strict=True):
        first = label == GOLDEN["labels"][0] and label is not None
        assert abs(limbic.score("m", window) - expected) <= (2e-6 if first else 1e-5)
        if label is not None:
            limbic.update_weights("m", window, label)
    assert np.allclose(flat(limbic)[:: GOLDEN["every"]], case["weights"], atol=1e-5)


def test_a_module_holds_21057_weights_and_both_biases_learn_on_their_own() -> None:
    limbic = layer(0, 1)
    before = limbic.get_weights("m")
    assert {name: each.shape for name, each in before.items()} == SHAPES
    assert sum(each.size for each in before.values()) == 21_057
    limbic.update_weights("m", sample_window(4), 1.0)
    after = limbic.get_weights("m")
    for name in ("bias_ih_l0", "bias_hh_l0"):
        moved = abs(after[name] - before[name])
        assert np.quantile(moved, 0.1) > 0.9e-3
        assert moved.max() < 1.1e-3
    assert limbic._core.features("m") == 21_057
    assert limbic._core.features("nobody") == 0


def _mixed(bits: int) -> int:
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
    return bits ^ (bits >> 31)


@pytest.mark.parametrize("seed", [0, 7, -1, 2**70])
def test_first_weights_follow_from_seed_and_name_scaled_by_the_mask(seed: int) -> None:
    limbic, mask = layer(seed), fingerprint(filesystem=FILES, time=EVENINGS).slot_relevance_mask()
    name_hash = (0xCBF29CE484222325 ^ ord("m")) * 0x100000001B3 % 2**64
    stream = _mixed(name_hash ^ _mixed(seed % 2**64))
    drawn = [_mixed((stream + n * 0x9E3779B97F4A7C15) % 2**64) >> 40 for n in range(1, 21_058)]
    expected = (np.array(drawn) / 2**23 - 1) / 8
    expected[: 256 * 16] *= np.tile(0.1 + 1.9 * mask.astype(np.float64), 256)
    assert np.allclose(flat(limbic), expected, rtol=1e-6, atol=0)
    assert abs(expected.mean()) < 0.002


def test_seed_and_name_alone_tell_modules_apart() -> None:
    two = layer(3, None, "a", "b")
    assert not np.array_equal(flat(two, "a"), flat(two, "b"))
    assert np.array_equal(flat(two, "b"), flat(layer(3, None, "b"), "b"))
    assert not np.array_equal(flat(layer(4, None, "a"), "a"), flat(two, "a"))
    two.update_weights("a", [file()], 1.0)
    two.register("a", fingerprint(filesystem=FILES, time=EVENINGS))
    assert np.array_equal(flat(two, "a"), flat(layer(3, None, "a"), "a"))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.65, 1.0])
def test_the_threshold_moves_the_gate_and_never_the_score(threshold: float) -> None:
    limbic = LimbicLayer("lstm")
    limbic.register("m", fingerprint(threshold, filesystem=FILES, time=EVENINGS))
    assert limbic.score("m", [file()]) == layer().score("m", [file()])


def test_one_label_and_its_repetition_pull_the_score_to_it() -> None:
    limbic = layer()
    for label in (1.0, 0.0):
        for _ in range(150):
            limbic.update_weights("m", [file(), tick()], label)
        assert abs(limbic.score("m", [file(), tick()]) - label) < 0.1


def spread(minutes: float) -> float:
    """How far the hour and the day move a score after so long an idle time."""
    limbic = layer()
    scores = [
        limbic.score("m", [tick(MONDAY_EVENING + 3600 * hour, minutes)])
        for hour in range(0, 168, 7)
    ]
    return max(scores) - min(scores)


def test_the_hour_still_counts_after_a_long_idle_time() -> None:
    assert spread(10_000) > 0.4 * spread(1)
    assert spread(1e9) > 0.2 * spread(1)


@pytest.mark.parametrize("magnitude", [math.nan, math.inf, -math.inf, 1e30, 10**400])
def test_no_number_in_an_event_makes_a_score_that_is_none(magnitude: float) -> None:
    window = [SignalEvent("filesystem", "/a", "created", magnitude, 0.0), tick(minutes=magnitude)]
    limbic = layer()
    assert 0 < limbic.score("m", window) < 1
    limbic.update_weights("m", window, 1.0)
    assert 0 < limbic.score("m", window) < 1
    assert np.isfinite(flat(limbic)).all()


def test_a_stream_scores_as_the_window_of_all_its_events() -> None:
    limbic, window = layer(0, 5, "m", "other"), sample_window(40)
    for number, event in enumerate(window):
        expected = limbic.score("m", window[: number + 1])
        assert limbic.score_stream("m", event) == expected
    assert limbic.score_stream("m", window[0]) != limbic.score("m", [window[0]])
    assert limbic.score_stream("other", window[0]) == limbic.score("other", [window[0]])
    limbic.forget_stream("m")
    assert limbic.score_stream("m", window[0]) == limbic.score("m", [window[0]])
    limbic.set_weights("m", sample_weights(6))
    assert limbic.score_stream("m", window[0]) == limbic.score("m", [window[0]])
    assert limbic.score_stream("nobody", window[0]) == 0.0
    limbic.forget_stream("nobody")


def test_contributions_are_what_the_logit_loses_without_a_slot() -> None:
    limbic, window = layer(0, 9), sample_window(6)
    plain, vectors = PlainLstm(sample_weights(9)), inputs(window)
    told = limbic.contributions("m", window)
    sizes = [abs(weight) for _, weight in told]
    assert sizes == sorted(sizes, reverse=True)
    expected = []
    for slot in range(16):
        without = vectors.copy()
        without[:, slot] = 0
        if vectors[:, slot].any():
            expected.append(plain.run(vectors)[0] - plain.run(without)[0])
    assert np.allclose(sorted(weight for _, weight in told), sorted(expected), atol=1e-5)
    assert {"magnitude", "delta type", "hour sine", "idle minutes"} <= {name for name, _ in told}
    assert [name for name, _ in limbic.contributions("m", [file("/a", extension=".x")])[:4]]
    assert limbic.contributions("m", []) == limbic.contributions("nobody", window) == []


@given(
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from([0.0, 0.25, 1.0]),
)
@settings(deadline=None, max_examples=60)
def test_any_window_scores_between_0_and_1_and_learns_towards_its_label(
    numbers: list[int], label: float
) -> None:
    limbic = layer()
    window = [event for number in numbers for event in sample_window(1, number)]
    before = limbic.score("m", window)
    limbic.update_weights("m", window, label)
    after = limbic.score("m", window)
    if not window:
        assert before == after == 0.0
    else:
        assert 0 < after < 1
        assert abs(after - label) < abs(before - label)
