"""Allostatic coupling: a need raises the weight of goals, whatever the hazards; never harm's."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..field_checks import Amount, Share, check_fields


@dataclass(frozen=True, slots=True)
class AllostaticCoupling:
    """Raises w_goal of terrain weights with the drive.

        w_goal' = max(sigmoid(logit w_goal + gain x drive), floor x drive)

    It never falls as the drive rises, is w_goal to the bit at drive 0, and at drive 1 at least
    `floor` for any cue. w_harm does not change.
    gain: in units of the logit at full drive. floor: 0 to 1.
    """

    gain: Amount = 2.0
    floor: Share = 0.8

    def __post_init__(self) -> None:
        check_fields(self)

    def __call__(self, terrain: Tensor, drive: float | Tensor) -> Tensor:
        """Terrain weights [.., 2] for a drive between 0 and 1 (outside: the nearer end), one for
        all or one for each row. Raises ValueError for NaN and other shapes."""
        if terrain.shape[-1:] != (2,):
            raise ValueError(f"terrain must be of shape [.., 2], got {list(terrain.shape)}")
        need = torch.as_tensor(drive, dtype=terrain.dtype, device=terrain.device)
        if bool(need.isnan().any()):
            raise ValueError("drive must be a number, got NaN")
        if need.dim() > 0 and need.shape != terrain.shape[:-1]:
            raise ValueError(
                f"drive must be of shape {list(terrain.shape[:-1])}, got {list(need.shape)}"
            )
        need = need.clamp(0, 1)
        goal = terrain[..., 1]
        # sigmoid(logit w + a) = w / (w + (1 - w) e^-a), which needs no logit of 0 or 1
        lifted = goal / (goal + (1 - goal) * torch.exp(-self.gain * need))
        raised = torch.where(need > 0, torch.maximum(lifted, self.floor * need), goal)
        return torch.stack([terrain[..., 0], raised], dim=-1)
