"""Labels of changes by the fixes that come: `FixedLaterPreset` for a history that goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ...types import Window
from .fixed_later import FIX_HORIZON_S, MOST_CHANGES_LATER, FixedLaterPreset, is_fix, sized
from .labelled import Labelled
from .owed_labels import OwedLabel, OwedLabels

Blames = Callable[[str], Collection[str]]
"""The keys of the changes whose lines a fix of that key changed."""
Size = Callable[[str], int]
"""The lines of sources that a change of that key removed and wrote."""


@dataclass(frozen=True, slots=True)
class _Unfixed:
    """A change that no fix blamed so far."""

    time: float
    number: int


class FixLabeller:
    """Takes the changes of a git history in order and labels them as `FixedLaterPreset.apply` does.

    A preset that was read knows all fixes of its history; those that come later are told by
    `blames`. is_sized: whether the gate sees sizes, as it did where it learned; what was adopted
    before there were any goes on without.
    """

    def __init__(self, preset: FixedLaterPreset, is_sized: bool = True) -> None:
        self.preset = preset
        self.is_sized = is_sized
        self._unfixed: dict[str, _Unfixed] = {}
        self._owed = OwedLabels()
        self._count = 0

    def take(
        self, window: Window, blames: Blames = lambda _: (), size: Size = lambda _: 0
    ) -> Labelled:
        """The next change. blames, size: asked only where the preset was not read, the one only
        for a fix."""
        fixes = self.preset.fixes
        blamed = blames(window.key) if fixes is None and is_fix(window) else ()
        events = window.events
        if self.is_sized:
            sizes = self.preset.sizes
            lines = size(window.key) if fixes is None else sizes.get(window.key, 0)
            events = sized(events, lines)
        self._count += 1  # only now: git may fail, and the change comes again
        for key in blamed:
            self._fixed(key, window.time)
        self._give_up(window.time)
        at = None if fixes is None else fixes.get(window.key)
        if at is not None:
            self._owed.add(OwedLabel(at, self._count, window.key, True))
        else:
            self._unfixed[window.key] = _Unfixed(window.time, self._count)
        unlabelled = Window(window.key, window.time, events, window.actor, window.text)
        return Labelled(unlabelled, self._owed.due(window.time))

    def _fixed(self, key: str, time: float) -> None:
        """A fix blames a change."""
        change = self._unfixed.get(key)
        if change is None or time - change.time > FIX_HORIZON_S:
            return
        if self._count - change.number <= MOST_CHANGES_LATER:
            del self._unfixed[key]
            self._owed.add(OwedLabel(time, change.number, key, True))

    def _give_up(self, time: float) -> None:
        """What no fix blamed until its horizon needed none."""
        for key, change in list(self._unfixed.items()):
            if change.time + FIX_HORIZON_S < time:
                del self._unfixed[key]
                known_at = change.time + FIX_HORIZON_S
                self._owed.add(OwedLabel(known_at, change.number, key, False))

    def waiting(self) -> Iterator[str]:
        """Keys of the windows whose label is still to come."""
        yield from self._owed.keys()
        yield from self._unfixed

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `from_dict` reads back."""
        return {
            "relevant": self.preset.name,
            "waiting": [[key, each.time, each.number] for key, each in self._unfixed.items()],
            "owed": self._owed.to_list(),
            "count": self._count,
            "sized": self.is_sized,
        }

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> FixLabeller:
        """What `to_dict` gave. Raises KeyError, TypeError or ValueError for others."""
        labeller = cls(FixedLaterPreset(), raw.get("sized", False))
        labeller._unfixed = {key: _Unfixed(time, number) for key, time, number in raw["waiting"]}
        labeller._owed = OwedLabels.from_list(raw["owed"])
        labeller._count = raw["count"]
        return labeller
