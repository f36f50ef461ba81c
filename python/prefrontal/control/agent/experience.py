"""Replay buffers of an agent: transitions, and cues with the hazards in view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..memory.terrain_loss import HAZARD_VIEW

if TYPE_CHECKING:
    from ..latent.latent import LatentState


class Ring:
    """The latest `size` rows of equal width, copies without a graph."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._rows: Tensor | None = None
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, self.size)

    def append(self, *parts: Tensor) -> None:
        """Keep the parts, [1, n] each, side by side as one row."""
        row = torch.cat([it.detach() for it in parts], dim=-1)
        if self._rows is None:
            self._rows = row.new_zeros(self.size, row.shape[-1])
        self._rows[self._added % self.size] = row[0]
        self._added += 1

    def to(self, like: Tensor) -> None:
        """Keep the rows in the dtype and on the device of `like`."""
        self._rows = None if self._rows is None else self._rows.to(like)

    def sample(self, count: int, generator: torch.Generator | None = None) -> Tensor | None:
        """Rows [count, width] drawn evenly with replacement; None while there are fewer."""
        if self._rows is None or len(self) < count:
            return None
        return self._rows[torch.randint(len(self), (count,), generator=generator)]


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """A batch: latents [B, 32] before and after, the actions [B, A] as one-hot, the signal [B].

    z_harm, next_z_harm: [B, 32] where there is a harm stream.
    """

    z_self: Tensor
    z_world: Tensor
    action: Tensor
    next_z_self: Tensor
    next_z_world: Tensor
    signal: Tensor
    z_harm: Tensor | None
    next_z_harm: Tensor | None


class AgentExperience:
    """Transitions and cues, at most `size` of each; kept when an episode ends."""

    def __init__(self, size: int) -> None:
        self._transitions = Ring(size)
        self._cues = Ring(size)
        self._widths: list[int] = []

    def __len__(self) -> int:
        return len(self._transitions)

    def to(self, like: Tensor) -> None:
        """Keep all in the dtype and on the device of `like`."""
        self._transitions.to(like)
        self._cues.to(like)

    def add_transition(
        self, before: LatentState, action: Tensor, signal: float, after: LatentState
    ) -> None:
        """One step: action [1, A] one-hot, signal the reward that came with it."""
        harm = action.new_full((1, 1), signal)
        parts = [before.z_self, before.z_world, action, after.z_self, after.z_world, harm]
        if before.z_harm is not None and after.z_harm is not None:
            parts += [before.z_harm, after.z_harm]
        self._widths = [it.shape[-1] for it in parts]
        self._transitions.append(*parts)

    def add_cue(self, z_world: Tensor, harm: Tensor | None) -> None:
        """z_world [1, 32] and the harm observation [1, >= 25] of the same moment; None: zeros."""
        unseen = z_world.new_zeros(len(z_world), HAZARD_VIEW)
        self._cues.append(z_world, unseen if harm is None else harm[:, :HAZARD_VIEW])

    def transitions(
        self, count: int, generator: torch.Generator | None = None
    ) -> Transitions | None:
        """A batch drawn; None while there are fewer than `count`."""
        rows = self._transitions.sample(count, generator)
        if rows is None:
            return None
        columns = torch.split(rows, self._widths, dim=-1)
        z_self, z_world, action, next_self, next_world, signal = columns[:6]
        z_harm, next_z_harm = columns[6:] or (None, None)
        return Transitions(
            z_self, z_world, action, next_self, next_world, signal[:, 0], z_harm, next_z_harm
        )

    def cues(
        self, count: int, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor] | None:
        """(z_world [B, 32], hazard view [B, 25]) drawn; None while there are fewer."""
        rows = self._cues.sample(count, generator)
        if rows is None:
            return None
        return rows[:, :-HAZARD_VIEW], rows[:, -HAZARD_VIEW:]
