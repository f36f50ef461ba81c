"""The replay buffer of a PlanSelector."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from .config import PlanSelectionConfig


class PlanOutcomes(NamedTuple):
    """B outcomes. contexts [B, context_dim] and plans [B, plan_dim], before any scaling;
    rules [B, rule_dim], as the rule stood; results [B, 2]: harm and goal, 0..1."""

    contexts: Tensor
    plans: Tensor
    rules: Tensor
    results: Tensor


class PlanExperience(nn.Module):
    """A ring buffer of outcomes. taken: how many were ever added."""

    taken: Tensor

    def __init__(self, config: PlanSelectionConfig, rule_dim: int) -> None:
        super().__init__()
        wide = (config.context_dim, config.plan_dim, rule_dim, 2)
        for name, width in zip(PlanOutcomes._fields, wide, strict=True):
            self.register_buffer(name, torch.zeros(config.experience, width))
        self.register_buffer("taken", torch.zeros((), dtype=torch.int64))

    def __len__(self) -> int:
        return min(int(self.taken), self._size)

    @torch.no_grad()
    def put(self, outcome: PlanOutcomes) -> None:
        """Add one outcome [1, ..]; replaces the oldest."""
        place = int(self.taken) % self._size
        for name, row in zip(PlanOutcomes._fields, outcome, strict=True):
            getattr(self, name)[place] = row[0]
        self.taken += 1

    def draw(self, count: int, generator: torch.Generator) -> PlanOutcomes:
        """The newest outcome and count - 1 sampled with replacement; not for an empty buffer."""
        drawn = torch.randint(len(self), (count,), generator=generator)
        drawn[0] = (int(self.taken) - 1) % self._size
        return PlanOutcomes(*(getattr(self, name)[drawn] for name in PlanOutcomes._fields))

    @property
    def _size(self) -> int:
        held: Tensor = self.get_buffer("results")
        return held.shape[0]
