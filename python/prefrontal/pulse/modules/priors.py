"""What a module declares about the signals it cares for: files, memory, time.

The dataclasses are mutable; the rules of their fields hold for what `read_prior` reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any
from zlib import crc32

from ...typed_fields import FieldError, Must, read, then
from .fields import ENCODABLE, NOT_EMPTY, SHAPE, Folder, number

EVERY_DAY = tuple(range(7))
_STRING = Must("be a string", covers_type=True)


def extension_hash(extension: str) -> float:
    """Slot 10 of the feature vector: (crc32 of the UTF-8 bytes mod 1000)/1000, "" gives 0."""
    return crc32(extension.encode()) % 1000 / 1000


def read_prior(kind: type, raw: object, place: str) -> Any:
    """The prior that a dict describes. Raises `InputError` naming the key as a dotted path."""
    return read(kind, raw, SHAPE, place)


def _is_rule(value: dict[str, Any]) -> dict[str, Any]:
    from ..._core.pulse import Rule

    try:
        Rule.from_dict(value)
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FieldError(f"be a rule that a replay found ({error})", value) from error
    return value


def _is_hour(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 23


ABOVE_0 = number("be a finite number above 0", lambda value: value > 0)
RECALL = number("be a number above 0 and at most 1", lambda value: 0 < value <= 1)
UNIQUE = then(lambda items: list(dict.fromkeys(items)))
Extension = Annotated[
    str,
    _STRING,
    Must("be a dot and a suffix", lambda text: text.startswith(".") and bool(text[1:].strip())),
    Must("hold no path separator", lambda text: "/" not in text and "\\" not in text),
    ENCODABLE,
]
Key = Annotated[str, _STRING]
Day = Annotated[int, Must("be a whole number 0..6", lambda day: 0 <= day <= 6, covers_type=True)]
Hours = Annotated[
    tuple[Any, Any],
    Must(
        "be a list of two whole numbers 0..23",
        lambda hours: all(map(_is_hour, hours)),
        covers_type=True,
    ),
]


@dataclass(slots=True)
class FilesystemPrior:
    """Where files matter, and which kinds do and do not.

    watch_directories: absolute, `~` expanded and links resolved; they need not exist.
    relevant_extensions, irrelevant_extensions: last suffix with its dot, case as given (".pdf");
    none is in both, whatever its case.
    """

    watch_directories: Annotated[list[Folder], NOT_EMPTY]
    relevant_extensions: list[Extension] = field(default_factory=list)
    irrelevant_extensions: list[Extension] = field(default_factory=list)

    def __post_init__(self) -> None:
        folded = {extension.casefold() for extension in self.relevant_extensions}
        both = [each for each in self.irrelevant_extensions if each.casefold() in folded]
        if both:
            rule = "share no extension, whatever its case, with relevant_extensions"
            raise FieldError(rule, both, ("irrelevant_extensions",))


@dataclass(slots=True)
class MemoryPrior:
    """Which namespaces of the agent's memory matter, and which keys matter most."""

    watch_namespaces: Annotated[list[Key], NOT_EMPTY]
    high_relevance_keys: list[Key] = field(default_factory=list)


@dataclass(slots=True)
class TimePrior:
    """When signals matter.

    active_hours: first and last local hour, both included, 0..23. A first hour after the last one
        passes midnight: (22, 6) is 22:00 to 06:59.
    active_days: 0..6, Monday is 0; a day named twice counts once.
    typical_interval_hours: usual hours between two signals that matter.
    """

    active_hours: Hours
    active_days: Annotated[list[Day], NOT_EMPTY, UNIQUE] = field(
        default_factory=lambda: list(EVERY_DAY)
    )
    typical_interval_hours: Annotated[float, ABOVE_0] = 24.0

    def covers(self, hour: int) -> bool:
        """Whether a local hour 0..23 lies in the active hours, past midnight too."""
        start, end = self.active_hours
        return bool((hour - start) % 24 <= (end - start) % 24)

    def is_whole_day(self) -> bool:
        """Whether every hour is active, however it is written: (0, 23) or (5, 4)."""
        start, end = self.active_hours
        return bool((end - start) % 24 == 23)

    def encoded(self) -> tuple[float, float, float, float]:
        """Sine and cosine of the first hour, then of the last, on a circle of 24 hours."""
        start, end = (2 * math.pi * hour / 24 for hour in self.active_hours)
        return math.sin(start), math.cos(start), math.sin(end), math.cos(end)


@dataclass(slots=True)
class HistoryPrior:
    """That the module is asked about the changes of one history alone, which it learned from.

    Hours and weekdays are read in UTC, as in a replay.
    recall: share of what matters that must wake; None for the usual one.
    rule: the rule it starts from, as `Rule.to_dict` has it; None when none was found.
    complete: whether every change is labelled by itself, slept through or not, so that nothing need
    be audited.
    commits: whether its changes are commits, so that it also starts from what public histories say
    of these.
    """

    recall: Annotated[float, RECALL] | None = None
    rule: Annotated[dict[str, Any], then(_is_rule)] | None = None
    complete: bool = False
    commits: bool = False
