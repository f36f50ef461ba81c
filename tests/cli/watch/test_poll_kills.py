"""Sources that are asked, not told: a watch that is killed at any moment misses no change."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, pairwise
from pathlib import Path
from threading import Event, Thread

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.types import SignalEvent
from waiting import wait_until

from ...exhaustive import first
from ...pulse.sources.emitting_server import EmittingServer, serving
from ..forked_commands import ForkedCommand
from ..running import PATIENCE_S, Running, watching
from .kills import config, decided, kill_forks, kill_often, writing

AHEAD = 40
"""So many at most are not known to be decided about: a hundred at once would be one event."""
LATE_IMPORTS = ("httpx2", "mcp.client.client", "mcp.client.streamable_http")
"""What a watch imports to listen to an MCP server."""


class Page(ThreadingHTTPServer):
    """A page that says a number. asked: how often it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Reader)
        self.number = 0
        self.asked = 0

    def turn(self) -> None:
        self.number += 1

    def at_work(self, _: Running, moments: random.Random) -> None:
        """Wait for some answers."""
        enough = self.asked + moments.randrange(1, 10)
        while self.asked < enough:
            Event().wait(0.01)

    def says(self) -> bytes:
        return f"page {self.number}".encode()


class _Reader(BaseHTTPRequestHandler):
    server: Page

    def do_GET(self) -> None:
        body = self.server.says()
        self.server.asked += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def page() -> Iterator[Page]:
    with Page() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", first(1, [2, 50]))
def test_each_change_of_a_page_is_told_from_the_one_before_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    def told_of() -> Counter[str]:
        return decided(tmp_path, lambda event: event.features["content_hash"])

    with page() as server:
        lives = count()

        def wait(running: Running, moments: random.Random) -> None:
            if next(lives) % 2:  # not all are killed before anything is told
                before = len(told_of())
                wait_until(
                    lambda: len(told_of()) > before, "a change", patience_s=PATIENCE_S, look_s=0.01
                )
            server.at_work(running, moments)

        address = f"http://127.0.0.1:{server.server_port}/"
        settings = config(tmp_path, network=[{"url": address, "every_s": 0.02}])
        begun = server.says()
        with watching("--config", settings):
            while server.asked < 2:  # the first answer is kept
                Event().wait(0.01)
        with writing(server.turn):
            kill_often(kills, settings, wait)
        server.turn()
        last = digest(server.says())
        with watching("--config", settings) as running:
            while last not in told_of():
                Event().wait(0.02)
            running.end()
    with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
        told = [each.window[0].features for each in log.records()]
    assert told[0]["previous_hash"] == digest(begun)
    assert [
        each for each in pairwise(told) if each[0]["content_hash"] != each[1]["previous_hash"]
    ] == []
    assert len({each["content_hash"] for each in told}) == len(told) > kills // 2


class Notes:
    """Resources that come one after the other; those that are known to be decided about go."""

    def __init__(self, server: EmittingServer) -> None:
        self.server = server
        self.changes: list[str] = []
        self.known: set[str] = set()
        self.waited_at = time.time()
        """When the last wait began: what was decided after its last look is seen by the next."""
        self._numbers = count()

    def write(self) -> None:
        """One comes, one goes."""
        resources = dict(self.server.resources)
        known = [uri for uri in resources if came(uri) in self.known]
        if len(resources) - len(known) >= AHEAD:
            return
        for uri in known[:1]:
            del resources[uri]
            self.changes.append(went(uri))
        uri = f"note://{next(self._numbers)}"
        self.changes.append(came(uri))
        self.server.resources = {**resources, uri: uri}
        self.server.list_changed()


def came(uri: str) -> str:
    return f"{uri} created"


def went(uri: str) -> str:
    return f"{uri} deleted"


def change(event: SignalEvent) -> str:
    return f"{event.location} {event.delta_type}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", first(1, [2, 50]))
def test_each_resource_of_an_mcp_server_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    notes = Notes(EmittingServer())

    def wait(watch: ForkedCommand, moments: random.Random) -> None:
        since, notes.waited_at = notes.waited_at - 5.0, time.time()
        before = len(notes.known)
        enough, end = before + moments.randrange(1, AHEAD), time.monotonic() + PATIENCE_S
        while len(notes.known) < enough:
            assert not watch.is_over(0.01), "a watch ended by itself"
            assert time.monotonic() < end, f"{before} of {len(notes.changes)} are decided about"
            notes.known |= decided(tmp_path, change, since).keys()

    with serving(notes.server) as url:
        settings = config(tmp_path, mcp=[{"url": url, "name": "notes", "experimental": True}])
        with watching("--config", settings) as running:
            while not decided(tmp_path, change):  # it listens
                notes.known.update(notes.changes)  # so many may come until then
                notes.write()
                Event().wait(0.1)
            running.end()
        early = set(notes.changes) - decided(tmp_path, change).keys()  # some are no event
        with writing(notes.write):
            kill_forks(kills, settings, wait, *LATE_IMPORTS)
        expected = Counter(set(notes.changes) - early)
        end = time.monotonic() + PATIENCE_S
        with watching("--config", settings) as running:
            while expected - decided(tmp_path, change) and time.monotonic() < end:
                Event().wait(0.05)
            running.end()
    found = decided(tmp_path, change)
    found.pop("notes/resources list_changed", 0)  # told of a list that was read with the one before
    assert found == expected + Counter(early & found.keys())
    assert expected.total() > 2 * kills
