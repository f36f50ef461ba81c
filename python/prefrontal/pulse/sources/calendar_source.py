"""A calendar as signals: an event begins, is new, changes, is cancelled."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from ...clock import Clock, SystemClock
from ...errors import InputError, PrefrontalError, SourceError
from ...http_client import PageReader, http_parts
from ...types import SignalEvent
from .calendar_diff import CalendarChange, Known, changes, known_of
from .calendar_page import NEEDS_EXTRA, CalendarPage, Occurrence, read_calendar
from .source_place import SourcePlace
from .source_thread import SourceThread

if TYPE_CHECKING:
    from threading import Event

    from .running import Push

AHEAD_S = 14 * 86_400.0
"""How far ahead changes are told."""
YEAR_S = 366 * 86_400.0
BEHIND_S = 86_400.0
"""What began while nothing ran is told of for so long."""
LOOK_S = 15.0
"""How often the clock is looked at, at least: a machine that slept wakes up in between."""
MAX_BYTES = 2**24
_ROLL_S = 3_600.0
_LONGEST_S = 3_600.0
log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class CalendarAddress:
    """Where a calendar is: a file, or an https or http address, which may be secret.

    name: how events call it. zone: of times that name none, as "Europe/Berlin"; "" is this
    machine's. Raises InputError.
    """

    name: str
    file: str = ""
    url: str = field(default="", repr=False)
    zone: str = ""

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.url):
            raise InputError(
                f"calendar must have a file or a url, got both or none for {self.name!r}"
            )
        if self.url and http_parts(self.url, "webcal") is None:
            rule = "be an http, https or webcal address"
            raise InputError(f"url of the calendar {self.name!r} must {rule}")
        self.real_zone()

    def real_zone(self) -> ZoneInfo | None:
        """The time zone; None for this machine's."""
        try:
            return ZoneInfo(self.zone) if self.zone else None
        except (ValueError, OSError, KeyError):
            rule = "be one such as Europe/Berlin"
            raise InputError(f"zone must {rule}, got {self.zone!r}") from None


class CalendarSource:
    """Looks at a calendar every `interval_s` seconds, and at the clock in between.

    An event has the source "calendar", the calendar's name as location, and as delta type "begins"
    (`before_s` seconds ahead), "created", "modified" or "cancelled" (of times to come, AHEAD_S
    ahead). Features: text (the title), begins, ends, place, actor (who organizes it), times (how
    many of a series), and late_s where something began while nothing ran (BEHIND_S at most). What
    is there at the first start is no event until it begins; a calendar that cannot be read is as it
    was. Raises SourceError where the extra `calendar` is not installed.
    """

    def __init__(
        self,
        address: CalendarAddress,
        interval_s: float = 300.0,
        *,
        before_s: float = 0.0,
        timeout_s: float = 30.0,
        clock: Clock | None = None,
    ) -> None:
        if find_spec("icalendar") is None or find_spec("recurring_ical_events") is None:
            raise SourceError(NEEDS_EXTRA)
        self._address = address
        self._interval_s = min(interval_s, LOOK_S) if address.file else interval_s
        self._before_s = before_s
        self._clock = SystemClock() if clock is None else clock
        self._reader = PageReader(timeout_s, MAX_BYTES, follows=True)
        self._thread = SourceThread(f"prefrontal-calendar {address.name}", self._run)
        self._outlet = self._thread.outlet
        self._place = SourcePlace(f"place calendar {address.name!a}", self._outlet)
        self._known: Known | None = None
        self._checked = self._covered = 0.0
        self._content: bytes | None = None
        self._signs: tuple[object, ...] = ()
        self._conditions: dict[str, str] = {}
        self._due = -math.inf
        self._failures = self._in_a_row = 0
        self._malformed: frozenset[str] = frozenset()
        self._last_error = ""

    def start(self, push: Push) -> None:
        """Begin; goes on where a gate's decisions end."""
        self._thread.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._thread.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._thread.looked.wait(timeout_s) and not self._in_a_row

    def status(self) -> dict[str, object]:
        """calendar, events that cannot be read, and what went wrong."""
        return {
            "calendar": self._address.name,
            "running": self._thread.is_running,
            "malformed": len(self._malformed),
            "errors": self._failures,
            "last_error": self._last_error,
            **self._outlet.counts(),
        }

    def _run(self, end: Event) -> None:
        while not end.is_set():
            self.look()
            self._thread.looked.set()
            end.wait(self._delay_s())

    def _delay_s(self) -> float:
        """Seconds to the next look: until the next event begins, or the calendar is due."""
        now = self._clock.now()
        due = [self._due - self._clock.monotonic(), LOOK_S]
        times = (each for times in (self._known or {}).values() for each in times.values())
        due += [each.start - self._before_s - now for each in times]
        return min(each for each in due if each > 0)

    def look(self) -> None:
        """Look once, now: at the calendar if it is due, and at the clock."""
        try:
            self._restore()
            if self._clock.monotonic() >= self._due:
                self._ask()
            self._tell_begins()
        except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again
            self._fail(error)

    def _ask(self) -> None:
        """Read the calendar; what fails leaves it as it was, and is tried again later."""
        try:
            is_new = self._read()
            roll = self._clock.now() + AHEAD_S - self._covered >= _ROLL_S
            if self._content is not None and (is_new or roll or self._known is None):
                self._compare(self._content)
        except Exception:
            backed_off = self._interval_s * 2.0 ** min(self._in_a_row + 1, 30)
            longest = max(self._interval_s, _LONGEST_S)
            self._due = self._clock.monotonic() + min(backed_off, longest)
            self._signs, self._conditions, self._content = (), {}, None  # not compared yet
            self._tell_begins()
            raise
        self._due = self._clock.monotonic() + self._interval_s
        if self._in_a_row:
            log.info("calendar %s: can be read again", self._address.name)
            self._in_a_row = 0

    def _read(self) -> bool:
        """Read it if it may have changed; whether it did."""
        address = self._address
        if address.file:
            try:
                facts = Path(address.file).stat()
                signs = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                if signs == self._signs:
                    return False
                with Path(address.file).open("rb") as file:
                    content = file.read(MAX_BYTES + 1)
            except OSError as error:
                reason = error.strerror or "unreadable"
                raise SourceError(f"{address.file} cannot be read: {reason}") from None
            if len(content) > MAX_BYTES:
                raise SourceError(f"{address.file} has more than {MAX_BYTES} bytes")
            self._signs = signs
        else:
            url = "https" + address.url[6:] if address.url.startswith("webcal:") else address.url
            page = self._reader.read(url, self._conditions, self._name)
            if page.status == 304:
                return False
            if page.status != 200:
                raise SourceError(f"{self._name} was answered with status {page.status}")
            conditions = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
            self._conditions = {
                name: value
                for name, header in conditions.items()
                if (value := page.headers.get(header))
            }
            content = page.body
        if content == self._content:
            return False
        self._content = content
        return True

    @property
    def _name(self) -> str:
        return f"calendar {self._address.name}"

    def _compare(self, content: bytes) -> None:
        """Hand on what changed since the look before."""
        now = self._clock.now()
        until = now + AHEAD_S + self._before_s
        page = read_calendar(content, now - BEHIND_S, until, self._address.real_zone())
        self._report(page)
        after = known_of(page)
        before = self._known
        for uid in page.malformed:  # nobody knows: as it was
            if before is not None and uid in before:
                after[uid] = before[uid]
        differences = [] if before is None else list(changes(before, after, now, self._covered))
        if any(each.delta_type == "cancelled" for each in differences):
            differences = self._put_off(differences, content, now)
        events = [self._event(*each) for each in differences]
        checked = self._checked if before is not None else now
        if not self._place.hand_on(events, _written(after, checked, until)):
            raise SourceError("the source ends")
        self._known, self._covered, self._checked = after, until, checked

    def _put_off(
        self, differences: list[CalendarChange], content: bytes, now: float
    ) -> list[CalendarChange]:
        """The same, but that what takes place after the days ahead is moved and not cancelled."""
        later = known_of(read_calendar(content, now, now + YEAR_S, self._address.real_zone()))
        return [
            CalendarChange("modified", later[each.occurrence.uid][each.occurrence.key], each.times)
            if each.delta_type == "cancelled"
            and each.occurrence.key in later.get(each.occurrence.uid, {})
            else each
            for each in differences
        ]

    def _report(self, page: CalendarPage) -> None:
        if new := page.malformed - self._malformed:
            names = ", ".join(sorted(new)[:3])
            log.warning("%s: %d events cannot be read (%s)", self._name, len(new), names)
        self._malformed = page.malformed

    def _tell_begins(self) -> None:
        """Tell what began since the look before, oldest first."""
        if self._known is None:
            return
        now = self._clock.now()
        since = max(self._checked, now - BEHIND_S)
        begun = sorted(
            (
                each
                for times in self._known.values()
                for each in times.values()
                if since < each.start - self._before_s <= now
            ),
            key=lambda each: each.start,
        )
        if not begun:
            return
        events = [self._event("begins", each, 1, now) for each in begun]
        if self._place.hand_on(events, _written(self._known, now, self._covered)):
            self._checked = now

    def _event(
        self, kind: str, occurrence: Occurrence, times: int, now: float | None = None
    ) -> SignalEvent:
        late = 0.0 if now is None else now - occurrence.start + self._before_s
        features: dict[str, object] = {
            "text": occurrence.title,
            "begins": self._local(occurrence.start),
            "ends": self._local(occurrence.end),
            "place": occurrence.place,
            "actor": occurrence.organizer,
            "times": times if times > 1 else 0,
            "late_s": round(late) if late >= 60 else 0,
        }
        present = {name: value for name, value in features.items() if value}
        return SignalEvent("calendar", self._address.name, kind, 1.0, self._clock.now(), present)

    def _local(self, seconds: float) -> str:
        zone = self._address.real_zone()
        return datetime.fromtimestamp(seconds, UTC).astimezone(zone).isoformat(timespec="minutes")

    def _restore(self) -> None:
        """What the start before knew, if a gate knows it."""
        if self._known is not None or (content := self._place.read()) is None:
            return
        try:
            raw = json.loads(content)
            known: Known = {}
            for fields in raw["known"]:
                each = Occurrence(*fields)
                known.setdefault(each.uid, {})[each.key] = each
            checked, covered = float(raw["checked"]), float(raw["covered"])
        except (ValueError, TypeError, KeyError) as error:
            log.error("What was told of %s is not known any more: %r", self._name, error)
            return
        self._known, self._checked, self._covered = known, checked, covered

    def _fail(self, error: Exception) -> None:
        if self._outlet.is_ended():
            return
        self._failures += 1
        self._in_a_row += 1
        self._last_error = str(error) or type(error).__name__
        trace = not isinstance(error, PrefrontalError | OSError)
        level = logging.WARNING if self._in_a_row == 1 else logging.DEBUG
        log.log(level, "%s: %s", self._name, self._last_error, exc_info=trace)


def _written(known: Known, checked: float, covered: float) -> str:
    return json.dumps({"checked": checked, "covered": covered, "known": list(_rows(known))})


def _rows(known: Known) -> Iterator[tuple[object, ...]]:
    for times in known.values():
        for each in times.values():
            yield astuple(each)
