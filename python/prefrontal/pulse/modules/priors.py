"""What a module declares about the signals it cares for: files, memory, time.

The dataclasses are mutable and unchecked; `parse` is where the rules are. Every rule broken is an
`InputError` that names the key as a dotted path.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any
from zlib import crc32

from .fields import (
    folder,
    is_encodable,
    is_whole,
    items,
    mapping,
    number,
    refuse,
    required,
    strings,
)

EVERY_DAY = tuple(range(7))


def extension_hash(extension: str) -> float:
    """Slot 10 of the feature vector: (crc32 of the UTF-8 bytes mod 1000)/1000, "" gives 0."""
    return crc32(extension.encode()) % 1000 / 1000


@dataclass(slots=True)
class FilesystemPrior:
    """Where files matter, and which kinds do and do not.

    watch_directories: absolute, `~` expanded and links resolved; they need not exist.
    relevant_extensions, irrelevant_extensions: last suffix with its dot, case as given (".pdf").
    """

    watch_directories: list[str]
    relevant_extensions: list[str] = field(default_factory=list)
    irrelevant_extensions: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> FilesystemPrior:
        """Check a raw dict. No extension may be in both lists, whatever its case."""
        raw = mapping(path, value, cls.__slots__)
        required(path, raw, ("watch_directories",))
        where = f"{path}.watch_directories"
        directories = [
            folder(f"{where}[{index}]", item)
            for index, item in enumerate(items(where, raw["watch_directories"], at_least_one=True))
        ]
        relevant, irrelevant = (
            _extensions(f"{path}.{name}", raw.get(name, [])) for name in cls.__slots__[1:]
        )
        folded = {extension.casefold() for extension in relevant}
        both = [extension for extension in irrelevant if extension.casefold() in folded]
        if both:
            refuse(
                f"{path}.irrelevant_extensions",
                "share no extension, whatever its case, with relevant_extensions",
                both,
            )
        return cls(directories, relevant, irrelevant)

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return asdict(self)


@dataclass(slots=True)
class MemoryPrior:
    """Which namespaces of the agent's memory matter, and which keys matter most."""

    watch_namespaces: list[str]
    high_relevance_keys: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> MemoryPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        required(path, raw, ("watch_namespaces",))
        where = f"{path}.watch_namespaces"
        return cls(
            strings(where, raw["watch_namespaces"], at_least_one=True),
            strings(f"{path}.high_relevance_keys", raw.get("high_relevance_keys", [])),
        )

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return asdict(self)


@dataclass(slots=True)
class TimePrior:
    """When signals matter.

    active_hours: first and last local hour, both included, 0..23. A first hour after the last one
        passes midnight: (22, 6) is 22:00 to 06:59.
    active_days: 0..6, Monday is 0.
    typical_interval_hours: usual hours between two signals that matter.
    """

    active_hours: tuple[int, int]
    active_days: list[int] = field(default_factory=lambda: list(EVERY_DAY))
    typical_interval_hours: float = 24.0

    @classmethod
    def parse(cls, path: str, value: object) -> TimePrior:
        """Check a raw dict. A day named twice counts once; the order given is kept."""
        raw = mapping(path, value, cls.__slots__)
        required(path, raw, ("active_hours",))
        return cls(
            _hours(f"{path}.active_hours", raw["active_hours"]),
            _days(f"{path}.active_days", raw.get("active_days", list(EVERY_DAY))),
            _interval(f"{path}.typical_interval_hours", raw.get("typical_interval_hours", 24.0)),
        )

    def covers(self, hour: int) -> bool:
        """Whether a local hour 0..23 lies in the active hours, past midnight too."""
        start, end = self.active_hours
        return (hour - start) % 24 <= (end - start) % 24

    def is_whole_day(self) -> bool:
        """Whether every hour is active, however it is written: (0, 23) or (5, 4)."""
        start, end = self.active_hours
        return (end - start) % 24 == 23

    def encoded(self) -> tuple[float, float, float, float]:
        """Sine and cosine of the first hour, then of the last, on a circle of 24 hours."""
        start, end = (2 * math.pi * hour / 24 for hour in self.active_hours)
        return math.sin(start), math.cos(start), math.sin(end), math.cos(end)

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return asdict(self) | {"active_hours": list(self.active_hours)}


@dataclass(slots=True)
class HistoryPrior:
    """That the module is asked about the changes of one history alone, which it learned from.

    Hours and weekdays are read in UTC, as in a replay.
    recall: share of what matters that must wake; None for the usual one.
    rule: the rule it starts from, as `Rule.to_dict` has it; None when none was found.
    complete: whether every change is labelled by itself, slept through or not, so that nothing need
    be audited.
    """

    recall: float | None = None
    rule: dict[str, Any] | None = None
    complete: bool = False

    @classmethod
    def parse(cls, path: str, value: object) -> HistoryPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        recall, rule = raw.get("recall"), raw.get("rule")
        if recall is not None:
            recall = number(f"{path}.recall", recall, "be a number above 0 and at most 1")
            if not 0.0 < recall <= 1.0:
                refuse(f"{path}.recall", "be a number above 0 and at most 1", raw["recall"])
        complete = raw.get("complete", False)
        if not isinstance(complete, bool):
            refuse(f"{path}.complete", "be true or false", complete)
        return cls(recall, None if rule is None else _rule(f"{path}.rule", rule), complete)

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return asdict(self)


def _rule(path: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        refuse(path, "be a dict", value)
    from ..._core.pulse import Rule

    try:
        Rule.from_dict(value)
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        refuse(path, f"be a rule that a replay found ({error})", value)
    return value


def _extensions(path: str, value: object) -> list[str]:
    extensions = strings(path, value)
    for index, extension in enumerate(extensions):
        if not extension.startswith(".") or not extension[1:].strip():
            refuse(f"{path}[{index}]", "be a dot and a suffix", extension)
        if "/" in extension or "\\" in extension:
            refuse(f"{path}[{index}]", "hold no path separator", extension)
        if not is_encodable(extension):
            refuse(f"{path}[{index}]", "be text that UTF-8 can hold", extension)
    return extensions


def _hours(path: str, value: object) -> tuple[int, int]:
    rule = "be a list of two whole numbers 0..23"
    if not isinstance(value, list) or len(value) != 2:
        refuse(path, rule, value)
    start, end = value
    if not is_whole(start, 0, 23) or not is_whole(end, 0, 23):
        refuse(path, rule, value)
    return start, end


def _days(path: str, value: object) -> list[int]:
    days = []
    for index, day in enumerate(items(path, value, at_least_one=True)):
        if not is_whole(day, 0, 6):
            refuse(f"{path}[{index}]", "be a whole number 0..6", day)
        days.append(day)
    return list(dict.fromkeys(days))


def _interval(path: str, value: object) -> float:
    rule = "be a finite number above 0"
    hours = number(path, value, rule)
    if hours <= 0:
        refuse(path, rule, value)
    return hours
