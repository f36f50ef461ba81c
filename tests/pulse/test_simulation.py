"""The published example, PDFs on weekday evenings, learned from noisy labels."""

from __future__ import annotations

import pytest

from prefrontal.pulse.learning.limbic import LimbicLayer

from ..exhaustive import first
from .evenings import Evening, area_under_roc, evenings
from .sample_modules import EVENINGS, FILES, file, fingerprint

LABELS_SEEN = (0, 20, 50, 100, 200, 500, 1_000, 2_000)


def auc_by_labels(seed: int, limbic: LimbicLayer) -> dict[int, float]:
    """AUC against the noisy labels of 2,000 other windows, after each number of labels."""
    lessons, held_out = evenings(seed, LABELS_SEEN[-1]), evenings(seed + 1_000, 2_000)
    labels, found = [each.label for each in held_out], {}
    for seen, (window, _, label) in enumerate([*lessons, lessons[0]]):
        if seen in LABELS_SEEN:
            scores = [limbic.score("m", each.window) for each in held_out]
            found[seen] = area_under_roc(scores, labels)
        limbic.update_weights("m", window, float(label))
    return found


def oracle(held_out: list[Evening]) -> float:
    """AUC of somebody who knows the truth, against the noisy labels."""
    return area_under_roc([each.matters for each in held_out], [each.label for each in held_out])


def test_an_oracle_is_held_back_by_the_wrong_labels_alone() -> None:
    held_out = evenings(0, 20_000)
    assert oracle(held_out) == pytest.approx(0.92, abs=0.01)
    truth = [each.matters for each in held_out]
    assert area_under_roc(truth, truth) == 1.0


@pytest.mark.parametrize("seed", first(1, range(5)))
def test_with_the_fingerprint_as_prior_the_auc_is_high_at_every_number_of_labels(seed: int) -> None:
    limbic = LimbicLayer(seed=seed, utc=True)
    limbic.register("m", fingerprint(filesystem=FILES, time=EVENINGS))
    found = auc_by_labels(seed, limbic)
    assert tuple(found) == LABELS_SEEN
    assert min(found.values()) >= 0.90, found
    best = oracle(evenings(seed + 1_000, 2_000))
    assert best - 0.02 <= min(found.values()) <= max(found.values()) <= best + 0.01


def test_without_a_fingerprint_the_labels_alone_get_there() -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint())
    found = auc_by_labels(0, limbic)
    assert found[0] == pytest.approx(0.5)
    assert found[100] > 0.7
    assert found[2_000] > 0.85


def test_after_2000_noisy_labels_the_example_still_reads_as_declared() -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint(filesystem=FILES, time=EVENINGS))
    for window, _, label in evenings(3, 2_000):
        limbic.update_weights("m", window, float(label))
    saturday = file().timestamp + 5 * 86_400
    assert limbic.score("m", [file(extension=".pdf")]) > 0.65
    assert limbic.score("m", [file(time=saturday, extension=".pdf")]) < 0.65
