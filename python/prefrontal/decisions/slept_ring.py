"""Windows that slept, in a ring of files beside the log: appended as they are decided, unsynced.

A file is named after its start and the moment it began, and begins with a line that says from which
number the ids of its windows follow. Each further line is a window: [number of the first decision,
Unix second, events, details, [[number, module, score, threshold, reason, why, details], ...]].
What was appended survives a killed process; a power cut may take the last seconds.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import PrefrontalError
from .decision import SPREAD, Decision, from_row, slept_id
from .newest import is_ahead
from .payloads import WAKE

FORMAT = 1
SUFFIX = ".slept"
_FILES = 16
_DIGITS = 32
_HEXADECIMAL = frozenset("0123456789abcdef")
_ALL = 2**128 - 1
_BACK = pow(SPREAD, -1, 2**128)
"""Times this, what SPREAD multiplied is as it was."""
_MOST_NUMBERS = 2**48
_LONGEST_HEAD = 1000
"""Files that share the bytes of a full ring, so that the oldest sixteenth goes at once."""
_TIDY_S = 600.0


class SleptRing:
    """Appends windows of one start. folder: of the files; made with the first window.

    most_bytes: of all files together; keep_s: older files go. run, first_id: of the start.
    """

    def __init__(
        self, folder: Path, most_bytes: int, keep_s: float, run: str, first_id: int
    ) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._keep_s = keep_s
        self._run = run
        self._head = json.dumps({"format": FORMAT, "first_id": f"{first_id:032x}"}) + "\n"
        self._file = -1
        self._left = 0
        self._ends = 0.0
        self._tidy_due = 0.0

    def append(self, lines: str, now: float) -> None:
        """Write whole lines at Unix second `now`. Raises OSError."""
        data = lines.encode("utf-8", "surrogatepass")
        if self._file < 0 or len(data) > self._left or now >= self._ends:
            self._begin(now, len(data))
        self._left -= len(data)
        while data:
            data = data[os.write(self._file, data) :]

    def tidy(self, now: float) -> None:
        """Now and then remove what is too old."""
        if now >= self._tidy_due:
            self._tidy_due = now + _TIDY_S
            self._remove(now, 0)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _begin(self, now: float, size: int) -> None:
        """A new file, with room made for it among the others."""
        self.close()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        share = self._most_bytes // _FILES
        self._remove(now, max(share, size))
        path = self._folder / f"{int(now * 1000):015d}-{self._run}{SUFFIX}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o600)
        os.write(self._file, self._head.encode())
        self._left = share - len(self._head)
        self._ends = now + self._keep_s / _FILES

    def _remove(self, now: float, room: int) -> None:
        """The oldest, until `room` bytes more fit and nothing is older than may be."""
        sizes = {path: path.stat().st_size for path in _files(self._folder)}
        total = sum(sizes.values()) + room
        oldest = now - self._keep_s * (1 + 1 / _FILES)
        for path, size in sizes.items():
            if total > self._most_bytes or _began(path) < oldest:
                path.unlink(missing_ok=True)
                total -= size


class SleptWindows:
    """Reads the ring of a folder, of all starts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, prefix: str, most: int = 2) -> list[Decision]:
        """The decisions whose ids begin so, at most `most`, the newest first."""
        if not prefix or len(prefix) > _DIGITS or set(prefix) - _HEXADECIMAL:
            return []
        matches: list[Decision] = []
        for path in reversed(_files(self._folder)):
            if len(prefix) == _DIGITS and not _may_hold(path, prefix):
                continue
            first_id, lines = _read(path)
            numbers = [_number(line) for line in lines]
            for number in _numbers(first_id, prefix, numbers, lines):
                line = lines[max(0, bisect_right(numbers, number) - 1)]
                matches += [
                    each for each in _decisions(first_id, line) if each.id.startswith(prefix)
                ]
                if len(matches) >= most:
                    return matches[:most]
        return matches

    def newest(
        self,
        limit: int,
        subject: str | None,
        reason: str | None,
        now: float,
        since: float = -math.inf,
    ) -> list[Decision]:
        """The newest first, what a clock that was ahead dated last; only those that match what is
        given. now, since: Unix seconds.
        """

        def is_meant(each: Decision) -> bool:
            alike = subject in (None, each.subject) and reason in (None, each.reason)
            return alike and each.time >= since

        matches: list[Decision] = []
        ahead: list[Decision] = []
        for path in reversed(_files(self._folder)):
            first_id, lines = _read(path)
            for line in reversed(lines):
                for each in _decisions(first_id, line):
                    if is_meant(each):
                        (ahead if is_ahead(each.time, now) else matches).append(each)
                if len(matches) >= limit:
                    return matches[:limit]
                del ahead[limit:]
        return (matches + ahead)[:limit]


def _files(folder: Path) -> list[Path]:
    """Of a ring, the oldest first."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []


def _began(path: Path) -> float:
    """Unix second at which a file began; 0 for one that is not named so."""
    moment = path.name.partition("-")[0]
    return int(moment) / 1000 if moment.isdigit() else 0.0


def _first_id(head: bytes) -> int | None:
    """As the first line says; None where it is no ring of this format."""
    try:
        document = json.loads(head)
        return int(document["first_id"], 16) if document["format"] == FORMAT else None
    except (ValueError, TypeError, KeyError):
        return None


def _may_hold(path: Path, whole_id: str) -> bool:
    """Whether the id can be of that start: where it cannot, its number is far off."""
    try:
        with path.open("rb") as file:
            first_id = _first_id(file.readline(_LONGEST_HEAD))
    except OSError:
        return False
    if first_id is None:
        return False
    return (int(whole_id, 16) - first_id) * _BACK % 2**128 < _MOST_NUMBERS


def _read(path: Path) -> tuple[int, list[bytes]]:
    """(first id, whole lines of windows); none of a file that is gone or damaged."""
    try:
        head, *lines = path.read_bytes().split(b"\n")
    except OSError:
        return 0, []
    first_id = _first_id(head)
    if first_id is None:
        return 0, []
    return first_id, [line for line in lines[:-1] if _number(line) >= 0]  # the last may be torn


def _number(line: bytes) -> int:
    """Of the first decision of a line; -1 where there is none."""
    digits = line[1 : line.find(b",")]
    return int(digits) if line[:1] == b"[" and digits.isdigit() else -1


def _numbers(first_id: int, prefix: str, numbers: list[int], lines: list[bytes]) -> Iterator[int]:
    """The numbers of the file's windows whose ids begin so."""
    if not numbers:
        return
    if len(prefix) == _DIGITS:
        yield (int(prefix, 16) - first_id) * _BACK % 2**128
        return
    last = max((row[0] for row in _rows(lines[-1])), default=numbers[-1])
    shift, wanted = 4 * (_DIGITS - len(prefix)), int(prefix, 16)
    for number in range(numbers[0], last + 1):
        if ((first_id + number * SPREAD) & _ALL) >> shift == wanted:
            yield number


def _rows(line: bytes) -> list[Any]:
    """The decisions of a line; none of a damaged one."""
    try:
        return list(json.loads(line.decode("utf-8", "surrogatepass"))[4])
    except (ValueError, LookupError, TypeError):
        return []


def _decisions(first_id: int, line: bytes) -> list[Decision]:
    """What a line says of a window, for each module."""
    try:
        _, time, events, shared, rows = json.loads(line.decode("utf-8", "surrogatepass"))
        text = json.dumps(events)
        return [
            from_row(
                (
                    slept_id(first_id, number), time, WAKE, module, 0, reason, score, threshold,
                    None, 1.0, text, json.dumps(why), None, json.dumps(shared | more), None, None,
                )
            )
            for number, module, score, threshold, reason, why, more in rows
        ]  # fmt: skip
    except (ValueError, LookupError, TypeError, PrefrontalError):
        return []
