"""New lines of a log file as signals, through rotation."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError, SourceError
from ...home_folder import expanded
from ...types import SignalEvent
from .followed_file import FollowedFile
from .log_archives import Unread, between, copies, newest_end, unread
from .polling import Poller
from .source_place import SourcePlace

if TYPE_CHECKING:
    from .running import Outlet, Push

TEXT_LIMIT = 2_000
"""Characters of a line that are handed on."""
READ_LIMIT = 8 * 2**20
"""Bytes read in one look; the rest comes with the next."""

MOST_OPEN = 16
"""Files of the name that are followed at once: renamed ones and the one that has it now."""

NOWHERE: dict[str, object] = {"file": [], "offset": 0, "mark": ""}
"""The place in a log that was never there."""

log = logging.getLogger("prefrontal.pulse")


class LogFileSource:
    """Follows one file and tells of each line that is added to it, looking every `interval_s`.

    An event has the source "log", the file's path as location, "line" as delta type and the feature
    `text`, the line (at most 2,000 characters). Rotation is followed both ways: a file that was
    renamed is read until there is something in the new one of its name, which is read from its
    start; and a file that became shorter, or holds something else where it was read, is read anew.
    Files that came and went since the last look are read before it, while rotation keeps them, and
    counted as `gaps` where it may not have. What was there at the first start is no event. A file
    that does not exist yet is waited for, and then read from its start.

    How far was read is kept with what was decided about it, or, where lines go somewhere else than
    to a gate, in `state_path`, whose place is also taken over. The next start goes on there, and
    first in what rotation made of the file meanwhile, however often: files that were renamed, or
    copied and cut, with a number or a date behind the name, packed (gz, bz2, xz) or not. A line
    without its end waits for it. Blank lines are left out. Lines over 1 MiB are counted, too.
    Raises InputError for a path that is a folder.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        interval_s: float = 1.0,
        *,
        state_path: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._path = expanded(path).absolute()
        if self._path.is_dir():
            raise InputError(f"log file must be a file, got the folder {str(path)!r}")
        self._clock = SystemClock() if clock is None else clock
        self._files: list[FollowedFile] = []
        self._begun = False
        self._told = 0
        self._too_long = 0
        self._gaps = 0
        self._left: dict[str, object] | None = None
        self._poller = Poller(f"prefrontal-log {self._path}"[:200], interval_s, self._ask)
        kept_in = None if state_path is None else expanded(state_path)
        name = f"place log {str(self._path)!a}"
        self._place = SourcePlace(name, self._poller.outlet, kept_in)

    def start(self, push: Push) -> None:
        """Begin: what is there now is no event, unless the kept state knows an earlier place."""
        self._poller.outlet.push = push
        with suppress(OSError, SourceError):  # the first look tries again, and says what is wrong
            self._begin()
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)
        self._leave_off()

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._poller.looked(timeout_s) and all(file.is_read for file in self._files)

    def status(self) -> dict[str, object]:
        """file, lines told of, lines too long, gaps, and what went wrong.

        gaps: how often lines of it may have been lost before they were read.
        """
        facts = {"file": str(self._path), "lines": self._told, "too_long": self._too_long}
        return facts | {"gaps": self._gaps} | self._poller.status()

    def _leave_off(self) -> None:
        """Forget how far it came; what begins next goes on where its place is."""
        for file in self._files:
            file.close()
        self._files.clear()
        self._begun = False

    def _begin(self) -> None:
        if self._begun:
            return
        mark = self._kept()
        self._open()
        if mark is None:
            for file in self._files:
                file.go_to(file.size)
            if not any(file.size for file in self._files):
                self._left = newest_end(self._path)
            self._place.keep(self._here())
        else:
            self._go_on(mark)
        self._begun = True

    def _go_on(self, mark: dict[str, object]) -> None:
        """Go to the place, in the file that has the name or in one that had it.

        All that was rotated since is read first.
        """
        if any(file.goes_on(mark) for file in self._files) and mark["offset"]:
            return
        if mark["file"]:
            self._put_first(unread(self._path, mark, self._left, self._files))

    def _put_first(self, more: Unread) -> None:
        self._files[:0] = more.files
        self._gaps += more.gaps

    def _ask(self, outlet: Outlet) -> None:
        self._begin()
        self._open()
        for events in self._news():
            if not self._place.hand_on(events, self._here(), meanwhile=self._open):
                self._leave_off()
                return
            self._told += len(events)
            self._open()
        self._place.hand_on([], self._here())  # blank lines lead somewhere, too

    def _news(self) -> Iterator[list[SignalEvent]]:
        """What is new in each file, once those before it are read to their ends."""
        while self._files:
            file = self._files[0]
            if (file.is_cut or file.may_be_cut) and self._has_name(file):
                self._read_copies(file)
                continue
            for lines in file.added(READ_LIMIT):
                yield self._events(file, lines)
            if not file.is_read:
                return
            if not (file.is_ended or any(each.size for each in self._files[1:])):
                return
            # The last line of a file that nobody writes to any more needs no end.
            rest = self._events(file, file.lines.end())
            if file.reached["offset"]:
                self._left = file.reached
            self._files.remove(file)
            file.close()
            yield rest

    def _read_copies(self, file: FollowedFile) -> None:
        """What was copied of a file before it was cut is read before it goes on."""
        if file.is_cut:
            more = unread(self._path, file.reached, self._left, (file,))
            if more.holder is not None:
                more.holder.lines = file.lines  # the half line that waits goes on there
        else:
            more = copies(self._path, file, self._left)
        file.go_to(0)
        self._put_first(more)

    def _has_name(self, file: FollowedFile) -> bool:
        with suppress(FileNotFoundError):
            there = self._path.stat()
            return [there.st_dev, there.st_ino] == file.identity
        return False

    def _events(self, file: FollowedFile, lines: Iterable[bytes]) -> list[SignalEvent]:
        events = []
        for line in lines:
            text = line.lstrip(b"\0").decode("utf-8", "replace").rstrip("\r")[:TEXT_LIMIT]
            if text.strip():
                now, features = self._clock.now(), {"text": text}
                events.append(SignalEvent("log", str(self._path), "line", 1.0, now, features))
        self._too_long += file.lines.too_long
        file.lines.too_long = 0
        return events

    def _open(self) -> None:
        """Follow the file that has the name now, too, and those that had it since the last look."""
        try:
            if self._files and self._has_name(self._files[-1]):
                return
            self._make_room()
            if len(self._files) >= MOST_OPEN:  # once one of them is left
                return
            new = FollowedFile(self._path)
        except FileNotFoundError:  # not yet, or between the two halves of a rotation
            return
        if self._files:
            known = (*self._files, new)
            filled = [file for file in self._files[:-1] if file.size]
            left = filled[-1].end if filled else self._left
            more = between(self._path, self._files[-1], left, known)
            self._files += more.files
            self._gaps += more.gaps
        self._files.append(new)

    def _make_room(self) -> None:
        """Leave a file that nobody has written to while it had the name."""
        unused = [file for file in self._files[1:] if not file.size]
        if len(self._files) == MOST_OPEN and unused:
            self._files.remove(unused[0])
            unused[0].close()

    def _here(self) -> str:
        """Where to go on; without a file, at the start of whichever comes."""
        place = self._files[0].place if self._files else NOWHERE
        # Nothing tells an empty file from others; what was read before it does.
        before = {} if place["offset"] or self._left is None else {"left": self._left}
        return json.dumps(place | before)

    def _kept(self) -> dict[str, object] | None:
        try:
            if (content := self._place.read()) is None:
                return None
            mark = json.loads(content)
            file = [int(part) for part in mark["file"]]
            if (left := mark.pop("left", None)) is not None:
                self._left = {each: left[each] for each in ("file", "offset", "mark", "written")}
            return {**mark, "file": file, "offset": int(mark["offset"])}
        except (OSError, ValueError, TypeError, KeyError, ArithmeticError) as error:
            log.error("How far %s was read is not known any more: %r", self._path, error)
            return None
