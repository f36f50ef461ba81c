"""When E1, E2 and E3 tick, and when the commitment of E3 is swept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from ..field_checks import Count, Natural, Share, check_fields

__all__ = ["ClockTick", "MultirateClock", "MultirateClockConfig"]


@dataclass(frozen=True, slots=True)
class MultirateClockConfig:
    """Periods in environment steps.

    e3_slow, e3_fast: E3's period at rest and at full arousal, int(slow (1 - t) + fast t) between.
    sweep_period, sweep_steps: the last `steps` of every `period` lower E3's threshold by the share
    sweep_amplitude; steps 0: never.
    """

    e1_period: Count = 1
    e2_period: Count = 3
    e3_slow: Count = 20
    e3_fast: Count = 5
    sweep_period: Count = 50
    sweep_steps: Natural = 5
    sweep_amplitude: Share = 0.25

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError, naming the field."""
        check_fields(self)
        if self.e3_fast > self.e3_slow:
            slow, fast = self.e3_slow, self.e3_fast
            raise ValueError(f"e3_fast must be at most e3_slow ({slow}), got {fast}")
        if self.sweep_steps > self.sweep_period:
            period, steps = self.sweep_period, self.sweep_steps
            raise ValueError(f"sweep_steps must be at most sweep_period ({period}), got {steps}")


class ClockTick(NamedTuple):
    """Which parts tick in this step (numbered from 0), and the sweep, 0 outside of one."""

    step: int
    e1: bool
    e2: bool
    e3: bool
    sweep: float


class MultirateClock:
    """Counts steps. The first step ticks all parts; E3's period follows the arousal |z_beta|."""

    def __init__(self, config: MultirateClockConfig | None = None) -> None:
        self.config = config or MultirateClockConfig()
        self.reset()

    def reset(self) -> None:
        """Back to step 0 and to rest."""
        self._step = 0
        self._since_e3: int | None = None
        self._e3_period = self.config.e3_slow

    @property
    def e3_period(self) -> int:
        """Steps between ticks of E3, 5 to 20, by the latest arousal."""
        return self._e3_period

    def advance(self, z_beta: Tensor | float | None = None) -> ClockTick:
        """Advance one step.

        z_beta: [64] or [B, 64], of whose norm the mean is taken, or the norm itself; None: as
        before. Raises ValueError for one that is not finite; the clock stands still then.
        """
        if z_beta is not None:
            self._e3_period = self._period(z_beta)
        config, step = self.config, self._step
        e3 = self._since_e3 is None or self._since_e3 + 1 >= self._e3_period
        self._since_e3 = 0 if e3 else (self._since_e3 or 0) + 1
        self._step += 1
        sweeps = step % config.sweep_period >= config.sweep_period - config.sweep_steps
        return ClockTick(
            step,
            step % config.e1_period == 0,
            step % config.e2_period == 0,
            e3,
            config.sweep_amplitude if sweeps else 0.0,
        )

    def phase_reset(self) -> None:
        """Make the next step a tick of E3."""
        self._since_e3 = None

    def _period(self, z_beta: Tensor | float) -> int:
        if isinstance(z_beta, Tensor):
            rows = z_beta.detach().reshape(-1, z_beta.shape[-1])
            arousal = float(rows.norm(dim=-1).mean())
        else:
            arousal = float(z_beta)
        if not math.isfinite(arousal):
            raise ValueError(f"z_beta must be finite, got {arousal!r}")
        slow, fast = self.config.e3_slow, self.config.e3_fast
        share = min(max(arousal, 0.0), 1.0)
        return min(max(int(slow * (1 - share) + fast * share), fast), slow)
