"""What was signed counts once, over restarts, too; slow and ambiguous requests keep nobody out."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.http_server import MOST_AT_ONCE
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.posts import seen_deliveries
from prefrontal.pulse.sources.posts.http_events import HttpDoor, HttpEventsSource
from prefrontal.pulse.sources.posts.mapped_json import HookPath
from prefrontal.settings.gate import GateSettings
from prefrontal.settings.json_mapping import JsonMapping
from prefrontal.testing import ManualClock

from .ed25519_signing import public_key, signature

SECRET = "It's a Secret to Everybody"
NOW = 1_700_000_000
SLOW = MOST_AT_ONCE + 6
ONE = '{"source": "a", "location": "b", "delta_type": "c"}'


class Listening:
    """A watch with a door for posts, which may be started again over the same log."""

    def __init__(self, folder: Path, threshold: float) -> None:
        self.log = DecisionLog(folder / "decisions.sqlite")
        self._threshold = threshold
        self.begin()

    def begin(self) -> None:
        mapping = JsonMapping(location="where", delta_type="what")
        key = public_key(SECRET.encode())
        hooks = (HookPath("chat", mapping, SECRET), HookPath("discord", mapping, "", key))
        door = HttpDoor(port=0, github_secret=SECRET, hooks=hooks)
        self.source = HttpEventsSource(door, ManualClock(float(NOW)))
        self.watch = Watch(GateSettings(audit_share=0.0), self.log, sources=[self.source])
        module = {
            "module_id": "everything",
            "cluster": "test",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": self._threshold,
            "signal_priors": {},
        }
        self.watch.add(parse_fingerprint(module))
        self.watch.start()

    def end(self) -> None:
        assert self.watch.stop(60.0)

    def post(self, path: str, document: object, headers: dict[str, str]) -> int:
        connection = HTTPConnection("127.0.0.1", self.source.port, timeout=10)
        try:
            kind = {"Content-Type": "application/json"}
            connection.request("POST", path, json.dumps(document), kind | headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def github(self, number: int) -> int:
        document = {"action": "opened", "number": number}
        signature = hmac.new(SECRET.encode(), json.dumps(document).encode(), hashlib.sha256)
        headers = {"X-Hub-Signature-256": f"sha256={signature.hexdigest()}"}
        return self.post("/github", document, headers | {"X-GitHub-Event": "issues"})

    def slack(self, what: str, moment: str = str(NOW)) -> int:
        document = {"where": "general", "what": what}
        signed = f"v0:{moment}:{json.dumps(document)}".encode()
        signature = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
        headers = {"X-Slack-Signature": f"v0={signature}", "X-Slack-Request-Timestamp": moment}
        return self.post("/hooks/chat", document, headers)

    def discord(self, what: str) -> int:
        document = {"type": 1, "event": {}, "where": "general", "what": what}
        signed = f"{NOW}{json.dumps(document)}".encode()
        by = signature(SECRET.encode(), signed).hex()
        headers = {"X-Signature-Ed25519": by, "X-Signature-Timestamp": str(NOW)}
        return self.post("/hooks/discord", document, headers)

    def cloud(self, number: int) -> int:
        event = {"specversion": "1.0", "id": f"{number}", "source": "/a", "type": "b"}
        return self.post("/cloudevents", event, {"Content-Type": "application/cloudevents+json"})

    def raw(self, head: str, body: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.source.port), timeout=10)
        head = (
            f"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{head}"
        )
        connection.sendall(f"{head}\r\n\r\n{body}".encode())
        return connection


@pytest.fixture(params=[0.0, 0.999], ids=["wakes", "sleeps"])
def listening(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Listening]:
    listening = Listening(tmp_path, request.param)
    yield listening
    listening.end()
    listening.log.close()


def test_a_signed_delivery_counts_once_after_a_restart_too(listening: Listening) -> None:
    assert (listening.github(1), listening.github(1)) == (202, 200)
    assert (listening.slack("said"), listening.slack("said")) == (202, 200)
    assert len(listening.log.load_states(seen_deliveries.PLACE)) == 2  # before they were answered
    listening.end()
    listening.begin()
    assert (listening.github(1), listening.slack("said")) == (200, 200)
    assert (listening.github(2), listening.slack("more")) == (202, 202)
    assert listening.watch.status()["events"] == 2


def test_what_discord_repeats_after_a_restart_counts_once(listening: Listening) -> None:
    assert listening.discord("said") == 204
    listening.end()
    listening.begin()
    assert (listening.discord("said"), listening.discord("more")) == (204, 204)
    assert listening.watch.status()["events"] == 1


def test_what_anybody_may_send_pushes_no_signed_delivery_out(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_deliveries, "REMEMBERED", 3)
    assert listening.github(1) == 202
    assert [listening.cloud(number) for number in (0, 1, 2, 3, 4, 0, 4)] == [202] * 6 + [200]
    assert listening.github(1) == 200
    assert [listening.github(number) for number in (2, 3, 4)] == [202] * 3
    listening.end()
    listening.begin()
    assert [listening.github(number) for number in (2, 3, 4)] == [200] * 3
    assert len(listening.log.load_states(seen_deliveries.PLACE)) == 3


def test_a_time_of_thousands_of_digits_is_no_signature(listening: Listening) -> None:
    assert listening.slack("said", "9" * 5000) == 401


@pytest.mark.parametrize(
    "lengths",
    [
        f"Content-Length: {len(ONE)}\r\nTransfer-Encoding: chunked",
        f"Content-Length: {len(ONE)}\r\nContent-Length: {len(ONE)}",
    ],
)
def test_a_request_of_two_lengths_is_refused(listening: Listening, lengths: str) -> None:
    with listening.raw(lengths, ONE) as connection:
        answer = connection.makefile("rb").read()
    assert b" 400 " in answer and b"Content-Length must stand once" in answer


def test_slow_clients_keep_nobody_out(listening: Listening) -> None:
    slow = [listening.raw("Content-Length: 1000", "{") for _ in range(SLOW)]
    try:
        assert listening.post("/events", json.loads(ONE), {}) == 202
        with listening.raw(f"Content-Length: {len(ONE)}", ONE) as connection:
            assert b" 202 " in connection.makefile("rb").readline()
    finally:
        for each in slow:
            each.close()
