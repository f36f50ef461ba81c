"""Names for runs, routes and revisions: no two alike, on several processes at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import SourceError
from ..storage.files import write_atomic
from ..storage.lock_file import locked
from .local_time import LocalTime
from .records import read_records
from .regular_files import regular_bytes
from .types import Finding

if TYPE_CHECKING:
    from ..clock import Clock
    from .layout import Layout

Counter = Literal["route", "revision"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIXES = len(_DIGITS) ** 3
_DAYS_KEPT = 31
_COUNTERS = (".counters.json", ".counters-2.json")


class Identities:
    """Hands out names. Routes and revisions are counted by day under a lock file.

    The counters lie below the folder of unapproved modules, in a second file where something else
    has the place of the first, which `findings` says. When they are lost, counting goes on after
    the highest number that the day's records and logs still show.
    """

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        random_bytes: Callable[[int], bytes],
        tz: tzinfo | None = None,
    ) -> None:
        """random_bytes: `secrets.token_bytes`, or a test's own. tz: None is this machine's."""
        self._layout = layout
        self._time = LocalTime(clock, tz)
        self._random_bytes = random_bytes
        self.findings: list[Finding] = []

    def run_id(self) -> str:
        """run-YYYYMMDD-HHMM-xxx, xxx of digits and lower-case letters; makes the run's folder.

        Raises SourceError when the logs cannot be written or a minute's names are used up.
        """
        minute = self._time.now().strftime("run-%Y%m%d-%H%M-")
        first = int.from_bytes(self._random_bytes(8), "big") % _SUFFIXES
        for step in range(_SUFFIXES):
            run_id = minute + _suffix((first + step) % _SUFFIXES)
            if _made(self._layout.run_log(run_id).parent):
                return run_id
        raise SourceError(f"{self._layout.logs} holds every run that one minute has names for")

    def route_id(self) -> str:
        """route-NNN, from 001 each day; a number whose temporary folder is kept is passed over.

        Raises SourceError when the folder of temporary modules cannot be written.
        """
        return f"route-{self._next('route', self._day()):03d}"

    def revision(self) -> str:
        """rev-YYYYMMDD-NNN, from 001 each day. Raises SourceError as `route_id` does."""
        day = self._day()
        return f"rev-{day}-{self._next('revision', day):03d}"

    def _day(self) -> str:
        return self._time.now().strftime("%Y%m%d")

    def _next(self, counter: Counter, day: str) -> int:
        paths = [self._layout.tmp / name for name in _COUNTERS]
        with locked(self._layout.tmp / ".counters.lock"):
            counters = _counters(paths)
            days = counters[counter]
            last = days[day] if day in days else self._highest(counter, day)
            number = last + 1
            while counter == "route" and self._layout.route_tmp(f"route-{number:03d}").exists():
                number += 1
            days[day] = number
            counters[counter] = {key: days[key] for key in sorted(days)[-_DAYS_KEPT:]}
            write_atomic(self._free(paths), json.dumps(counters))
        return number

    def _free(self, paths: Sequence[Path]) -> Path:
        """The first path that no folder, pipe or the like lies at, else the last one."""
        first = next((path for path in paths if path.is_file() or not path.exists()), paths[-1])
        if first != paths[0]:
            text = f"is no file; what is counted is kept in {first.name}"
            self.findings = [Finding(paths[0], 0, text)]
        return first

    def _highest(self, counter: Counter, day: str) -> int:
        if counter == "route":
            logs = self._layout.validation_logs(self._time.day())
            names = (path.name for path in logs.glob("route-*"))
            return _largest(r"route-(\d+)-", names)
        return _largest(rf"rev-{day}-(\d+)\Z", _revisions(self._layout))


def _suffix(number: int) -> str:
    high, low = divmod(number, 36)
    return _DIGITS[high // 36] + _DIGITS[high % 36] + _DIGITS[low]


def _made(folder: Path) -> bool:
    """Whether the folder was made now, rather than there already."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except FileExistsError:
        if not folder.parent.is_dir():
            raise SourceError(f"{folder.parent} must be a folder, got a file") from None
        return False
    except OSError as error:
        raise SourceError(f"{folder} cannot be made: {error.strerror}") from error
    return True


def _counters(paths: Iterable[Path]) -> dict[Counter, dict[str, int]]:
    """What was counted, of each day the highest; a damaged file counts as lost."""
    counters: dict[Counter, dict[str, int]] = {"route": {}, "revision": {}}
    for state in map(_state, paths):
        for counter, known in counters.items():
            days = state.get(counter) if isinstance(state, dict) else None
            for day, number in days.items() if isinstance(days, dict) else ():
                if type(number) is int and number >= 0:
                    known[str(day)] = max(number, known.get(str(day), 0))
    return counters


def _state(path: Path) -> Any:
    try:
        return json.loads(regular_bytes(path))
    except (OSError, ValueError, RecursionError):
        return None


def _revisions(layout: Layout) -> Iterable[str]:
    for path in layout.domains.glob("*/*/metadata.jsonl"):
        for row in read_records(path).rows:
            yield str(row.get("id", ""))


def _largest(pattern: str, texts: Iterable[str]) -> int:
    matches = (re.match(pattern, text) for text in texts)
    return max((int(match[1]) for match in matches if match), default=0)
