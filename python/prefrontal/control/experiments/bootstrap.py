"""Percentile bootstrap intervals, and the area under a ROC curve.

The same input always gives the same interval: the draws come from a generator of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def bootstrap_interval(
    values: ArrayLike,
    statistic: Callable[[NDArray[np.float64]], float] | None = None,
    *,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> tuple[float, float]:
    """Interval of a statistic (None: the mean) of the values [n], resampled with replacement.

    No value gives (NaN, NaN). Raises ValueError for a level outside (0, 1).
    """
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        return float("nan"), float("nan")
    rows = np.random.default_rng(seed).integers(data.size, size=(draws, data.size))
    if statistic is None:
        statistics = data[rows].mean(axis=1)
    else:
        statistics = np.array([statistic(data[it]) for it in rows])
    return _ends(statistics, level)


def p_value(differences: ArrayLike) -> float:
    """One-sided: the share of bootstrapped differences that are not above 0, never exactly 0."""
    numbers = np.asarray(differences, dtype=np.float64)
    numbers = numbers[~np.isnan(numbers)]
    return float((np.count_nonzero(numbers <= 0) + 1) / (numbers.size + 1))


def auc(scores: ArrayLike, labels: ArrayLike) -> float:
    """P(score of a positive > score of a negative), ties counted half; NaN without both kinds."""
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    ones = np.count_nonzero(positive)
    zeros = values.size - ones
    if ones == 0 or zeros == 0:
        return float("nan")
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def _ends(statistics: NDArray[np.float64], level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    if statistics.size == 0:
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(statistics, [tail, 1 - tail])
    return float(low), float(high)
