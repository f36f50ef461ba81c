"""Labels of a history that goes on: each given when it becomes known, as a replay learns it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError
from ...types import Window
from .followups import Followed, FollowupPreset, Followups
from .presets import MessagePreset, PathPreset, Preset, parse_preset

Due = tuple[str, bool]
"""The key of a window, and whether it was relevant."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A change as the gate sees it. window: None when the preset hides all of it; its `relevant` is
    set when it is known at once. due: labels of earlier windows, to be learned before it."""

    window: Window | None
    due: tuple[Due, ...] = ()


@dataclass(order=True, frozen=True, slots=True)
class _Owed:
    """A label that is known, but not by the windows up to then."""

    known_at: float
    number: int
    key: str = field(compare=False)
    relevant: bool = field(compare=False)


class Labeller:
    """Takes the changes of a git history in order and labels them as `Preset.apply` does.

    A label that a later change tells is due with the first change of a later time: what happens
    in one second knows nothing of itself. Raises InputError for a preset that needs more than git.
    """

    def __init__(self, preset: Preset) -> None:
        if not isinstance(preset, PathPreset | MessagePreset | FollowupPreset):
            raise InputError(f"relevant must be something that commits tell, got {preset.name!r}")
        self.preset = preset
        self._horizon_s = preset.horizon_s if isinstance(preset, FollowupPreset) else None
        self._followups = Followups(self._horizon_s or 0.0)
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._owed: list[_Owed] = []

    def take(self, window: Window) -> Labelled:
        """The next change."""
        if self._horizon_s is None:
            return Labelled(next(self.preset.apply(iter((window,))), None))
        released = list(self._followups.due(window.time))
        followed = self._followups.take(window)
        self._count += 1
        self._numbers[window.key] = self._count
        self._owe(released, followed, self._horizon_s)
        due = sorted(each for each in self._owed if each.known_at < window.time)
        self._owed = [each for each in self._owed if each.known_at >= window.time]
        waiting = self._followups.waiting[-1].window
        return Labelled(waiting, tuple((each.key, each.relevant) for each in due))

    def _owe(self, released: list[Followed], followed: list[Followed], horizon_s: float) -> None:
        for each in followed:
            assert each.followed_at is not None
            number = self._numbers[each.window.key]
            self._owed.append(_Owed(each.followed_at, number, each.window.key, True))
        for each in released:
            number = self._numbers.pop(each.window.key)
            if each.followed_at is None:
                known_at = each.window.time + horizon_s
                self._owed.append(_Owed(known_at, number, each.window.key, False))

    def waiting(self) -> Iterator[str]:
        """Keys of the windows whose label is still to come."""
        yield from (each.key for each in self._owed)
        yield from (e.window.key for e in self._followups.waiting if e.followed_at is None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `from_dict` reads back."""
        return {
            "relevant": self.preset.name,
            "waiting": [
                [
                    each.window.key,
                    each.window.time,
                    list(each.names),
                    each.followed_at,
                    self._numbers[each.window.key],
                ]
                for each in self._followups.waiting
            ],
            "owed": [[e.known_at, e.number, e.key, e.relevant] for e in self._owed],
            "count": self._count,
        }

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Labeller:
        """What `to_dict` gave. Raises InputError, KeyError, TypeError or ValueError for others."""
        labeller = cls(parse_preset(raw["relevant"]))
        for key, time, names, followed_at, number in raw["waiting"]:
            labeller._followups.add(Followed(Window(key, time, ()), tuple(names), followed_at))
            labeller._numbers[key] = number
        labeller._owed = [_Owed(*each) for each in raw["owed"]]
        labeller._count = raw["count"]
        return labeller
