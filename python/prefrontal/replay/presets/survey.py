"""What each candidate for a preset would call relevant, from one pass over the history."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .globs import compile_glob
from .kinds import CHANGELOGS, FRAGMENTS, REPAIRS, TESTS, TRIVIAL, is_routine
from .presets import EXCEPTED, WRITTEN, writes_entry

if TYPE_CHECKING:
    from ...types import Window

_KINDS = (FRAGMENTS, CHANGELOGS, TESTS)


@dataclass(frozen=True, slots=True)
class Touch:
    """A window with files that candidates mean: (globs, kind of change) and how many such files.

    others: files that no candidate means.
    """

    window: int
    files: tuple[tuple[tuple[str, ...], str, int], ...]
    others: int


class Survey:
    """Counts of one history. Entries stand at *places*: windows in order, less those of routine."""

    def __init__(self) -> None:
        self.entries: defaultdict[str, list[int]] = defaultdict(list)
        self.repairs: list[int] = []
        self._repair = re.compile(REPAIRS)
        self._repair_windows: list[int] = []
        self._touches: list[Touch] = []
        self._times = array("d")
        self._windows = array("q")  # the window at each place
        self._most = {glob: kind.most_files for kind in _KINDS for glob in kind.globs}
        self._patterns = [(glob, compile_glob(glob)) for glob in self._most]
        self._trivial = compile_glob(TRIVIAL)
        # Histories name the same files again and again; most paths are looked at once.
        self._globs_of = lru_cache(maxsize=2**16)(self._look)

    def of(self, history: Iterable[Window]) -> Iterator[Window]:
        """The windows as they come, counted as they pass, without their events."""
        for window in history:
            number, place = len(self._times), len(self._windows)
            counts = not is_routine(window)
            self._times.append(window.time)
            touch = self._touch(window, number)
            if self._repair.search(window.text) is not None:
                self._repair_windows.append(number)
                self.repairs += [place] * counts
            if counts:
                self._windows.append(number)
                if touch is not None:
                    self._count(touch, place)
            yield replace(window, events=())  # follow-ups are held for long, and need none

    @property
    def windows(self) -> int:
        return len(self._times)

    @property
    def places(self) -> int:
        return len(self._windows)

    def window_at(self, place: int) -> int:
        """The number of the window at a place; at the end, one past the last."""
        return self._windows[place] if place < len(self._windows) else self.windows

    def place_of(self, window: int) -> int:
        """The first place at or after a window."""
        return bisect_left(self._windows, window)

    def time_of(self, window: int) -> float:
        return self._times[window]

    def labels(self, globs: Collection[str], begin: int) -> tuple[int, int]:
        """From window `begin` on: how many a path preset of these globs calls relevant, of how
        many that are left when the files of the globs are hidden; "!*.trivial*" may be one."""
        trivial = WRITTEN if f"!{TRIVIAL}" in globs else ()
        left = self.windows - begin
        relevant = 0
        for touch in self._touches[bisect_left(self._touches, begin, key=lambda t: t.window) :]:
            others = touch.others
            changes = []
            for lines, delta, count in touch.files:
                if mine := [glob for glob in lines if glob in globs]:
                    exception = delta in trivial and TRIVIAL in lines
                    changes.append((mine, EXCEPTED if exception else delta))
                else:
                    others += count
            if not others:
                left -= 1
            elif writes_entry(changes):
                relevant += 1
        return relevant, left

    def repairs_since(self, begin: int) -> int:
        return len(self._repair_windows) - bisect_left(self._repair_windows, begin)

    def _touch(self, window: Window, number: int) -> Touch | None:
        files: Counter[tuple[tuple[str, ...], str]] = Counter()
        for event in window.events:
            if globs := self._globs_of(event.location):
                files[globs, event.delta_type] += 1
        if not files:
            return None
        touch = Touch(
            number,
            tuple([(globs, delta, count) for (globs, delta), count in files.items()]),
            len(window.events) - files.total(),
        )
        self._touches.append(touch)
        return touch

    def _count(self, touch: Touch, place: int) -> None:
        """An entry of each glob of which the change wrote some file, and not too many."""
        every = touch.others + sum(count for *_, count in touch.files)
        touched: Counter[str] = Counter()
        written: Counter[str] = Counter()
        for globs, delta, count in touch.files:
            for glob in globs:
                touched[glob] += count
                written[glob] += count if delta in WRITTEN else 0
        for glob, count in written.items():
            most = self._most.get(glob)
            if count and touched[glob] < every and (most is None or count <= most):
                self.entries[glob].append(place)

    def _look(self, location: str) -> tuple[str, ...]:
        globs = [glob for glob, pattern in self._patterns if pattern.match(location)]
        if globs and self._trivial.match(location):
            globs.append(TRIVIAL)
        return tuple(globs)
