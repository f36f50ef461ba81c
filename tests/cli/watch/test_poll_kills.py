"""Sources that are asked, not told: a watch that is killed at any moment misses no change."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, pairwise
from pathlib import Path
from threading import Event, Thread

import pytest

from prefrontal.decisions.log import DecisionLog

from ...exhaustive import first
from ...pulse.sources.emitting_server import EmittingServer, serving
from ..running import Running, watching
from .kills import config, decided, kill_often, writing

KILLS = 20


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
    with page() as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        settings = config(tmp_path, network=[{"url": address, "every_s": 0.02}])
        begun = server.says()
        with watching("--config", settings):
            while server.asked < 2:  # the first answer is kept
                Event().wait(0.01)
        with writing(server.turn):
            kill_often(kills, settings, server.at_work)
        server.turn()
        last = digest(server.says())
        with watching("--config", settings) as running:
            while last not in decided(tmp_path, lambda event: event.features["content_hash"]):
                Event().wait(0.02)
            running.end()
    with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
        told = [each.window[0].features for each in log.records()]
    assert told[0]["previous_hash"] == digest(begun)
    assert [
        each for each in pairwise(told) if each[0]["content_hash"] != each[1]["previous_hash"]
    ] == []
    assert len({each["content_hash"] for each in told}) == len(told) > kills


@pytest.mark.exhaustive
def test_each_resource_of_an_mcp_server_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path,
) -> None:
    emitting, numbers, known = EmittingServer(), count(), [0]

    def decided_now() -> Counter[str]:
        return decided(tmp_path, lambda event: event.location)

    def write() -> None:
        if len(emitting.resources) < known[0] + 60:  # a hundred at once would be one event
            uri = f"note://{next(numbers)}"
            emitting.resources = {**emitting.resources, uri: uri}
            emitting.list_changed()

    def wait(_: Running, moments: random.Random) -> None:
        known[0] = max(known[0], len(decided_now()))
        enough = known[0] + moments.randrange(1, 30)
        while len(decided_now()) < enough:
            Event().wait(0.02)

    with serving(emitting) as url:
        settings = config(tmp_path, mcp=[{"url": url, "name": "notes", "experimental": True}])
        with watching("--config", settings) as running:
            while not decided_now():  # it listens
                write()
                Event().wait(0.1)
            running.end()
        before = set(emitting.resources) - set(decided_now())
        with writing(write):
            kill_often(KILLS, settings, wait)
        expected = Counter(set(emitting.resources) - before)
        with watching("--config", settings) as running:
            while expected - decided_now():
                Event().wait(0.02)
            running.end()
    assert Counter(dict.fromkeys(before, 1)) & decided_now() | expected == decided_now()
