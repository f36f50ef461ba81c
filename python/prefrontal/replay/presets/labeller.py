"""Labels of a history that goes on: each given when it becomes known, as a replay learns it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError
from ...types import Window
from .followups import Followed, FollowupPreset, Followups
from .labelled import Labelled
from .owed_labels import OwedLabel, OwedLabels
from .presets import MessagePreset, PathPreset, Preset, parse_preset


class Labeller:
    """Takes the changes of a git history in order and labels them as `Preset.apply` does.

    Raises InputError for a preset that needs more than what a change says itself.
    """

    def __init__(self, preset: Preset) -> None:
        if not isinstance(preset, PathPreset | MessagePreset | FollowupPreset):
            raise InputError(f"relevant must be something that commits tell, got {preset.name!r}")
        self.preset = preset
        self._horizon_s = preset.horizon_s if isinstance(preset, FollowupPreset) else None
        self._followups = Followups(self._horizon_s or 0.0)
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._owed = OwedLabels()

    def take(self, window: Window) -> Labelled:
        """The next change."""
        if self._horizon_s is None:
            return Labelled(next(self.preset.apply(iter((window,))), None))
        released = list(self._followups.due(window.time))
        followed = self._followups.take(window)
        self._count += 1
        self._numbers[window.key] = self._count
        self._owe(released, followed, self._horizon_s)
        waiting = self._followups.waiting[-1].window
        return Labelled(waiting, self._owed.due(window.time))

    def _owe(self, released: list[Followed], followed: list[Followed], horizon_s: float) -> None:
        for each in followed:
            assert each.followed_at is not None
            number = self._numbers[each.window.key]
            self._owed.add(OwedLabel(each.followed_at, number, each.window.key, True))
        for each in released:
            number = self._numbers.pop(each.window.key)
            if each.followed_at is None:
                known_at = each.window.time + horizon_s
                self._owed.add(OwedLabel(known_at, number, each.window.key, False))

    def waiting(self) -> Iterator[str]:
        """Keys of the windows whose label is still to come."""
        yield from self._owed.keys()
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
            "owed": self._owed.to_list(),
            "count": self._count,
        }

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Labeller:
        """What `to_dict` gave. Raises InputError, KeyError, TypeError or ValueError for others."""
        labeller = cls(parse_preset(raw["relevant"]))
        for key, time, names, followed_at, number in raw["waiting"]:
            labeller._followups.add(Followed(Window(key, time, ()), tuple(names), followed_at))
            labeller._numbers[key] = number
        labeller._owed = OwedLabels.from_list(raw["owed"])
        labeller._count = raw["count"]
        return labeller
