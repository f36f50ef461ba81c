"""A small HTTP server: so many connections at once, none that dawdles, a clean end."""

from __future__ import annotations

import hmac
import json
import logging
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from selectors import EVENT_READ, DefaultSelector
from socketserver import TCPServer
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from .http_door import LOOPBACK, Door, is_int, require
from .plain_text import visible

__all__ = [
    "LOOPBACK",
    "Door",
    "JsonRequest",
    "LimitedServer",
    "RequestError",
    "TextAnswer",
    "is_int",
    "require",
]

MOST_AT_ONCE = 64
READING_S = 10.0
"""How long a request may take to come in."""

_LINGER_S = 1.0
_LOOK_S = 0.1
"""How often requests that come in are looked after."""
_DRAINED = 1 << 20

log = logging.getLogger("prefrontal.http")


class RequestError(Exception):
    """The request is not done; why, with its status. retry_after_s: when it may be sent again."""

    def __init__(
        self, status: HTTPStatus, sentence: str, *, retry_after_s: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """An answer that is no JSON. kind: its media type, with parameters."""

    text: str
    kind: str


class LimitedServer(ThreadingHTTPServer):
    """A thread a request, for `most_at_once` connections.

    One more takes the place of the one whose request comes in for the longest time; it is closed at
    once where all of them are being answered. Raises SourceError when it cannot listen there.
    """

    daemon_threads = False
    block_on_close = True
    allow_reuse_address = True
    request_queue_size = 128  # more at once than five must not wait a second for the next try
    most_at_once = MOST_AT_ONCE
    reading_s = READING_S
    timeout = 0  # of `handle_request`, which is called when somebody is there

    def __init__(self, door: Door, request: type[JsonRequest]) -> None:
        self.door = door
        self._open: dict[socket.socket, float | None] = {}
        self._guard = Lock()
        self._thread: Thread | None = None
        self._ends = Event()
        self._ear, self._bell = socket.socketpair()
        if ":" in door.host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((door.host, door.port), request)
        except OSError as error:
            raise door.refusal(error) from None

    def server_bind(self) -> None:
        """Take the address, and do not ask a name server how it is called: that may take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.door.host, self.port

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def begin(self, name: str) -> None:
        """Serve from now on, in a thread of that name."""
        self._thread = Thread(target=self._listen, name=name, daemon=True)
        self._thread.start()

    def end_accepting(self, timeout_s: float = 5.0) -> None:
        """Take no more requests; those that are here go on."""
        self._ends.set()
        self._bell.send(b"!")
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _listen(self) -> None:
        """Sleep until somebody knocks; while requests come in, look after them."""
        with DefaultSelector() as doors:
            doors.register(self.socket, EVENT_READ)
            doors.register(self._ear, EVENT_READ)
            while not self._ends.is_set():
                ready = doors.select(_LOOK_S if self._is_reading() else None)
                if self._ends.is_set():
                    return
                if ready:
                    self.handle_request()
                self._close_older_than(self.reading_s)

    def _is_reading(self) -> bool:
        with self._guard:
            return any(since is not None for since in self._open.values())

    def server_close(self) -> None:
        super().server_close()
        self._ear.close()
        self._bell.close()

    def end(self, timeout_s: float = 5.0) -> None:
        """Take no more requests, answer those that are here, and let go of the address."""
        self.end_accepting(timeout_s)
        self.end_reading()
        self.server_close()

    def has_been_read(self, connection: socket.socket) -> None:
        """The request is there; its answer may take longer."""
        with self._guard:
            if connection in self._open:
                self._open[connection] = None

    def end_reading(self) -> None:
        """Close the connections whose request is still coming in."""
        self._close_older_than(0.0)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            is_room = len(self._open) < self.most_at_once or self._leave_slowest()
            if is_room:
                self._open[request] = time.monotonic()
        if is_room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""

    def _leave_slowest(self) -> bool:
        """Close the connection that has been read for the longest time, if any is."""
        for connection, since in self._open.items():  # in the order of their arrival
            if since is not None:
                del self._open[connection]
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                return True
        return False

    def _close_older_than(self, seconds: float) -> None:
        now = time.monotonic()
        with self._guard:
            for connection, since in self._open.items():
                if since is not None and now - since >= seconds:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)


class JsonRequest(BaseHTTPRequestHandler):
    """One request, answered with JSON unless a subclass says otherwise; an error is
    {"error": a sentence}, always.

    A subclass says in `done` what is answered, and raises RequestError where nothing is done.
    """

    timeout = READING_S
    server_version = "prefrontal"
    sys_version = ""
    server: LimitedServer
    _is_read = False

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        """Status and document, or text, of the answer to this request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        """Nothing; who wants a line for each request says so."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the server itself refuses before a method is called."""
        status = HTTPStatus(code)
        self._send(status, {"error": message or status.phrase})

    def check_sender(self) -> None:
        """The token; without one, that no web page sends this through somebody's browser."""
        token = self.server.door.token
        if token:
            header = self.headers.get("Authorization", "").encode("latin-1", "replace")  # as sent
            if not hmac.compare_digest(header, f"Bearer {token}".encode()):
                sentence = "Authorization must be 'Bearer' and the token"
                raise RequestError(HTTPStatus.UNAUTHORIZED, sentence)
            return
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:  # half an address
            host = None
        if host not in LOOPBACK or self.headers.get("Origin"):
            raise RequestError(HTTPStatus.FORBIDDEN, "without a token only this machine may ask")

    def body(self) -> bytes:
        """All of what was sent with the request. Raises RequestError for too much or half of it."""
        length, most = self._length(), self.server.door.max_bytes
        if length > most:
            sentence = f"a request must have at most {most} bytes, got {length}"
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)
        data = self.rfile.read(length)
        self._is_read = True
        self.server.has_been_read(self.connection)
        if len(data) < length:  # the client went away, or was too slow
            sentence = f"a request must come whole, got {len(data)} of {length} bytes"
            raise RequestError(HTTPStatus.BAD_REQUEST, sentence)
        return data

    def json_body(self, noun: str) -> object:
        """What was sent, as JSON. Raises RequestError naming `noun`."""
        self.check_kind("application/json")
        data = self.body()
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            sentence = f"{noun} must be JSON ({error})"
            raise RequestError(HTTPStatus.BAD_REQUEST, sentence) from None

    def check_kind(self, *kinds: str) -> str:
        """The content type, one of `kinds`."""
        kind = self.headers.get_content_type()
        if kind not in kinds:
            sentence = f"Content-Type must be {' or '.join(kinds)}, got {visible(kind, 80)}"
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, sentence)
        return kind

    def _answer(self, method: str) -> None:
        document: dict[str, Any] | TextAnswer
        retry_after_s = None
        if method == "GET":
            self.server.has_been_read(self.connection)
        try:
            self._check_address()
            status, document = self.done(method)
        except RequestError as error:
            status, document = error.status, {"error": str(error)}
            retry_after_s = error.retry_after_s
        except OSError:  # it came too slowly, or the client went away
            self.close_connection = True
            return
        except Exception:
            log.exception("a request could not be answered")
            sentence = "this could not be answered; the log says why"
            status, document = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": sentence}
        self._send(status, document, retry_after_s)
        if method == "POST" and not self._is_read:
            self._drain()

    def _check_address(self) -> None:
        try:
            urlsplit(self.path)
        except ValueError as error:
            sentence = f"address must be one, got {self.path!r:.80} ({error})"
            raise RequestError(HTTPStatus.BAD_REQUEST, sentence) from None

    def _drain(self) -> None:
        """Read on until the client hangs up: closed at once, it might miss why it was refused."""
        with suppress(OSError):
            self.connection.settimeout(_LINGER_S)
            self.connection.shutdown(socket.SHUT_WR)
            left = _DRAINED
            while left > 0 and (chunk := self.connection.recv(1 << 16)):
                left -= len(chunk)

    def _length(self) -> int:
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) + len(self.headers.get_all("Transfer-Encoding", [])) > 1:
            sentence = "Content-Length must stand once, without Transfer-Encoding"
            raise RequestError(HTTPStatus.BAD_REQUEST, sentence)
        length = lengths[0] if lengths else ""
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            raise RequestError(HTTPStatus.LENGTH_REQUIRED, "Content-Length must be a number")
        return int(length)

    def _send(
        self,
        status: HTTPStatus,
        document: dict[str, Any] | TextAnswer,
        retry_after_s: int | None = None,
    ) -> None:
        kind, data = _encoded(document)
        self.close_connection = True
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            if retry_after_s is not None:
                self.send_header("Retry-After", str(retry_after_s))
            if status == HTTPStatus.UNAUTHORIZED:
                self.send_header("WWW-Authenticate", "Bearer")
            self.end_headers()
            self.wfile.write(data)
        except OSError:  # the client went away
            return


def _encoded(document: dict[str, Any] | TextAnswer) -> tuple[str, bytes]:
    """Media type and bytes."""
    if isinstance(document, TextAnswer):
        return document.kind, document.text.encode(errors="replace")
    data = json.dumps(document, ensure_ascii=False).encode(errors="replace")
    return "application/json; charset=utf-8", data
