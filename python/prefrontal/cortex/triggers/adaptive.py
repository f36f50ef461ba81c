"""Thresholds that adapt to the usefulness of cycles, within the operator's bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ...typed_fields import recover

if TYPE_CHECKING:
    from ...settings.cortex_growth import Adaptive

_OFTEN, _SELDOM = 0.8, 0.2
_COUNT, _TIMER = "interaction_count", "timer"


class AdaptiveSettings(Protocol):
    """The settings that the thresholds start from."""

    @property
    def adaptive(self) -> Adaptive: ...
    @property
    def interaction_threshold(self) -> int: ...
    @property
    def schedule_minutes(self) -> float: ...


class AdaptiveThresholds:
    """Moves one threshold a step at a time.

    Of each `window` cycles that one trigger started, at least four in five useful make it fire
    earlier, at most one in five later.
    """

    def __init__(self) -> None:
        self._thresholds: dict[str, int] = {}
        self._outcomes: dict[str, list[bool]] = {_COUNT: [], _TIMER: []}

    def observe(
        self, useful: bool, triggers: Sequence[str], settings: AdaptiveSettings
    ) -> str | None:
        """Count a finished cycle; returns a line for the log when a threshold moves."""
        if not settings.adaptive.enabled:
            return None
        trigger = next((each for each in triggers if each in self._outcomes), None)
        if trigger is None or trigger != triggers[0]:
            return None  # another trigger started it: it tells nothing about this threshold
        outcomes = self._outcomes[trigger]
        outcomes.append(useful)
        if len(outcomes) < settings.adaptive.window:
            return None
        share = sum(outcomes) / len(outcomes)
        outcomes.clear()
        return self._move(trigger, share, settings)

    def thresholds(self, settings: AdaptiveSettings) -> dict[str, Any]:
        """Options of the trigger engine that override the configured ones."""
        if not settings.adaptive.enabled:
            return {}
        options: dict[str, Any] = {}
        if _COUNT in self._thresholds:
            options["count"] = self._value(_COUNT, settings)
        if _TIMER in self._thresholds:
            options["period_s"] = self._value(_TIMER, settings) * 60.0
        return options

    def save(self) -> dict[str, Any]:
        return {
            "moved": dict(self._thresholds),
            "seen": {k: list(v) for k, v in self._outcomes.items()},
        }

    def load(self, raw: object) -> None:
        """Restore what `save` returned; ignores damaged fields."""
        saved = recover(_SavedThresholds, raw, _SavedThresholds())
        self._thresholds = {k: v for k, v in saved.moved.items() if k in _NAMES}
        self._outcomes = {name: saved.seen.get(name, []) for name in _NAMES}

    def _move(self, trigger: str, share: float, settings: AdaptiveSettings) -> str | None:
        old = self._value(trigger, settings)
        step = 1 if trigger == _COUNT else max(1, old // 4)
        new = old - step if share >= _OFTEN else old + step if share <= _SELDOM else old
        low, high = _bounds(trigger, settings)
        new = max(low, min(high, new))
        if new == old:
            return None
        self._thresholds[trigger] = new
        return (
            f"{_NAMES[trigger]} moved from {old} to {new} (bounds {low}..{high}): "
            f"{share:.0%} of the last {settings.adaptive.window} cycles were useful"
        )

    def _value(self, trigger: str, settings: AdaptiveSettings) -> int:
        low, high = _bounds(trigger, settings)
        return max(low, min(high, self._thresholds.get(trigger, _STARTS[trigger](settings))))


def _bounds(trigger: str, settings: AdaptiveSettings) -> tuple[int, int]:
    adaptive = settings.adaptive
    return adaptive.interaction_threshold if trigger == _COUNT else adaptive.schedule_minutes


@dataclass(frozen=True, slots=True)
class _SavedThresholds:
    moved: dict[str, int] = field(default_factory=dict)
    seen: dict[str, list[bool]] = field(default_factory=dict)


_NAMES = {_COUNT: "interaction_threshold", _TIMER: "schedule_minutes"}
_STARTS: dict[str, Callable[[AdaptiveSettings], int]] = {
    _COUNT: lambda settings: settings.interaction_threshold,
    _TIMER: lambda settings: round(settings.schedule_minutes),
}
