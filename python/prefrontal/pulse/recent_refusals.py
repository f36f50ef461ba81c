"""The latest windows that woke nobody, in memory: bounded by number, and by bytes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .event_bytes import size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..types import SignalEvent
    from .wake_records import Refusal

MOST = 1000
MOST_BYTES = 16_000_000
_LARGE = MOST_BYTES // MOST
"""While no window is larger their number bounds their bytes, too."""


def is_large(window: Sequence[SignalEvent]) -> bool:
    """Whether the window may take the refusals over their bytes."""
    return size_of(window) > _LARGE


def trim(refusals: deque[Refusal]) -> None:
    """Forget the oldest until the others are within MOST_BYTES; the newest window stays."""
    if not refusals:
        return
    windows = {id(each.scored.window): each.scored.window for each in reversed(refusals)}
    room = MOST_BYTES
    remaining = set[int]()
    for key, window in windows.items():
        room -= size_of(window)
        if room < 0 and remaining:
            break
        remaining.add(key)
    while id(refusals[0].scored.window) not in remaining:
        refusals.popleft()
