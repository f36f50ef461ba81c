"""Reputation from the literature, written from the papers: trust in -10..+10 from a whole stream.

Each takes the edges (rater, rated, value in -1..+1), oldest first, and gives each rated user's
trust. The graphs are judged anew for each moment that is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefrontal.cortex.backtest.ratings import Rating

Floats = NDArray[np.float64]
Judge = Callable[[Sequence[Rating]], Mapping[str, float]]
ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges as arrays of numbers of raters, numbers of rated users and values -1..+1."""

    rater: NDArray[np.int64]
    rated: NDArray[np.int64]
    value: Floats
    users: list[str]

    @classmethod
    def of(cls, ratings: Sequence[Rating]) -> Graph:
        numbers: dict[str, int] = {}
        rater = [numbers.setdefault(each.source, len(numbers)) for each in ratings]
        rated = [numbers.setdefault(each.target, len(numbers)) for each in ratings]
        value = np.array([each.value / 10 for each in ratings])
        return cls(np.array(rater), np.array(rated), value, list(numbers))

    def by_rated(self, weight: Floats) -> Floats:
        return np.bincount(self.rated, weight, len(self.users)).astype(np.float64)

    def by_rater(self, weight: Floats) -> Floats:
        return np.bincount(self.rater, weight, len(self.users)).astype(np.float64)

    def told(self, trust: Floats) -> dict[str, float]:
        """Ten times the trust of those who were rated."""
        return {self.users[number]: 10 * float(trust[number]) for number in np.unique(self.rated)}


def beta(forgetting: float) -> Judge:
    """Beta reputation (Josang, Ismail 2002): r and s are the sums of what is good and bad."""

    def judge(ratings: Sequence[Rating]) -> dict[str, float]:
        sums: dict[str, tuple[float, float]] = {}
        for each in ratings:
            r, s = sums.get(each.target, (0.0, 0.0))
            value = each.value / 10
            sums[each.target] = r * forgetting + max(value, 0), s * forgetting + max(-value, 0)
        return {user: 10 * (r - s) / (r + s + 2) for user, (r, s) in sums.items()}

    return judge


def fairness_goodness(ratings: Sequence[Rating]) -> dict[str, float]:
    """Fairness and goodness (Kumar et al., ICDM 2016): the goodness."""
    graph = Graph.of(ratings)
    every = np.ones_like(graph.value)
    came, went = np.maximum(graph.by_rated(every), 1), np.maximum(graph.by_rater(every), 1)
    fairness = np.ones(len(graph.users))
    goodness = fairness.copy()
    for _ in range(ROUNDS):
        goodness = graph.by_rated(fairness[graph.rater] * graph.value) / came
        off = np.abs(graph.value - goodness[graph.rated]) / 2
        fairness = 1 - graph.by_rater(off) / went
    return graph.told(goodness)


def rev2(ratings: Sequence[Rating]) -> dict[str, float]:
    """REV2 (Kumar et al., WSDM 2018) without its text of behaviour: the goodness.

    All weights and pseudo-counts are 1, the default fairness is that of the average user.
    """
    graph = Graph.of(ratings)
    every = np.ones_like(graph.value)
    came, went = graph.by_rated(every), graph.by_rater(every)
    fairness, goodness = np.ones(len(graph.users)), np.zeros(len(graph.users))
    reliability = every.copy()
    for _ in range(ROUNDS):
        usual = fairness.mean(), goodness[np.unique(graph.rated)].mean()
        fairness = (graph.by_rater(reliability) + usual[0]) / (went + 1)
        goodness = (graph.by_rated(reliability * graph.value) + usual[1]) / (came + 1)
        agreement = 1 - np.abs(graph.value - goodness[graph.rated]) / 2
        reliability = (fairness[graph.rater] + agreement) / 2
    return graph.told(goodness)


def signed_pagerank(ratings: Sequence[Rating]) -> dict[str, float]:
    """PageRank with negative edges (Shahriari, Jalili 2014): (good - bad) / (good + bad), the ranks
    by the positive and by the negative edges."""
    graph = Graph.of(ratings)
    good = _pagerank(graph, np.maximum(graph.value, 0))
    bad = _pagerank(graph, np.maximum(-graph.value, 0))
    return graph.told((good - bad) / (good + bad))


def _pagerank(graph: Graph, weight: Floats, damping: float = 0.85) -> Floats:
    count = len(graph.users)
    went = graph.by_rater(weight)
    share = np.divide(weight, went[graph.rater], out=np.zeros_like(weight), where=weight > 0)
    rank = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        lost = rank[went == 0].sum()
        rank = damping * (graph.by_rated(rank[graph.rater] * share) + lost / count)
        rank += (1 - damping) / count
    return rank


TWINS: dict[str, Judge] = {
    "beta reputation": beta(1.0),
    "beta reputation, forgetting .9": beta(0.9),
    "fairness and goodness": fairness_goodness,
    "PageRank with negative edges": signed_pagerank,
    "REV2, goodness": rev2,
}
