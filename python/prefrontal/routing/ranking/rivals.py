"""The tools that a prompt may mean just as well as the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .precedence import micro, shadowed, tie_key

if TYPE_CHECKING:
    from ...settings.routing import Ranker
    from ..types import Candidate

DOUBT = (0.30, 0.80)
"""Between these scores the best tool has rivals: below nothing fits, above it is taken."""
NEAR = 0.05
"""A tool is a rival whose weighted sum of features is less than this below the best one's."""


def rivals(ranked: Sequence[Candidate], settings: Ranker) -> tuple[Candidate, ...]:
    """The best tool and its rivals, best first; nothing without one.

    A rival is NEAR the best or reaches tau. There are none where the best is called by its name or
    was accepted for a prompt like this one.
    """
    ordered = sorted(ranked, key=lambda one: tie_key(one, settings.harmless_first))
    eligible, _ = shadowed(ordered)
    if not eligible:
        return ()
    best, *others = eligible
    if best.by_name or best.familiar or not micro(DOUBT[0]) <= micro(best.score) < micro(DOUBT[1]):
        return ()
    least = weighted_sum(best, settings) - NEAR
    close = [
        one
        for one in others
        if micro(one.score) >= micro(settings.threshold)
        or weighted_sum(one, settings) > least + 1e-9
    ]
    return (best, *close) if close else ()


def weighted_sum(candidate: Candidate, settings: Ranker) -> float:
    """What the score is the map of."""
    features, weights = candidate.features, settings.weights
    return (
        weights.name * features.get("name_similarity", 0.0)
        + weights.doc * features.get("doc_keywords", 0.0)
        + weights.history * features.get("history_success", 0.0)
    )
