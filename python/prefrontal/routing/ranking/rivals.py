"""The tools that a prompt may mean just as well as the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .precedence import micro, shadowed, tie_key

if TYPE_CHECKING:
    from ...settings.routing import Ranker
    from ..types import Candidate

DOUBT = (0.30, 0.80)
"""Below the first score nothing fits; from the second on the best tool is sure of itself."""
NEAR = 0.05
"""A tool is a rival whose weighted sum of features is less than this below the best one's."""
AHEAD = 0.20
"""A best tool above DOUBT is taken where it is so far ahead of each other one that reaches tau."""


def rivals(ranked: Sequence[Candidate], settings: Ranker) -> tuple[Candidate, ...]:
    """The best tool and its rivals, best first; nothing without one.

    A rival is NEAR the best or reaches tau; of a best tool above DOUBT, it reaches tau and is less
    than AHEAD below. There are none where the best is called by its name or was accepted for a
    prompt like this one.
    """
    ordered = sorted(ranked, key=lambda one: tie_key(one, settings.harmless_first))
    eligible, _ = shadowed(ordered)
    if not eligible:
        return ()
    best, *others = eligible
    if best.by_name or best.familiar or micro(best.score) < micro(DOUBT[0]):
        return ()
    total, sure = weighted_sum(best, settings), micro(best.score) >= micro(DOUBT[1])

    def is_rival(one: Candidate) -> bool:
        behind = total - weighted_sum(one, settings) + 1e-9
        reaches = micro(one.score) >= micro(settings.threshold)
        return reaches and behind < AHEAD if sure else reaches or behind < NEAR

    close = [one for one in others if is_rival(one)]
    return (best, *close) if close else ()


def weighted_sum(candidate: Candidate, settings: Ranker) -> float:
    """What the score is the map of."""
    features, weights = candidate.features, settings.weights
    return (
        weights.name * features.get("name_similarity", 0.0)
        + weights.doc * features.get("doc_keywords", 0.0)
        + weights.history * features.get("history_success", 0.0)
    )
