"""Labels that are known, but not by the windows up to then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Due = tuple[str, bool]
"""The key of a window, and whether it was relevant."""


@dataclass(order=True, frozen=True, slots=True)
class OwedLabel:
    """number: of the window, in its history."""

    known_at: float
    number: int
    key: str = field(compare=False)
    relevant: bool = field(compare=False)


class OwedLabels:
    """Each is due with the first window of a later time: what happens in one second knows nothing
    of itself."""

    def __init__(self, labels: Iterable[OwedLabel] = ()) -> None:
        self._labels = list(labels)

    def add(self, label: OwedLabel) -> None:
        """One more, in any order."""
        self._labels.append(label)

    def due(self, time: float) -> tuple[Due, ...]:
        """Those that a window of that time knows, the oldest first; they are owed no more."""
        due = sorted(each for each in self._labels if each.known_at < time)
        self._labels = [each for each in self._labels if each.known_at >= time]
        return tuple((each.key, each.relevant) for each in due)

    def keys(self) -> Iterator[str]:
        """Of their windows."""
        yield from (each.key for each in self._labels)

    def to_list(self) -> list[Any]:
        """Plain values, which `from_list` reads back."""
        return [[each.known_at, each.number, each.key, each.relevant] for each in self._labels]

    @classmethod
    def from_list(cls, raw: Iterable[Any]) -> OwedLabels:
        """What `to_list` gave. Raises TypeError for others."""
        return cls(OwedLabel(*each) for each in raw)
