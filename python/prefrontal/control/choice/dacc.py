"""Dorsal anterior cingulate: prediction error, the value of control, and a bias of candidates.

    pe = |z_harm_a - prediction| (1 + min(precision / 500, 3)), capped; less for what recurs
    control = effort_cost pe                  mode_ev_k = payoff_k - control effort_k
    interaction_k = (payoff_k - mean payoff) (-(effort_k - mean effort))
    foraging = max(0, pe - running average of pe)     difficulty = population std of mode_ev
    suppression_k = share of candidate k's class among the last actions
    bias_k = w (1 + drive_coupling drive) (-mode_ev_k - w_i interaction_k + w_f foraging
             + w_s suppression_k), bounded, - w_goal goal_proximity_k

Lower is better, as E3 has it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from torch import Tensor, nn

from ..field_checks import Bounds, Count, Natural, Share, check_fields

__all__ = ["DACCAdaptiveControl", "DACCConfig", "DACCOutput"]


@dataclass(frozen=True, slots=True)
class DACCConfig:
    """Prediction error, the worth of control, and the bias made of them.

    use_dacc: off, no bias and no memory. bias_weight, interaction_weight, foraging_weight,
    suppression_weight: w, w_i, w_f and w_s of the bias; goal_weight: of goal proximity.
    bias_max_abs: bound of the bias before goal proximity; 0: none.
    effort_cost: of the prediction error, which makes control. dacc_drive_coupling: what a drive
    of 1 adds to the gain. precision_scale, precision_max: the error grows by
    min(precision / precision_scale, precision_max). pe_cap: the largest error; 0: none.
    pe_decay: of the running average of the error. saturation: whether an outcome that keeps coming
    back counts less: 1 / (1 + saturation_slope max(0, n - saturation_free)) for the n-th time among
    the last `memory`. memory: how many outcomes and actions are kept.
    """

    use_dacc: bool = False
    bias_weight: float = 0.0
    interaction_weight: float = 0.0
    foraging_weight: float = 0.0
    suppression_weight: float = 0.0
    goal_weight: float = 0.0
    bias_max_abs: Annotated[float, Bounds(0, 1000000000)] = 0.0
    effort_cost: float = 0.1
    dacc_drive_coupling: float = 0.0
    precision_scale: Annotated[float, Bounds(1e-09, 1000000000)] = 500.0
    precision_max: Annotated[float, Bounds(0, 1000000000)] = 3.0
    pe_cap: Annotated[float, Bounds(0, 1000000000)] = 0.0
    pe_decay: Share = 0.95
    saturation: bool = False
    saturation_slope: Annotated[float, Bounds(0, 1000000000)] = 0.3
    saturation_free: Natural = 2
    memory: Count = 8

    def __post_init__(self) -> None:
        check_fields(self)


class DACCOutput(NamedTuple):
    """The result of a tick: numbers, and [K] tensors. bias is 0 where all weights are."""

    bias: Tensor
    pe: float
    control: float
    foraging: float
    difficulty: float
    mode_ev: Tensor
    interaction: Tensor
    suppression: Tensor

    def signals(self) -> dict[str, float]:
        """The signals for the salience coordinator."""
        names = ("pe", "foraging", "difficulty")
        return {f"dacc_{name}": float(getattr(self, name)) for name in names}


class DACCAdaptiveControl(nn.Module):
    """The formulas above, and the few things they remember: no parameter, no gradient.

    Keeps the running average of the error, the last outcomes and the last classes of actions, all
    cleared by `reset`. With `use_dacc` off nothing is remembered, and the bias is 0.
    """

    def __init__(self, config: DACCConfig | None = None) -> None:
        super().__init__()
        self.config = config or DACCConfig()
        self.pe_ema: float | None = None
        self._outcomes: deque[Hashable] = deque(maxlen=self.config.memory)
        self._actions: deque[int] = deque(maxlen=self.config.memory)

    @torch.no_grad()
    def forward(
        self,
        z_harm_a: Tensor,
        payoffs: Tensor,
        *,
        efforts: Tensor | float = 0.0,
        classes: Sequence[int] | Tensor | None = None,
        prediction: Tensor | None = None,
        precision: float = 0.0,
        drive: float = 0.0,
        goal_proximity: Tensor | None = None,
    ) -> DACCOutput:
        """One tick over K candidates; moves the running average of the error.

        z_harm_a [16] or [B, 16], whose mean is taken; prediction: of the same shape; None: 0.
        payoffs [K]: higher is better (E3's scores, negated; zeros until there are any).
        efforts: [K] or one for all. classes [K]: of each candidate's first action; None: nothing
        is suppressed. precision: E3's. drive: 0 to 1. goal_proximity: [K].
        Raises ValueError for shapes that do not fit and for NaN in precision or drive.
        """
        suppression = self._suppression(classes, payoffs)
        effort = _each("efforts", efforts, payoffs)
        near = _each("goal_proximity", 0.0 if goal_proximity is None else goal_proximity, payoffs)
        for name, value in (("precision", precision), ("drive", drive)):
            if math.isnan(value):
                raise ValueError(f"{name} must be a number, got nan")
        pe = self._error(z_harm_a, prediction, precision)
        foraging = self._foraging(pe)
        control = self.config.effort_cost * pe
        mode_ev = payoffs.detach() - control * effort
        interaction = -(payoffs - _mean(payoffs)) * (effort - _mean(effort))
        bias = self._bias(mode_ev, interaction, suppression, foraging, drive)
        if self.config.use_dacc:
            bias = bias - self.config.goal_weight * near
        difficulty = float(mode_ev.std(correction=0)) if len(mode_ev) else 0.0
        return DACCOutput(
            bias, pe, control, foraging, difficulty, mode_ev, interaction, suppression
        )

    def record_action(self, action_class: int) -> None:
        """Remember the class of the executed action."""
        if self.config.use_dacc:
            self._actions.append(int(action_class))

    def record_outcome(self, outcome: Hashable) -> None:
        """Remember the outcome (any name): recurring ones shrink the error."""
        if self.config.use_dacc:
            self._outcomes.append(outcome)

    def reset(self) -> None:
        """Forget the running average, the outcomes and the actions."""
        self.pe_ema = None
        self._outcomes.clear()
        self._actions.clear()

    def _error(self, z_harm_a: Tensor, prediction: Tensor | None, precision: float) -> float:
        error = z_harm_a.detach()
        if prediction is not None:
            if prediction.shape != error.shape:
                shape = tuple(error.shape)
                raise ValueError(
                    f"prediction must have shape {shape}, got {tuple(prediction.shape)}"
                )
            error = error - prediction.detach()
        if error.dim() not in (1, 2) or error.numel() == 0:
            expected = "(16,) or (1 or more, 16)"
            raise ValueError(f"z_harm_a must have shape {expected}, got {tuple(error.shape)}")
        pe = float(error.reshape(-1, error.shape[-1]).norm(dim=-1).mean())
        if not math.isfinite(pe):
            raise ValueError(f"z_harm_a must give a finite error, got {pe!r}")
        config = self.config
        pe *= 1 + min(max(precision, 0.0) / config.precision_scale, config.precision_max)
        pe = min(pe, config.pe_cap) if config.pe_cap > 0 else pe
        return pe * self._freshness()

    def _freshness(self) -> float:
        """1, or less for an outcome that has come back often."""
        if not (self.config.saturation and self._outcomes):
            return 1.0
        times = self._outcomes.count(self._outcomes[-1])
        over = max(0, times - self.config.saturation_free)
        return 1 / (1 + self.config.saturation_slope * over)

    def _foraging(self, pe: float) -> float:
        """How far the error is above its running average, which takes it in first."""
        if not self.config.use_dacc:
            return 0.0
        decay = self.config.pe_decay
        self.pe_ema = pe if self.pe_ema is None else decay * self.pe_ema + (1 - decay) * pe
        return max(0.0, pe - self.pe_ema)

    def _suppression(self, classes: Sequence[int] | Tensor | None, like: Tensor) -> Tensor:
        if like.dim() != 1:
            raise ValueError(f"payoffs must have shape (K,), got {tuple(like.shape)}")
        if classes is None:
            return torch.zeros_like(like)
        numbers = classes.tolist() if isinstance(classes, Tensor) else list(classes)
        if len(numbers) != len(like):
            raise ValueError(f"classes must have one for each of {len(like)}, got {len(numbers)}")
        shares = [self._actions.count(it) / max(len(self._actions), 1) for it in numbers]
        return like.new_tensor(shares)

    def _bias(
        self,
        mode_ev: Tensor,
        interaction: Tensor,
        suppression: Tensor,
        foraging: float,
        drive: float,
    ) -> Tensor:
        config = self.config
        if not config.use_dacc:
            return torch.zeros_like(mode_ev)
        gain = config.bias_weight * (1 + config.dacc_drive_coupling * drive)
        bias = gain * (
            -mode_ev
            - config.interaction_weight * interaction
            + config.foraging_weight * foraging
            + config.suppression_weight * suppression
        )
        most = config.bias_max_abs
        return bias.clamp(-most, most) if most > 0 else bias


def _mean(values: Tensor) -> Tensor:
    """Over the candidates; 0 of none."""
    return values.mean() if len(values) else values.new_zeros(())


def _each(name: str, amount: Tensor | float, payoffs: Tensor) -> Tensor:
    """One value a candidate [K], from one or from K."""
    values = torch.as_tensor(amount).detach().to(payoffs)
    if values.dim() == 0:
        return values.expand_as(payoffs)
    if values.shape != payoffs.shape:
        shape = tuple(payoffs.shape)
        raise ValueError(f"{name} must have shape {shape} or (), got {tuple(values.shape)}")
    return values
