"""Calendars: what begins, is new, changes and is cancelled, by a clock that the test moves."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources import calendar_source
from prefrontal.pulse.sources.calendar_page import read_calendar
from prefrontal.pulse.sources.calendar_source import CalendarAddress, CalendarSource
from prefrontal.settings.gate import GateSettings
from prefrontal.settings.loading import parse_settings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..test_positions import MODULE
from .made_calendars import calendar, event
from .receiver import PATIENCE_S, Receiver
from .test_network import Site, site

pytest.importorskip("recurring_ical_events", reason="needs the extra calendar")

__all__ = ["site"]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()
HOUR, DAY = 3600.0, 86_400.0


class Looked:
    """A calendar file, a source that looks at it by hand, and its clock."""

    def __init__(self, folder: Path, *, before_s: float = 0.0, zone: str = "UTC") -> None:
        self.path = folder / "team.ics"
        self.clock = ManualClock(NOON)
        self.receiver = Receiver()
        address = CalendarAddress("team", str(self.path), zone=zone)
        self.source = CalendarSource(address, before_s=before_s, clock=self.clock)
        self.source._outlet.push = self.receiver

    def write(self, *events: str) -> None:
        self.path.write_bytes(calendar(*events))

    def look(self, after_s: float = calendar_source.LOOK_S) -> list[tuple[str, str]]:
        self.clock.advance(after_s)
        self.source.look()
        return [(each.delta_type, str(each.features["text"])) for each in self.receiver.rest()]


@pytest.fixture
def looked(tmp_path: Path) -> Looked:
    return Looked(tmp_path)


def test_what_is_there_first_is_no_event_until_it_begins(looked: Looked) -> None:
    looked.write(
        event("standup", ":20261123T130000Z", "LOCATION:Room 7", "ORGANIZER;CN=Ada:mailto:a@x.org",
              ends=":20261123T131500Z"),
    )  # fmt: skip
    assert looked.look() == []
    assert looked.look(HOUR - 16) == []
    looked.clock.advance(1)
    looked.source.look()
    (begun,) = looked.receiver.rest()
    assert (begun.source, begun.location, begun.delta_type) == ("calendar", "team", "begins")
    assert begun.features == {
        "text": "standup",
        "begins": "2026-11-23T13:00+00:00",
        "ends": "2026-11-23T13:15+00:00",
        "place": "Room 7",
        "actor": "Ada",
    }
    assert looked.look() == []


def test_new_changed_and_cancelled_events_are_told_once(looked: Looked) -> None:
    looked.write(event("a", ":20261124T130000Z"), event("b", ":20261125T130000Z"))
    assert looked.look() == []
    looked.write(
        event("a", ":20261124T140000Z"),
        event("b", ":20261125T130000Z"),
        event("c", ":20261126T130000Z"),
    )
    assert looked.look() == [("modified", "a"), ("created", "c")]
    looked.write(
        event("a", ":20261124T140000Z", title="a, at last"),
        event("c", ":20261126T130000Z", "STATUS:CANCELLED"),
    )
    assert looked.look() == [("modified", "a, at last"), ("cancelled", "b"), ("cancelled", "c")]
    assert looked.look() == []


def test_an_event_that_is_put_off_for_weeks_is_not_cancelled(looked: Looked) -> None:
    looked.write(event("a", ":20261124T130000Z"))
    looked.look()
    looked.write(event("a", ":20270124T130000Z"))
    assert looked.look() == [("modified", "a")]
    looked.write(event("a", ":20261120T130000Z"))
    assert looked.look() == []


def test_what_comes_near_is_not_new(looked: Looked) -> None:
    looked.write(event("far", ":20261210T130000Z"))
    assert looked.look() == []
    assert looked.look(5 * DAY) == []
    looked.write(event("far", ":20261210T150000Z"))
    assert looked.look() == [("modified", "far")]


@pytest.mark.exhaustive
def test_a_series_begins_each_time_but_for_its_exceptions(looked: Looked) -> None:
    zone = ";TZID=Europe/Berlin"
    weekly = event(
        "weekly",
        f"{zone}:20261012T100000",  # in summer time
        "RRULE:FREQ=WEEKLY",
        f"EXDATE{zone}:20261207T100000",
    )
    later = event("weekly", f"{zone}:20261130T120000", f"RECURRENCE-ID{zone}:20261130T100000")
    looked.write(weekly, later)
    looked.look()
    begun: list[SignalEvent] = []
    for _ in range(24 * 30):
        looked.clock.advance(HOUR)
        looked.source.look()
        begun += looked.receiver.rest()
    assert [each.features["begins"] for each in begun] == [
        "2026-11-30T11:00+00:00",
        "2026-12-14T09:00+00:00",
        "2026-12-21T09:00+00:00",
    ]


def test_a_series_that_moves_or_ends_is_one_event(looked: Looked) -> None:
    looked.write(event("daily", ":20261101T100000Z", "RRULE:FREQ=DAILY"))
    looked.look()
    looked.write(event("daily", ":20261101T110000Z", "RRULE:FREQ=DAILY"))
    looked.clock.advance(15)
    looked.source.look()
    (moved,) = looked.receiver.rest()
    assert (moved.delta_type, moved.features["begins"]) == ("modified", "2026-11-24T11:00+00:00")
    assert moved.features["times"] == 14
    looked.write(event("daily", ":20261101T110000Z", "RRULE:FREQ=DAILY;UNTIL=20261125T120000Z"))
    looked.clock.advance(15)
    looked.source.look()
    (ended,) = looked.receiver.rest()
    assert (ended.delta_type, ended.features["begins"]) == ("cancelled", "2026-11-26T11:00+00:00")


def test_times_without_a_zone_and_whole_days_are_of_the_zone_that_was_named(
    tmp_path: Path,
) -> None:
    looked = Looked(tmp_path, zone="America/New_York")
    looked.write(event("float", ":20261123T090000"), event("day", ";VALUE=DATE:20261124"))
    looked.look()
    assert looked.look(2 * HOUR - 15) == [("begins", "float")]
    assert looked.look(15 * HOUR - 20) == []
    assert looked.look(35) == [("begins", "day")]


def test_an_event_begins_as_long_before_as_was_asked_for(tmp_path: Path) -> None:
    looked = Looked(tmp_path, before_s=600.0)
    looked.write(event("standup", ":20261123T130000Z"))
    looked.look()
    assert looked.look(50 * 60 - 31) == []
    assert looked.look(16) == [("begins", "standup")]
    assert looked.look(600) == []


def test_what_began_while_the_machine_slept_is_told_late(looked: Looked) -> None:
    looked.write(event("standup", ":20261123T130000Z"), event("older", ":20261124T130000Z"))
    looked.look()
    looked.clock.advance(1.5 * DAY)
    looked.source.look()
    begun = looked.receiver.rest()
    assert [each.features["text"] for each in begun] == ["older"]
    assert begun[0].features["late_s"] == pytest.approx(11 * HOUR, abs=60)


def test_a_calendar_that_cannot_be_read_is_as_it_was(
    looked: Looked, caplog: pytest.LogCaptureFixture
) -> None:
    looked.write(event("standup", ":20261123T130000Z"))
    looked.look()
    looked.path.write_bytes(b"BEGIN:VCALENDAR\r\nBEGIN:VEV")
    assert looked.look() == []
    for _ in range(2):  # it is as broken at the next look
        looked.clock.advance(HOUR / 2)
        looked.source.look()
    assert looked.source.status()["errors"] == 3
    assert [each.delta_type for each in looked.receiver.rest()] == ["begins"]
    looked.path.unlink()
    with caplog.at_level(logging.DEBUG):
        assert looked.look(HOUR) == []
    assert "cannot be read: No such file" in str(looked.source.status()["last_error"])
    assert sum(record.levelno == logging.WARNING for record in caplog.records) == 1
    looked.write(event("standup", ":20261123T130000Z"), event("new", ":20261125T130000Z"))
    assert looked.look(2 * HOUR) == [("created", "new")]


@pytest.mark.parametrize(
    "broken",
    [
        event("a", ":soon"),
        event("a", ":20261125T130000Z", "RRULE:FREQ=SECONDLY"),
        event("a", ":20261125T130000Z", "RRULE:FREQ=NEVER"),
        event("a", ":20261125T130000Z").replace("DTSTART", "X-START"),
        event("", ":20261125T130000Z"),
    ],
)
def test_an_event_that_cannot_be_read_is_named_and_passed_over(
    looked: Looked, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    looked.write(event("a", ":20261125T130000Z"), event("b", ":20261125T130000Z"))
    looked.look()
    looked.write(broken, event("b", ":20261125T140000Z"))
    told = looked.look()
    assert ("modified", "b") in told
    assert looked.source.status()["malformed"] == 1
    assert "1 events cannot be read" in caplog.text
    if "UID:a" in broken:
        assert ("cancelled", "a") not in told  # nobody knows


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xfe", b"BEGIN:VCARD\r\nEND:VCARD\r\n"])
def test_what_is_no_calendar_is_told(content: bytes) -> None:
    with pytest.raises(SourceError, match="no calendar"):
        read_calendar(content, NOON, NOON + DAY, None)


def test_an_address_is_asked_with_conditions_and_never_shown(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.etag, site.body = '"1"', calendar(event("a", ":20261124T130000Z"))
    clock, receiver = ManualClock(NOON), Receiver()
    source = CalendarSource(CalendarAddress("team", url=f"{site.url}?secret"), clock=clock)
    source._outlet.push = receiver
    source.look()
    clock.advance(300)
    source.look()
    assert [each.get("If-None-Match") for each in site.asked] == [None, '"1"']
    site.etag, site.body = '"2"', calendar(event("a", ":20261124T140000Z"))
    clock.advance(100)
    source.look()
    assert receiver.rest() == []  # not yet
    clock.advance(200)
    source.look()
    assert [each.delta_type for each in receiver.rest()] == ["modified"]
    site.status, site.etag = 503, ""
    clock.advance(300)
    source.look()
    clock.advance(300)
    source.look()
    assert len(site.asked) == 4  # less often
    shown = caplog.text + repr(source.status()) + repr(source._address)
    assert "answered with status 503" in shown
    assert "secret" not in shown


def test_a_later_start_goes_on_where_the_decisions_end(tmp_path: Path) -> None:
    path = tmp_path / "team.ics"

    def run(now: float, last: str) -> list[tuple[str, str]]:
        came = Event()

        def hear(decision: Decision) -> None:
            if decision.window[0].features["text"] == last:
                came.set()

        with DecisionLog(tmp_path / "decisions.sqlite") as log:
            source = CalendarSource(
                CalendarAddress("team", str(path), zone="UTC"), clock=ManualClock(now)
            )
            watch = Watch(GateSettings(audit_share=0.0), log, sources=[source])
            watch.add(MODULE)
            watch.on_wake(hear)
            watch.start()
            assert not last or came.wait(PATIENCE_S)
            while not last and not log.load_states("place calendar"):
                Event().wait(0.01)
            assert watch.stop(PATIENCE_S)
            windows = [each.window[0] for each in log.records()]
            return [(each.delta_type, str(each.features["text"])) for each in windows]

    path.write_bytes(calendar(event("a", ":20261123T130000Z"), event("b", ":20261124T130000Z")))
    assert run(NOON, "") == []
    path.write_bytes(calendar(event("a", ":20261123T130000Z"), event("c", ":20261124T130000Z")))
    expected = [("cancelled", "b"), ("created", "c"), ("begins", "a")]
    assert run(NOON + 2 * HOUR, "a") == expected
    assert run(NOON + 26 * HOUR, "c") == [*expected, ("begins", "c")]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "must have exactly one of file, url, url_env"),
        ({"file": "a", "url": "b"}, "must have exactly one of file, url, url_env"),
        ({"file": "a", "every_s": 0}, "every_s must be a number of seconds above 0"),
    ],
)
def test_settings_with_a_mistake_are_refused(entry: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_settings({"sources": {"calendar": [entry]}})


def test_an_address_with_a_mistake_is_refused_without_being_shown() -> None:
    with pytest.raises(InputError, match=r"must be an http, https or webcal address$"):
        CalendarAddress("team", url="ftp://secret.example.org/x")
    with pytest.raises(InputError, match="zone must be one such as Europe/Berlin, got 'Mars'"):
        CalendarAddress("team", "a.ics", zone="Mars")
