"""Targets of the precision weights from the hazard in view, and the terrain loss."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional

from ..field_checks import Bounds, Share, check_fields
from .context_memory_config import with_changes

Reduction = Literal["sum", "mean"]
Thresholds = Literal["fixed", "balanced"]
Grading = Literal["step", "rank"]

HAZARD_VIEW = 25  # the first numbers of the harm observation


@dataclass(frozen=True, slots=True)
class TerrainTargetsConfig:
    """h is the largest hazard field in view. Defaults: the profile `seed`.

    harm: harm_high if h > harm_above, else harm_low. goal: goal_high if h < goal_below, else
    goal_low. strict: equality counts as the else; False: as the first.
    thresholds: "fixed" are those two; "balanced" are quantiles of the last `window` h observed,
    so that both answers occur: harm_above the harm_quantile, goal_below the goal_quantile.
    grading: "step" as above; "rank" grades from low to high by the rank of h among those.
    reduction: of the loss, "sum" adds the mean squared errors of the two weights, "mean" halves it.
    """

    harm_above: float = 0.3
    goal_below: float = 0.1
    harm_high: Share = 0.8
    harm_low: Share = 0.2
    goal_high: Share = 0.8
    goal_low: Share = 0.3
    strict: bool = True
    reduction: Reduction = "sum"
    thresholds: Thresholds = "fixed"
    grading: Grading = "step"
    harm_quantile: Share = 0.5
    goal_quantile: Share = 0.5
    window: Annotated[int, Bounds(2)] = 4096

    def __post_init__(self) -> None:
        check_fields(self)


class TerrainTargets:
    """Turns harm observations into targets [w_harm, w_goal]; remembers the h it has seen."""

    def __init__(self, config: TerrainTargetsConfig | None = None, **changes: Any) -> None:
        """config, changes: see TerrainTargetsConfig. Raises ValueError and TypeError."""
        self.config = with_changes(config, TerrainTargetsConfig, changes)
        self._seen: deque[float] = deque(maxlen=self.config.window)
        self._sorted: Tensor | None = None

    def observe(self, harm_obs: Tensor) -> None:
        """Remember the h of harm_obs [B, >= 25]. Raises ValueError for another shape and for NaN.

        Only "balanced" and "rank" use what is remembered; the others stay as they are.
        """
        hazard = hazard_in_view(harm_obs)
        if bool(hazard.isnan().any()):
            raise ValueError("harm_obs must hold numbers in its hazard view, got NaN")
        self._seen.extend(hazard.detach().flatten().tolist())
        self._sorted = None

    def __call__(self, harm_obs: Tensor) -> Tensor:
        """Targets [B, 2] for harm_obs [B, >= 25]. Raises ValueError as `observe`, and for a preset
        that needs observations before there are any."""
        config, hazard = self.config, hazard_in_view(harm_obs)
        if config.grading == "rank":
            rank = self._rank(hazard)
            harm = config.harm_low + (config.harm_high - config.harm_low) * rank
            goal = config.goal_high + (config.goal_low - config.goal_high) * rank
            return torch.stack([harm, goal], dim=-1)
        above, below = self.limits
        dangerous = hazard > above if config.strict else hazard >= above
        safe = hazard < below if config.strict else hazard <= below
        return torch.stack(
            [
                _either(dangerous, config.harm_high, config.harm_low, hazard),
                _either(safe, config.goal_high, config.goal_low, hazard),
            ],
            dim=-1,
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The current harm_above and goal_below."""
        if self.config.thresholds == "fixed":
            return self.config.harm_above, self.config.goal_below
        wanted = [self.config.harm_quantile, self.config.goal_quantile]
        quantiles = torch.quantile(self._ordered(), torch.tensor(wanted, dtype=torch.float64))
        return float(quantiles[0]), float(quantiles[1])

    def balance(self) -> tuple[float, float]:
        """Shares of the remembered h that are labelled dangerous, and safe for goals."""
        seen = self._ordered()
        above, below = self.limits
        if self.config.strict:
            return float((seen > above).double().mean()), float((seen < below).double().mean())
        return float((seen >= above).double().mean()), float((seen <= below).double().mean())

    def get_seen(self) -> list[float]:
        """The h remembered, the latest last: for a checkpoint."""
        return list(self._seen)

    def set_seen(self, seen: Sequence[float]) -> None:
        """Remember these instead. Raises ValueError for NaN; then nothing has changed."""
        values = [float(it) for it in seen]
        if any(map(math.isnan, values)):
            raise ValueError("seen must hold numbers, got NaN")
        self._seen = deque(values, maxlen=self.config.window)
        self._sorted = None

    def _rank(self, hazard: Tensor) -> Tensor:
        """The middle rank of each h among those remembered, 0 to 1."""
        seen, values = self._ordered(), hazard.detach().double().cpu().contiguous()
        left = torch.searchsorted(seen, values, right=False)
        right = torch.searchsorted(seen, values, right=True)
        return ((left + right) / (2 * len(seen))).to(hazard)

    def _ordered(self) -> Tensor:
        if not self._seen:
            raise ValueError("observe() must be called before balanced targets are asked for")
        if self._sorted is None:
            self._sorted = torch.tensor(self._seen, dtype=torch.float64).sort().values
        return self._sorted


def hazard_in_view(harm_obs: Tensor) -> Tensor:
    """h [B]: the largest of the first 25 numbers of harm_obs [B, >= 25]."""
    if harm_obs.dim() < 1 or harm_obs.shape[-1] < HAZARD_VIEW:
        raise ValueError(
            f"harm_obs must be of shape [B, >= {HAZARD_VIEW}], got {list(harm_obs.shape)}"
        )
    return harm_obs[..., :HAZARD_VIEW].amax(dim=-1)


def terrain_loss(terrain: Tensor, target: Tensor, *, reduction: Reduction = "sum") -> Tensor:
    """Squared error of terrain weights [B, 2], a scalar: the sum, or the mean, of the two means.

    Raises ValueError where the shapes differ, or the weights carry no gradient although gradients
    are on: a cached, detached weight would teach nothing.
    """
    if reduction not in get_args(Reduction):
        raise ValueError(f"reduction must be one of sum, mean, got {reduction!r}")
    if terrain.shape != target.shape or terrain.shape[-1:] != (2,):
        shapes = f"{list(terrain.shape)} and {list(target.shape)}"
        raise ValueError(f"terrain and target must both be of shape [B, 2], got {shapes}")
    if torch.is_grad_enabled() and not terrain.requires_grad:
        raise ValueError("terrain must carry a gradient, got a detached tensor")
    loss = functional.mse_loss(terrain, target)
    return loss * 2 if reduction == "sum" else loss


def _either(chosen: Tensor, high: float, low: float, like: Tensor) -> Tensor:
    return torch.where(chosen, torch.full_like(like, high), torch.full_like(like, low))
