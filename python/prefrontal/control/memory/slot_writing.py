"""Selects the slot of a context memory to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .slot_attention import unit

if TYPE_CHECKING:
    from torch import Tensor

    from .context_memory_config import ContextMemoryConfig


@dataclass(frozen=True, slots=True)
class SlotUse:
    """The write history of the slots.

    counts: int64 [slots], writes of each. usage: [slots], a running average of them, or None.
    recent: the last slots written, the latest last.
    """

    counts: Tensor
    usage: Tensor | None
    recent: Sequence[int]


@dataclass(frozen=True, slots=True)
class ChosenSlot:
    """fresh: taken because it was the least used, not because it matched."""

    index: int
    fresh: bool


def choose_slot(
    query: Tensor, memory: Tensor, use: SlotUse, config: ContextMemoryConfig
) -> ChosenSlot:
    """The slot to write for a mean query [D], by the configured rule.

    The score of a slot is query . slot.
    """
    if config.write_rule == "matched":
        return _matched(query, memory, use, config.match_threshold)
    scores = memory @ query
    if config.balances_usage and use.usage is not None:
        scores = scores + config.usage_bias_weight * use.usage * config.memory_dim**0.5
    if config.is_refractory:
        latest = min(config.refractory_steps, config.num_slots - 1)
        for slot in use.recent[len(use.recent) - min(latest, len(use.recent)) :]:
            scores[slot] = float("inf")
    return ChosenSlot(int(scores.argmin()), fresh=False)


def _matched(query: Tensor, memory: Tensor, use: SlotUse, threshold: float) -> ChosenSlot:
    """The most similar slot if it is similar enough, else the first of the least used."""
    likeness = unit(memory) @ unit(query)
    best = int(likeness.argmax())
    if likeness[best] > threshold:
        return ChosenSlot(best, fresh=False)
    return ChosenSlot(int(use.counts.argmin()), fresh=True)
