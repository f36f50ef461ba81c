"""One HTTP request to the webhook: who may ask, what is asked, what is answered."""

from __future__ import annotations

import hmac
import json
import socket
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from ...errors import InputError

if TYPE_CHECKING:
    from ...plugin import IncomingMessage
    from .webhook_server import WebhookServer

_IDLE_S = 10.0
_LINGER_S = 1.0
_DRAINED = 1 << 20


class RequestError(Exception):
    """The request is not done; why, with its status."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class WebhookRequest(BaseHTTPRequestHandler):
    """Answers with JSON, always; an error is {"error": a sentence}."""

    timeout = _IDLE_S
    server_version = "prefrontal"
    sys_version = ""
    server: WebhookServer
    _is_read = False

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        self.server.channel.log_debug(f"{self.address_string()} {format % args}")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the server itself refuses before a method is called."""
        status = HTTPStatus(code)
        self._send(status, {"error": message or status.phrase})

    def _answer(self, method: str) -> None:
        try:
            status, document = self._done(method)
        except RequestError as error:
            status, document = error.status, {"error": str(error)}
        except OSError:  # it came too slowly, or the client went away
            self.close_connection = True
            return
        self._send(status, document)
        if method == "POST" and not self._is_read:
            self._drain()

    def _drain(self) -> None:
        """Read on until the client hangs up: closed at once, it might miss why it was refused."""
        with suppress(OSError):
            self.connection.settimeout(_LINGER_S)
            self.connection.shutdown(socket.SHUT_WR)
            left = _DRAINED
            while left > 0 and (chunk := self.connection.recv(1 << 16)):
                left -= len(chunk)

    def _done(self, method: str) -> tuple[HTTPStatus, dict[str, Any]]:
        parts = urlsplit(self.path)
        if method == "GET" and parts.path == "/health":
            return HTTPStatus.OK, {"status": "ok"}
        self._check_sender()
        if parts.path != "/messages":
            raise RequestError(HTTPStatus.NOT_FOUND, "there are only /messages and /health")
        if method == "GET":
            return HTTPStatus.OK, {"messages": self._said(parts.query)}
        return self._take(self._document())

    def _check_sender(self) -> None:
        """The token; without one, that no web page sends this through somebody's browser."""
        token = self.server.channel.settings.token
        if token:
            given = self.headers.get("Authorization", "").encode("utf-8", "replace")
            if not hmac.compare_digest(given, f"Bearer {token}".encode()):
                sentence = "Authorization must be 'Bearer' and the token"
                raise RequestError(HTTPStatus.UNAUTHORIZED, sentence)
            return
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:  # half an address
            host = None
        if host not in ("127.0.0.1", "::1", "localhost") or self.headers.get("Origin"):
            raise RequestError(HTTPStatus.FORBIDDEN, "without a token only this machine may ask")

    def _document(self) -> object:
        kind = self.headers.get_content_type()
        if kind != "application/json":
            sentence = f"Content-Type must be application/json, got {kind}"
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, sentence)
        length, most = self._length(), self.server.channel.settings.max_bytes
        if length > most:
            sentence = f"a request must have at most {most} bytes, got {length}"
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)
        data = self.rfile.read(length)
        self._is_read = True
        self.server.has_been_read(self.connection)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            sentence = f"message must be JSON, got: {error}"
            raise RequestError(HTTPStatus.BAD_REQUEST, sentence) from None

    def _length(self) -> int:
        told = self.headers.get("Content-Length", "")
        if not (told.isascii() and told.isdigit() and len(told) < 16):
            raise RequestError(HTTPStatus.LENGTH_REQUIRED, "Content-Length must be a number")
        return int(told)

    def _take(self, document: object) -> tuple[HTTPStatus, dict[str, Any]]:
        channel = self.server.channel
        try:
            message, future = channel.accept(document)
        except InputError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None
        except KeyError:
            sentence = "a message with this id is being answered"
            raise RequestError(HTTPStatus.CONFLICT, sentence) from None
        except OverflowError:
            sentence = "too many messages are waiting"
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, sentence) from None
        if future is None:
            return HTTPStatus.ACCEPTED, {"accepted": message.id}
        return HTTPStatus.OK, {"reply_to": message.id, "content": self._reply(future, message)}

    def _reply(self, future: Future[str | None], message: IncomingMessage) -> str | None:
        seconds = self.server.channel.settings.reply_timeout_seconds
        try:
            return future.result(timeout=seconds)
        except CancelledError:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "the agent is stopping") from None
        except TimeoutError:
            self.server.channel.forget(message)
            sentence = f"no answer within {seconds:g} seconds"
            raise RequestError(HTTPStatus.GATEWAY_TIMEOUT, sentence) from None

    def _said(self, query: str) -> list[dict[str, Any]]:
        asked = {key: values[-1] for key, values in parse_qs(query).items()}
        after = asked.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 16):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"after must be a number, got {after!r:.40}")
        return self.server.channel.said(asked.get("channel_id"), int(after))

    def _send(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        data = json.dumps(document, ensure_ascii=False).encode(errors="replace")
        self.close_connection = True
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            if status == HTTPStatus.UNAUTHORIZED:
                self.send_header("WWW-Authenticate", "Bearer")
            self.end_headers()
            self.wfile.write(data)
        except OSError:  # the client went away
            return
