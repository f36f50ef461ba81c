"""Trajectories: the states and actions of a rollout, one or all candidates of a proposal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

Summary = Literal["t0", "t1", "final", "mean"]
"""Which world state stands for a candidate: the present one, the one after its first action, the
last, or the mean over all of them."""

SUMMARIES: tuple[Summary, ...] = get_args(Summary)


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A rolled-out course of H actions, for B agents at once.

    states: self states [B, H + 1, self_dim]; world_states: [B, H + 1, world_dim]; actions:
    [B, H, A]; action_objects: [B, H, 16].
    """

    states: Tensor
    world_states: Tensor
    actions: Tensor
    action_objects: Tensor

    @property
    def horizon(self) -> int:
        """H, the number of actions."""
        return self.actions.shape[-2]

    def detach(self) -> Trajectory:
        """The same numbers without a graph."""
        return Trajectory(*(it.detach() for it in self._parts()))

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.states, self.world_states, self.actions, self.action_objects


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """K candidates in one set of tensors: those of Trajectory with K in front, [K, B, ...].

    residue_scores: [K, B], the residue along each, where the proposal worked it out.
    """

    states: Tensor
    world_states: Tensor
    actions: Tensor
    action_objects: Tensor
    residue_scores: Tensor | None = None

    @classmethod
    def stack(cls, candidates: Sequence[Trajectory]) -> Trajectories:
        """Candidates of equal shapes as one. Raises ValueError for none, or for unequal shapes."""
        if not candidates:
            raise ValueError("candidates must hold at least one trajectory, got 0")
        shapes = {tuple(it.world_states.shape) for it in candidates}
        if len(shapes) > 1:
            raise ValueError(f"candidates must be of one shape, got {sorted(shapes)!r}")
        return cls(
            torch.stack([it.states for it in candidates]),
            torch.stack([it.world_states for it in candidates]),
            torch.stack([it.actions for it in candidates]),
            torch.stack([it.action_objects for it in candidates]),
        )

    def __len__(self) -> int:
        return self.world_states.shape[0]

    def __getitem__(self, index: int) -> Trajectory:
        """Candidate `index`, negative from the end. Raises IndexError."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"index must be within {len(self)} candidates, got {index!r}")
        return Trajectory(
            self.states[index],
            self.world_states[index],
            self.actions[index],
            self.action_objects[index],
        )

    def __iter__(self) -> Iterator[Trajectory]:
        return (self[k] for k in range(len(self)))

    @property
    def batch(self) -> int:
        """B, the number of agents."""
        return self.world_states.shape[1]

    @property
    def horizon(self) -> int:
        """H, the number of actions."""
        return self.actions.shape[2]

    @property
    def first_actions(self) -> Tensor:
        """[K, B, A]."""
        return self.actions[:, :, 0]

    def summaries(self, source: Summary = "t1") -> Tensor:
        """One world state a candidate [K, world_dim], the mean over the B agents.

        "t0" is the same state for every candidate. Raises ValueError for an unknown source.
        """
        if source not in SUMMARIES:
            raise ValueError(f"source must be one of {', '.join(SUMMARIES)}, got {source!r}")
        if source == "mean":
            return self.world_states.mean(dim=(1, 2))
        chosen = self.world_states[:, :, {"t0": 0, "t1": 1, "final": -1}[source]]
        return chosen.squeeze(1) if chosen.shape[1] == 1 else chosen.mean(dim=1)

    def detach(self) -> Trajectories:
        """The same numbers without a graph."""
        scores = self.residue_scores
        return Trajectories(
            self.states.detach(),
            self.world_states.detach(),
            self.actions.detach(),
            self.action_objects.detach(),
            None if scores is None else scores.detach(),
        )
