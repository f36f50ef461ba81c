"""Drive, and the goal that benefit under drive seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..field_checks import Count, Share, check_fields

__all__ = ["GoalConfig", "GoalState", "drive_level"]

ENERGY = 3
"""Place of energy in the body observation."""
ACTIVE_ABOVE = 1e-6


def drive_level(obs_body: Tensor) -> Tensor:
    """max(0, 1 - energy) of body observations [..., 12]: 0 sated, 1 starved. Shape [...]."""
    if obs_body.dim() == 0 or obs_body.shape[-1] <= ENERGY:
        raise ValueError(f"obs_body must have shape (..., 4 or more), got {tuple(obs_body.shape)}")
    return (1 - obs_body[..., ENERGY]).clamp(min=0)


@dataclass(frozen=True, slots=True)
class GoalConfig:
    """decay: of the goal each step. alpha: share of z_world that a seeding blends in.
    benefit_threshold: what benefit x seeding_gain x (1 + drive_weight x drive trace) must pass.
    trace_alpha: of the running average of drive; 1: the drive itself.
    """

    world_dim: Count = 32
    decay: Share = 0.005
    alpha: Share = 0.05
    benefit_threshold: float = 0.1
    seeding_gain: float = 1.0
    drive_weight: float = 2.0
    trace_alpha: Share = 1.0

    def __post_init__(self) -> None:
        check_fields(self)


class GoalState(nn.Module):
    """z_goal [1, 32]: a fading memory of the places where benefit came, more so under drive.

        z_goal <- (1 - decay) z_goal
        z_goal <- (1 - alpha) z_goal + alpha z_world     where benefit seeds it

    A buffer outside of the state_dict, without a graph; no parameter.
    """

    z_goal: Tensor

    def __init__(self, config: GoalConfig | None = None) -> None:
        super().__init__()
        self.config = config or GoalConfig()
        goal = torch.zeros(1, self.config.world_dim)
        self.register_buffer("z_goal", goal, persistent=False)
        self.drive_trace = 0.0

    @property
    def active(self) -> bool:
        """Whether there is a goal: the sum of |z_goal| is above 1e-6."""
        return bool(self.z_goal.abs().sum() > ACTIVE_ABOVE)

    @torch.no_grad()
    def step(self, benefit: float, z_world: Tensor, drive: float = 0.0) -> bool:
        """Decay, and blend in z_world [32] or [B, 32] (its mean) if benefit suffices; did it?

        drive: 0 to 1. Raises ValueError for NaN and for another shape, and changes nothing then.
        """
        config = self.config
        for name, value in (("benefit", benefit), ("drive", drive)):
            if not math.isfinite(value):
                raise ValueError(f"{name} must be finite, got {float(value)!r}")
        place = z_world.detach()[None] if z_world.dim() == 1 else z_world.detach()
        width = config.world_dim
        if place.dim() != 2 or place.shape[1] != width or not len(place):
            expected, shape = f"({width},) or (1 or more, {width})", tuple(z_world.shape)
            raise ValueError(f"z_world must have shape {expected}, got {shape}")
        if not bool(torch.isfinite(place).all()):
            raise ValueError("z_world must be finite, got NaN or infinity")
        self.drive_trace += config.trace_alpha * (drive - self.drive_trace)
        strength = benefit * config.seeding_gain * (1 + config.drive_weight * self.drive_trace)
        goal = self.z_goal * (1 - config.decay)
        seeded = strength > config.benefit_threshold
        if seeded:
            goal = (1 - config.alpha) * goal + config.alpha * place.mean(dim=0, keepdim=True)
        self.z_goal = goal
        return seeded

    def proximity(self, world_states: Tensor) -> Tensor:
        """1 / (1 + |w - z_goal|^2) of states [..., 32]: [...], 1 at the goal."""
        return 1 / (1 + (world_states - self.z_goal).square().sum(dim=-1))

    def reset(self) -> None:
        """No goal and no drive."""
        self.z_goal = torch.zeros_like(self.z_goal)
        self.drive_trace = 0.0
