"""How well the scores order the windows: area under the ROC curve, and recall against wakes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

MOST_POINTS = 400


def ranked(scores: Sequence[float], relevant: Sequence[int]) -> list[tuple[int, int]]:
    """(windows, relevant windows) at or above each distinct score, highest score first."""
    points: list[tuple[int, int]] = []
    caught, score_before = 0, None
    for woken, (score, mattered) in enumerate(
        sorted(zip(scores, relevant, strict=True), key=itemgetter(0), reverse=True), 1
    ):
        caught += mattered
        if score == score_before:
            points[-1] = (woken, caught)
        else:
            points.append((woken, caught))
        score_before = score
    return points


def area_under_roc(points: Sequence[tuple[int, int]]) -> float | None:
    """Chance that a relevant window scores above an irrelevant one; ties count half.

    None when the windows are all of one kind.
    """
    if not points:
        return None
    windows, positives = points[-1]
    negatives = windows - positives
    if not positives or not negatives:
        return None
    area = 0.0
    woken_before = caught_before = 0
    for woken, caught in points:
        rejected_below = negatives - (woken - caught)
        tied = (woken - caught) - (woken_before - caught_before)
        area += (caught - caught_before) * (rejected_below + tied / 2)
        woken_before, caught_before = woken, caught
    return area / (positives * negatives)


def recall_curve(points: Sequence[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
    """(share woken, recall) from (0, 0) to (1, 1), at most 400 points; empty without positives.

    Of the points between, those are kept that bend the curve most evenly in recall and share.
    """
    if not points or not points[-1][1]:
        return ()
    windows, positives = points[-1]
    whole = [(0.0, 0.0)] + [(woken / windows, caught / positives) for woken, caught in points]
    spread = [whole[0]]
    step = 2 / (MOST_POINTS - 2)
    for point in whole[1:-1]:
        if (point[0] - spread[-1][0]) + (point[1] - spread[-1][1]) >= step:
            spread.append(point)
    return (*spread, whole[-1])
