"""The number that decides whether a window that slept is asked about all the same."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from ...decisions.payloads import Moment
from ...types import SignalEvent

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def audit_number(window: Sequence[SignalEvent], moment: Moment, first: int | None = None) -> int:
    """Of a window that is decided about at that moment: what its audit is drawn by.

    It follows from the window and the time alone, so that what one source sends moves no audit of
    another's windows. first: how many events the starts before had, where the event's number is
    taken, as before version 9.
    """
    if first is not None:
        return first + moment.event
    last = window[-1]
    text = last.features.get("text", "")
    content = f"{last.source}\0{last.location}\0{last.delta_type}\0{text}"
    return (int(moment.time * 1e6) << 32) + crc32(content.encode(errors="replace"))


def score_draw(seed: int, number: int, module_id: str) -> float:
    """A number in [0, 1) for the window of that number and the module (SplitMix64).

    It is drawn without regard to the windows before, so that one that was lost changes no other.
    """
    mixed = (seed * 0xD1342543DE82EF95 + crc32(module_id.encode())) & _MASK
    mixed = (mixed + number * _GOLDEN) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((mixed ^ (mixed >> 31)) >> 11) * 2.0**-53
