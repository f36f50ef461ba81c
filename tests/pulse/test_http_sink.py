"""Escalations posted to a real server on loopback."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any

import pytest

from prefrontal.decisions.document import document, document_v1
from prefrontal.errors import InputError
from prefrontal.pulse.sinks import DeliveryOutcome, HttpSink, http

from .wakes import wake


@dataclass
class Server:
    """Answers with `codes` in turn, the last one for ever, and keeps what it got."""

    codes: list[int]
    headers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[dict[str, str], Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> Server:
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told.got.append((dict(self.headers), json.loads(body)))
                told.paths.append(self.path)
                code = told.codes.pop(0) if len(told.codes) > 1 else told.codes[0]
                self.send_response(code)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/wake"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_an_escalation_is_posted_as_json_with_its_id_as_key() -> None:
    with Server([204]) as server:
        sink = HttpSink(server.url, headers={"Authorization": "Bearer abc"})
        assert sink.deliver(wake()) == DeliveryOutcome(True, "HTTP 204")
    headers, body = server.got[0]
    assert headers["Idempotency-Key"] == body["id"] == "f" * 32
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Bearer abc"
    assert body == document(wake())


def test_who_asks_for_the_shape_of_before_gets_it() -> None:
    with Server([204]) as server:
        assert HttpSink(server.url, shape="v1").deliver(wake()).ok
    assert server.got[0][1] == document_v1(wake())
    assert set(server.got[0][1]) == {
        "id", "module", "question", "score", "reason", "audit", "time", "location", "events"
    }  # fmt: skip


def test_a_busy_receiver_is_tried_again_with_the_same_key_and_body() -> None:
    with Server([503, 429, 200]) as server:
        assert HttpSink(server.url).deliver(wake()) == DeliveryOutcome(True, "HTTP 200", 3)
    assert len({headers["Idempotency-Key"] for headers, _ in server.got}) == 1
    assert server.got[0][1] == server.got[1][1] == server.got[2][1]


def test_the_tries_come_to_an_end() -> None:
    with Server([500]) as server:
        assert HttpSink(server.url, retries=2).deliver(wake()) == DeliveryOutcome(
            False, "HTTP 500", 3
        )
    assert len(server.got) == 3


@pytest.mark.parametrize("code", [400, 401, 404, 410, 501])
def test_an_answer_that_will_not_change_is_not_tried_again(code: int) -> None:
    with Server([code]) as server:
        assert HttpSink(server.url).deliver(wake()) == DeliveryOutcome(False, f"HTTP {code}")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    with Server([200]) as other, Server([code], {"Location": other.url}) as server:
        assert HttpSink(server.url).deliver(wake()) == DeliveryOutcome(False, f"HTTP {code}")
        assert other.got == []


def test_nobody_there_is_tried_again_and_told() -> None:
    with Server([200]) as server:
        pass
    outcome = HttpSink(server.url, retries=1).deliver(wake())
    assert (outcome.ok, outcome.attempts) == (False, 2)
    assert "no answer: [Errno" in outcome.detail


def test_a_receiver_that_says_nothing_is_given_up_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        outcome = HttpSink(url, timeout_s=0.05, retries=0).deliver(wake())
    assert outcome == DeliveryOutcome(False, "no answer: timed out")


def test_what_is_for_this_machine_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server([200]) as server, Server([200]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        sink = HttpSink(server.url, headers={"Authorization": "Bearer of a secret"})
        assert sink.deliver(wake()).ok
    assert (len(server.got), len(proxy.got)) == (1, 0)


@pytest.mark.parametrize("drip", [b"H", b"HTTP/1.1 200 OK\r\nX: 1\r\n"])
def test_a_receiver_that_answers_a_little_at_a_time_has_no_more_time(drip: bytes) -> None:
    ended = threading.Event()

    def answer() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(drip)
            while not ended.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        try:
            begun = monotonic()
            outcome = HttpSink(url, timeout_s=0.2, retries=0).deliver(wake())
            took_s = monotonic() - begun
        finally:
            ended.set()
            thread.join()
    assert (outcome.ok, outcome.down_for_s) == (False, 0.0)
    assert outcome.detail == "no answer: timed out"
    assert took_s < 10.0


def test_closing_cuts_the_wait_for_the_next_try() -> None:
    with Server([503], {"Retry-After": "29"}) as server:
        sink = HttpSink(server.url)
        sink.close()
        outcome = sink.deliver(wake())
    assert outcome == DeliveryOutcome(False, "HTTP 503; given up: closed", 1)


@pytest.mark.parametrize(
    ("asked", "least"),
    [("7", 7.0), (None, 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("-3", 0.0), ("²", 0.0)],
)
def test_a_wait_that_is_asked_for_is_kept(asked: str | None, least: float) -> None:
    assert http._retry_after(asked) == least


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://a/", "http://", "http://a b/", "http://a/\n", "http://a:x/",
     "http://ä/", "file:///etc/passwd", "http://[::1", "http://a..b/", f"http://{'a' * 64}.org/"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(InputError, match="address must start with http"):
        HttpSink(url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        HttpSink("https://me:secret@example.org/")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"), [("a b", "x"), ("", "x"), ("ä", "x"), ("a", "x\r\ny: z")]
)
def test_a_header_that_would_break_the_request_is_refused(name: str, value: str) -> None:
    with pytest.raises(InputError, match="header"):
        HttpSink("http://localhost/", headers={name: value})
