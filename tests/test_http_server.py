"""The small server against clients that do half of what they should."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest

from prefrontal import http_server
from prefrontal.http_server import Door, JsonRequest, LimitedServer

HOST = b"Host: localhost\r\n"


class Echo(JsonRequest):
    """POST anything: how many bytes came. GET /break: a slip of ours. GET /end: all is ended."""

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any]]:
        if self.path == "/break":
            raise ZeroDivisionError("our slip")
        if self.path == "/end":
            self.server.end_reading()
            return HTTPStatus.OK, {"ended": True}
        self.check_kind("text/plain")
        return HTTPStatus.OK, {"bytes": len(self.body())}


@pytest.fixture
def server() -> Iterator[LimitedServer]:
    made = LimitedServer(Door(port=0), Echo)
    made.begin("echo")
    yield made
    made.end()


def say(server: LimitedServer, said: bytes) -> tuple[int, Any]:
    """What is answered to a client that says this and nothing more; (0, None) for nothing."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        heard = b"".join(iter(lambda: connection.recv(4096), b""))
    head, _, body = heard.partition(b"\r\n\r\n")
    return (int(head.split()[1]), json.loads(body)) if heard else (0, None)


def test_half_a_body_is_not_taken_for_a_whole_one(server: LimitedServer) -> None:
    kind = HOST + b"Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n"
    assert say(server, b"POST / HTTP/1.1\r\n" + kind + b"delete it") == (200, {"bytes": 9})
    sentence = "a request must come whole, got 6 of 9 bytes"
    assert say(server, b"POST / HTTP/1.1\r\n" + kind + b"delete") == (400, {"error": sentence})


def test_half_an_address_is_answered(server: LimitedServer) -> None:
    status, document = say(server, b"GET http://[ HTTP/1.1\r\n" + HOST + b"\r\n")
    assert (status, list(document)) == (400, ["error"])


def test_a_slip_of_ours_is_answered_and_logged(
    server: LimitedServer, caplog: pytest.LogCaptureFixture
) -> None:
    status, document = say(server, b"GET /break HTTP/1.1\r\n" + HOST + b"\r\n")
    assert (status, document) == (500, {"error": "this could not be answered; the log says why"})
    assert "our slip" in caplog.text


def test_an_answer_that_takes_long_is_not_cut_as_a_question_would_be(server: LimitedServer) -> None:
    assert say(server, b"GET /end HTTP/1.1\r\n" + HOST + b"\r\n") == (200, {"ended": True})


def test_what_a_client_says_is_repeated_short_and_without_control_characters(
    server: LimitedServer,
) -> None:
    kind = b"Content-Type: text/\x1b[31m" + b"x" * 9000 + b"\r\nContent-Length: 0\r\n\r\n"
    status, document = say(server, b"POST / HTTP/1.1\r\n" + HOST + kind)
    assert status == 415
    assert len(document["error"]) < 200
    assert "\x1b" not in document["error"]


def test_to_listen_nobody_is_asked_for_our_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def getfqdn(name: str = "") -> str:
        raise AssertionError("a name server may take long")

    monkeypatch.setattr(socket, "getfqdn", getfqdn)
    LimitedServer(Door(port=0), Echo).end()


def test_a_token_of_any_letters_opens_the_door() -> None:
    class Guarded(Echo):
        def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any]]:
            self.check_sender()
            return HTTPStatus.OK, {"let in": True}

    made = LimitedServer(Door(port=0, token="schlüssel-für-ada"), Guarded)
    made.begin("guarded")
    try:
        for given, status in (("schlüssel-für-ada", 200), ("schlüssel-für-eva", 401)):
            header = f"Authorization: Bearer {given}\r\n\r\n".encode()
            assert say(made, b"GET / HTTP/1.1\r\n" + HOST + header)[0] == status
    finally:
        made.end()


def test_who_listens_in_silence_is_asleep_and_ends_when_it_is_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[float | None] = []

    class Doors(http_server.DefaultSelector):  # type: ignore[misc, name-defined]
        def select(self, timeout: float | None = None) -> Any:
            looks.append(timeout)
            return super().select(timeout)

    monkeypatch.setattr(http_server, "DefaultSelector", Doors)
    made = LimitedServer(Door(port=0), Echo)
    made.begin("test")
    made.end(timeout_s=60.0)
    assert made._thread is not None and not made._thread.is_alive()
    assert looks in ([], [None])
