"""A buffer of recent latents, summarised for E3 and the proposals."""

from __future__ import annotations

import math
from collections import deque
from typing import Literal, get_args

import torch
from torch import Tensor

__all__ = ["ThetaBuffer", "Weighting"]

Weighting = Literal["mean", "phase"]


class ThetaBuffer:
    """The last `size` pairs of z_world and z_self, without a graph, and their summary.

    weighting: "mean" counts all alike; "phase" by sin^2 of its phase, which rises from 0 at the
    oldest moment to pi / 2 at the latest, so that later moments count more.
    """

    def __init__(self, size: int = 10, *, weighting: Weighting = "mean") -> None:
        """Raises ValueError for a size below 1 and an unknown weighting."""
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"size must be a whole number of at least 1, got {size!r}")
        if weighting not in get_args(Weighting):
            known = ", ".join(get_args(Weighting))
            raise ValueError(f"weighting must be one of {known}, got {weighting!r}")
        self.size = size
        self.weighting = weighting
        self._moments: deque[tuple[Tensor, Tensor]] = deque(maxlen=size)

    def __len__(self) -> int:
        return len(self._moments)

    def append(self, z_world: Tensor, z_self: Tensor) -> None:
        """Add copies of z_world and z_self, each [B, 32]; drops the oldest pair.

        All pairs take the dtype and the device of the latest. Raises ValueError for other shapes
        than before.
        """
        latest = self._moments[-1] if self._moments else (z_world, z_self)
        pair = (z_world, z_self)
        for name, latent, like in zip(("z_world", "z_self"), pair, latest, strict=True):
            if latent.shape != like.shape:
                expected, shape = tuple(like.shape), tuple(latent.shape)
                raise ValueError(f"{name} must have shape {expected}, got {shape}")
        if latest[0].dtype != z_world.dtype or latest[0].device != z_world.device:
            moved = [(world.to(z_world), own.to(z_self)) for world, own in self._moments]
            self._moments = deque(moved, maxlen=self.size)
        self._moments.append((z_world.detach().clone(), z_self.detach().clone()))

    def summary(self) -> tuple[Tensor, Tensor]:
        """(z_world, z_self) over the buffer, [B, 32] each. Raises ValueError while empty."""
        if not self._moments:
            raise ValueError("theta buffer must hold at least one moment, got none")
        worlds, selves = (torch.stack(it) for it in zip(*self._moments, strict=True))
        if self.weighting == "mean":
            return worlds.mean(dim=0), selves.mean(dim=0)
        weights = self._phases().to(worlds)
        return torch.tensordot(weights, worlds, 1), torch.tensordot(weights.to(selves), selves, 1)

    def clear(self) -> None:
        """Drop all moments."""
        self._moments.clear()

    def reset(self) -> None:
        """As clear."""
        self.clear()

    def _phases(self) -> Tensor:
        """sin^2(pi (i + 1/2) / 2n) of the i-th oldest of n, normalised to a sum of 1."""
        count = len(self._moments)
        places = torch.arange(count, dtype=torch.float64) + 0.5
        raised = torch.sin(math.pi * places / (2 * count)).square()
        return raised / raised.sum()
