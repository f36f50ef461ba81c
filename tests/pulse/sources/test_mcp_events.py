"""What an MCP server tells by itself becomes signals, in both forms of the protocol."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.subscriptions import ResourcesListChanged
from mcp.types import ListResourcesResult, ResourceListChangedNotification

from prefrontal.clock import SystemClock
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.mcp.connection import McpAddress
from prefrontal.pulse.sources.mcp.events import McpEventsSource
from prefrontal.pulse.sources.mcp.session import McpSession
from prefrontal.pulse.sources.mcp.signals import MOST_NAMED, McpSignals
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

from ...exhaustive import first
from .emitting_server import EmittingServer, serving
from .receiver import Intake

PATIENCE_S = 30.0
EVERYTHING = {
    "module_id": "everything",
    "cluster": "test",
    "version": "1",
    "question_template": "{location} says something",
    "default_threshold": 0.0,
    "signal_priors": {},
}
FORMS = (False, True)
"""legacy or not."""


class LateServer(EmittingServer):
    """Something comes right after its first listing, which is told to nobody."""

    async def _list(self, context: Any, request: Any) -> ListResourcesResult:
        listed = await super()._list(context, request)
        self.resources["note://late"] = "too late for the first"
        return listed


class BusyServer(EmittingServer):
    """Something comes before its second listing, and is told before that is answered."""

    listings = 0

    async def _list(self, context: Any, request: Any) -> ListResourcesResult:
        self.listings += 1
        if self.listings == 2:
            self.resources["note://late"] = "in the second"
            await self._send(ResourcesListChanged(), ResourceListChangedNotification())
        return await super()._list(context, request)


class Inbox:
    """Takes events from the source's thread."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[SignalEvent] = queue.SimpleQueue()

    def next(self) -> SignalEvent:
        return self.events.get(timeout=PATIENCE_S)


def until(holds: Callable[[], object]) -> None:
    """Wait for what another thread is about to do."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def heard(address: McpAddress, **told: Any) -> Iterator[tuple[McpEventsSource, Inbox]]:
    """A source of that server that has been started, and what it tells."""
    source, inbox = McpEventsSource(address, first_wait_s=0.01, **told), Inbox()
    source.start(inbox.events.put)
    try:
        yield source, inbox
    finally:
        source.stop(PATIENCE_S)


@contextmanager
def connected(legacy: bool, **told: Any) -> Iterator[tuple[EmittingServer, McpEventsSource, Inbox]]:
    """A server that emits, and a source that listens to it."""
    emitting = EmittingServer(legacy=legacy)
    with serving(emitting) as url, heard(McpAddress(url=url, name="notes"), **told) as (s, inbox):
        until(lambda: s.status()["connected"])
        yield emitting, s, inbox


def updated(emitting: EmittingServer, inbox: Inbox, uri: str) -> SignalEvent:
    """What is told next, while it is told that the resource changed until that is subscribed to."""
    end = time.monotonic() + PATIENCE_S
    while True:
        emitting.update(uri)
        try:
            return inbox.events.get(timeout=0.05)
        except queue.Empty:
            assert time.monotonic() < end


@pytest.mark.parametrize("legacy", FORMS)
def test_a_resource_that_changed_is_a_signal_with_its_title(legacy: bool) -> None:
    with connected(legacy) as (emitting, source, inbox):
        emitting.update("note://two")
        event = inbox.next()
        until(lambda: source.status()["events"] == 1)  # counted once it was handed on
    assert (event.source, event.location, event.delta_type) == ("mcp", "note://two", "modified")
    assert event.features == {"server": "notes", "text": "Note note://two"}


@pytest.mark.parametrize("legacy", FORMS)
def test_where_it_is_asked_for_the_text_is_read_and_cut(legacy: bool) -> None:
    with connected(legacy, reads=True) as (emitting, _, inbox):
        emitting.resources["note://one"] = "x" * 3000
        emitting.update("note://one")
        assert inbox.next().features["text"] == "x" * 2000
        del emitting.resources["note://one"]
        emitting.update("note://one")
        assert inbox.next().features["text"] == "Note note://one"


@pytest.mark.parametrize("legacy", FORMS)
def test_what_came_and_went_is_told_and_what_came_is_subscribed_to(legacy: bool) -> None:
    with connected(legacy) as (emitting, _, inbox):
        emitting.resources = {"note://two": "the second", "note://three": "the third"}
        emitting.list_changed()
        told = [inbox.next() for _ in range(2)]
        later = updated(emitting, inbox, "note://three")
    assert [(each.delta_type, each.location) for each in told] == [
        ("created", "note://three"),
        ("deleted", "note://one"),
    ]
    assert (later.delta_type, later.location) == ("modified", "note://three")


@pytest.mark.parametrize("legacy", FORMS)
def test_what_comes_after_the_listing_and_before_the_subscription_is_told(legacy: bool) -> None:
    emitting = LateServer(legacy=legacy)
    with serving(emitting) as url, heard(McpAddress(url=url, name="notes")) as (_, inbox):
        event = inbox.next()
    assert (event.delta_type, event.location) == ("created", "note://late")


@pytest.mark.parametrize("legacy", FORMS)
def test_a_change_that_a_listing_told_is_not_told_again_when_it_is_heard(legacy: bool) -> None:
    emitting = BusyServer(legacy=legacy)
    with serving(emitting) as url, heard(McpAddress(url=url, name="notes")) as (_, inbox):
        told = [inbox.next(), updated(emitting, inbox, "note://late")]
    assert [(each.delta_type, each.location) for each in told] == [
        ("created", "note://late"),
        ("modified", "note://late"),
    ]


@pytest.mark.parametrize("unreadable", [False, True])
def test_what_an_earlier_start_knew_is_read_again_where_it_cannot_be_at_once(
    unreadable: bool,
) -> None:
    intake, emitting = Intake(), EmittingServer()
    with serving(emitting) as url:
        for _ in range(2):
            source = McpEventsSource(McpAddress(url=url, name="notes"), first_wait_s=0.01)
            source.start(intake)
            until(lambda: source.status()["connected"])  # noqa: B023 - called at once
            source.stop(PATIENCE_S)
            emitting.resources["note://three"] = "the third"
            intake.unreadable = unreadable
    assert [each.location for each in intake.rest()] == ["note://three"]


@pytest.mark.parametrize("legacy", FORMS)
def test_a_list_of_tools_that_changed_is_a_signal(legacy: bool) -> None:
    with connected(legacy) as (emitting, _, inbox):
        emitting.tools_changed()
        event = inbox.next()
    assert (event.delta_type, event.location) == ("list_changed", "notes/tools")


def test_a_log_message_is_a_signal_with_its_level() -> None:
    with connected(True) as (emitting, _, inbox):
        emitting.say("error", "disk", {"left": 0})
        emitting.say("warning", None, "y" * 5000)
        first, second = inbox.next(), inbox.next()
        assert emitting.levels == ["info"]
    assert (first.delta_type, first.location) == ("message", "notes/disk")
    assert first.features == {"server": "notes", "text": '{"left": 0}', "level": "error"}
    assert (second.location, second.features["text"]) == ("notes", "y" * 2000)


@pytest.mark.parametrize("legacy", first(1, FORMS))
def test_a_server_that_went_away_is_connected_to_anew(
    legacy: bool, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = EmittingServer(legacy=legacy), EmittingServer(legacy=legacy)
    with serving(first) as url:
        port = int(url.split(":")[2].split("/")[0])
        inbox = Inbox()
        source = McpEventsSource(McpAddress(url=url), first_wait_s=0.01, ping_s=0.05)
        source.start(inbox.events.put)
        until(lambda: source.status()["connected"])
    try:
        until(lambda: not source.status()["connected"])
        with serving(second, port):
            until(lambda: source.status()["connected"])
            second.update("note://one")
            assert inbox.next().location == "note://one"
    finally:
        source.stop(PATIENCE_S)
    assert source.status()["errors"]
    told = [each for each in caplog.records if each.name == "prefrontal.pulse"]
    assert len([each for each in told if each.levelname == "WARNING"]) == 1


def test_a_server_that_never_answers_holds_up_neither_the_start_nor_the_stop() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = McpAddress(url=f"http://127.0.0.1:{silent.getsockname()[1]}/mcp")
        source = McpEventsSource(address)
        began = time.monotonic()
        source.start(lambda _: True)
        assert source.status()["running"] is True
        source.stop(PATIENCE_S)
        assert time.monotonic() - began < PATIENCE_S / 2
        assert source.status()["running"] is False


def test_a_connection_that_fails_while_it_is_hung_up_does_not_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = threading.Event()

    async def connect(_: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise OSError("the connection was lost") from None

    source = McpEventsSource(McpAddress(("x",)), first_wait_s=PATIENCE_S)
    monkeypatch.setattr(source, "_connect", connect)
    source.start(lambda _: True)
    assert begun.wait(PATIENCE_S)
    source.stop(PATIENCE_S / 3)
    assert not [each for each in threading.enumerate() if each.name == "prefrontal-mcp x"]


def test_a_program_that_fails_is_told_with_its_last_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    words = "import sys; sys.stderr.write('one\\nno key was given\\n'); sys.exit(1)"
    with heard(McpAddress((sys.executable, "-c", words), name="broken")) as (source, _):
        until(lambda: source.status()["errors"])
        told = str(source.status()["last_error"])
    assert told.endswith("(no key was given)")
    assert f"MCP server broken: {told}" in caplog.text


def test_a_program_that_is_not_there_is_tried_again() -> None:
    with heard(McpAddress(("/no/such/program",))) as (source, _):
        until(lambda: source.status()["errors"] == 3)
        assert "/no/such/program" in str(source.status()["last_error"])


@pytest.mark.exhaustive
def test_a_wake_of_prefrontal_itself_is_a_signal_over_standard_input_and_output(
    tmp_path: Path,
) -> None:
    state, pid = tmp_path / "state", tmp_path / "pid"
    path = os.pathsep.join(sys.path)
    script = f'echo $$ > {pid}; exec "$0" -m prefrontal mcp --state {state}'
    address = McpAddress(("sh", "-c", script, sys.executable), env={"PYTHONPATH": path})
    event = SignalEvent("filesystem", "/downloads/bill.pdf", "created", 1.0, 1_700_000_000.0)
    record = Decision(
        "a" * 32, 1.0, "invoices", True, "woke", 0.9, 0.5, "File it?", 1.0, (event,), WakePayload()
    )
    with heard(address) as (source, inbox):
        until(lambda: source.status()["connected"])
        with DecisionLog(state / "decisions.sqlite") as log:
            log.append(record)
        found = [inbox.next() for _ in range(3)]
    said = next(each for each in found if each.delta_type == "message")
    assert said.location == "sh/prefrontal.wakes"
    assert json.loads(said.features["text"])["question"] == "File it?"
    assert {each.location for each in found} >= {"prefrontal://wakes"}
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


async def test_a_server_that_tells_more_than_is_worked_off_is_counted() -> None:
    session = McpSession(McpSignals("notes"), lambda *_: None, SystemClock())
    for _ in range(1003):
        await session.hear(object())
    assert session.lost == 3


def test_many_resources_that_came_at_once_are_one_signal() -> None:
    signals = McpSignals("notes")
    after = {f"note://{number}": "" for number in range(MOST_NAMED + 1)}
    [event] = signals.listed({"note://gone": ""}, after, 5.0)
    assert (event.delta_type, event.location) == ("list_changed", "notes/resources")
    assert event.features["text"] == f"{MOST_NAMED + 1} came, 1 went"
    [same] = signals.listed(after, after, 5.0)
    assert (same.delta_type, same.features["text"]) == ("list_changed", "")


def test_an_address_without_end_is_cut() -> None:
    event = McpSignals("notes").changed("note://" + "x" * 9000, "", 5.0)
    assert len(event.location) == 4000


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({}, "MCP server must have exactly one of command and url"),
        ({"command": ("x",), "url": "http://h"}, "MCP server must have exactly one of"),
        ({"url": "file:///etc"}, "url must be an http or https address, got 'file:///etc'"),
    ],
)
def test_an_address_that_is_none_is_refused(told: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{sentence}"):
        McpAddress(**told)


def test_without_the_extra_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prefrontal.mcp_sdk.find_spec", lambda _: None)
    with pytest.raises(SourceError, match=r"^sources.mcp needs the SDK of the protocol: pip "):
        McpEventsSource(McpAddress(("x",)))


@pytest.mark.parametrize("legacy", first(1, FORMS))
def test_a_resource_that_came_while_nothing_ran_is_decided_about_once(
    tmp_path: Path, legacy: bool
) -> None:
    log, came = DecisionLog(tmp_path / "decisions.sqlite"), threading.Semaphore(0)
    emitting = EmittingServer(legacy=legacy)

    def begin(url: str) -> tuple[Watch, McpEventsSource]:
        source = McpEventsSource(McpAddress(url=url, name="notes"), first_wait_s=0.01)
        watch = Watch(GateSettings(threshold=0.0, audit_share=0.0), log, sources=[source])
        watch.add(parse_fingerprint(EVERYTHING))
        watch.on_wake(lambda _: came.release())
        watch.start()
        until(lambda: source.status()["connected"])
        return watch, source

    with serving(emitting) as url:
        for _ in range(2):  # the second finds nothing new
            watch, _ = begin(url)
            assert watch.stop(PATIENCE_S)
        emitting.resources["note://three"] = "the third"
        watch, _ = begin(url)
        assert came.acquire(timeout=PATIENCE_S)
        assert watch.stop(PATIENCE_S)
        watch, _ = begin(url)
        assert watch.stop(PATIENCE_S)
    told = [each.window[0] for each in log.records()]
    log.close()
    assert [(each.location, each.delta_type) for each in told] == [("note://three", "created")]
