"""Which mode the agent is in, and which memories may be written in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, SupportsFloat

from .salience_config import SalienceConfig

__all__ = ["SalienceCoordinator", "SalienceTick"]


_LARGEST = 1e100


class SalienceTick(NamedTuple):
    """The result of a tick. operating_mode: mode -> its share; shares sum to 1."""

    mode: str
    switched: bool
    salience: float
    operating_mode: dict[str, float]


class SalienceCoordinator:
    """A soft operating mode from signals, a hard one that switches, and the gates of writing.

        write_gate(target) = clip(sum over modes of p_m write_weights[target][m], 0, 1)

    Before the first tick all of p is the default mode. Signals keep their value until the
    next update. Plain floats: nothing here is trained. The formulas: SalienceConfig.
    """

    def __init__(self, config: SalienceConfig | None = None) -> None:
        """Raises ValueError for a table that names an unknown mode or holds no number."""
        self.config = config = config or SalienceConfig()
        self.ticks = 0
        self.switches = 0
        self._targets: dict[str, dict[str, float]] = {}
        self._affinities: dict[str, dict[str, float]] = {}
        for name, row in config.affinities.items():
            self.register_signal(name, row)
        for name, row in config.write_weights.items():
            self.register_target(name, row)
        for name, row in (
            ("enter_thresholds", config.enter_thresholds),
            ("exit_thresholds", config.exit_thresholds),
        ):
            self._row(name, row)
        for name, weight in config.salience_weights.items():
            self._check_signal(name)
            _number(f"salience_weights[{name!r}]", weight)
        self.reset()

    def reset(self) -> None:
        """Signals 0, the default mode, nothing forced. The two counters go on."""
        self._signals = dict.fromkeys(self._affinities, 0.0)
        self._forced: dict[str, float] | None = None
        self._mode = self.config.default_mode
        self._shares = self._only(self._mode)
        self._salience = 0.0

    @property
    def mode(self) -> str:
        """The hard mode, of the last switch."""
        return self._mode

    @property
    def operating_mode(self) -> dict[str, float]:
        """mode -> its share; they sum to 1. A copy."""
        return dict(self._shares)

    @property
    def salience(self) -> float:
        """Of the last tick."""
        return self._salience

    @property
    def signals(self) -> dict[str, float]:
        """signal -> its latest value. A copy."""
        return dict(self._signals)

    @property
    def targets(self) -> dict[str, dict[str, float]]:
        """target -> mode -> weight. A copy."""
        return {name: dict(row) for name, row in self._targets.items()}

    def update_signal(self, name: str, value: float) -> None:
        """Set one signal. Raises ValueError for an unknown name and for NaN or infinity."""
        self._check_signal(name)
        self._signals[name] = _number(name, value)

    def tick(
        self,
        signals: Mapping[str, float] | None = None,
        *,
        is_replay: bool | None = None,
        is_offline: bool | None = None,
    ) -> SalienceTick:
        """Update signals, recompute the shares of the modes, and switch if due.

        is_replay, is_offline: the two signals of that name, 1 or 0; None: as they were.
        Raises ValueError as update_signal does; then nothing has changed.
        """
        updates = dict(signals or {})
        for name, flag in (("is_replay", is_replay), ("is_offline", is_offline)):
            if flag is not None:
                updates[name] = float(flag)
        for name in updates:
            self._check_signal(name)
        self._signals |= {name: _number(name, value) for name, value in updates.items()}
        self.ticks += 1
        self._salience = self._worked_out_salience()
        if self._forced is None:
            self._shares = self._soft()
        switched = self._switch()
        return SalienceTick(self._mode, switched, self._salience, self.operating_mode)

    def write_gate(self, target: str) -> float:
        """How open the target is, 0 to 1; 0 for one that is not registered."""
        row = self._targets.get(target)
        if row is None:
            return 0.0
        return min(max(math.fsum(p * row.get(m, 0.0) for m, p in self._shares.items()), 0.0), 1.0)

    def register_target(self, name: str, weights: Mapping[str, float]) -> None:
        """Add or replace a target; a mode that is not named has weight 0.

        Raises ValueError for an unknown mode and for a weight that is no number.
        """
        self._targets[name] = self._row(f"write_weights[{name!r}]", weights)

    def register_signal(self, name: str, affinity: Mapping[str, float]) -> None:
        """Add or replace a signal; raises as register_target does."""
        self._affinities[name] = self._row(f"affinities[{name!r}]", affinity)
        if hasattr(self, "_signals"):
            self._signals.setdefault(name, 0.0)

    def force_mode(self, shares: Mapping[str, float] | None) -> None:
        """Fix the shares (an experiment's intervention) until None releases them.

        shares: at least 0, not all 0; they are brought to a sum of 1. The hard mode becomes the
        largest. Raises ValueError.
        """
        if shares is None:
            self._forced = None
            return
        row = self._row("shares", shares)
        total = math.fsum(row.values())
        if min(row.values(), default=0.0) < 0 or not 0 < total < math.inf:
            raise ValueError(f"shares must be at least 0 and not all 0, got {dict(shares)!r}")
        self._forced = {m: row.get(m, 0.0) / total for m in self.config.modes}
        self._shares = dict(self._forced)
        self._mode = self._largest()

    def _soft(self) -> dict[str, float]:
        config = self.config
        logits = dict.fromkeys(config.modes, 0.0)
        logits[config.default_mode] += config.default_logit
        for signal, row in self._affinities.items():
            value = _capped(_within_reach(self._signals[signal]), config.affinity_input_cap)
            for mode, affinity in row.items():
                logits[mode] += value * affinity
        temperature = config.temperature * math.exp(self._arousal())
        highest = max(logits.values())
        raised = {m: math.exp((it - highest) / temperature) for m, it in logits.items()}
        total = math.fsum(raised.values())
        return {m: it / total for m, it in raised.items()}

    def _arousal(self) -> float:
        """Log of what the temperature is multiplied by."""
        aic = self.config.aic_gain * _within_reach(self._signals.get("aic_salience", 0.0))
        pcc = self.config.pcc_gain * _within_reach(self._signals.get("pcc_stability", 0.0))
        return min(max(aic - pcc, -4.0), 4.0)

    def _worked_out_salience(self) -> float:
        weights = self.config.salience_weights
        reached = {name: _within_reach(self._signals[name]) for name in weights}
        return math.fsum(weight * reached[name] for name, weight in weights.items())

    def _switch(self) -> bool:
        config, best = self.config, self._largest()
        stability = self._signals.get("pcc_stability", 0.0)
        enter = config.enter_thresholds.get(best, config.switch_threshold)
        enter *= 1 + config.stability_scaling * stability
        leave = config.exit_thresholds.get(self._mode, config.exit_threshold)
        if best == self._mode or self._salience <= enter or self._shares[self._mode] >= leave:
            return False
        self._mode = best
        self.switches += 1
        return True

    def _largest(self) -> str:
        return max(self.config.modes, key=self._shares.__getitem__)  # the first of equals

    def _only(self, mode: str) -> dict[str, float]:
        return {m: float(m == mode) for m in self.config.modes}

    def _row(self, name: str, weights: Mapping[str, float]) -> dict[str, float]:
        for mode in weights:
            if mode not in self.config.modes:
                known = ", ".join(self.config.modes)
                raise ValueError(f"{name} must name modes among {known}, got {mode!r}")
        return {mode: _number(f"{name}[{mode!r}]", it) for mode, it in weights.items()}

    def _check_signal(self, name: str) -> None:
        if name not in self._affinities:
            known = ", ".join(self._affinities)
            raise ValueError(f"signal must be one of {known}, got {name!r}")


def _number(name: str, value: float) -> float:
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number!r}")
    return number


def _within_reach(value: float) -> float:
    """A signal clamped so that sums stay finite."""
    return min(max(value, -_LARGEST), _LARGEST)


def _capped(value: float, cap: float | None) -> float:
    return value if cap is None else min(max(value, -cap), cap)
