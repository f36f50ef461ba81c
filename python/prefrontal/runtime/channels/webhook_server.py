"""The HTTP server of the webhook: POST /messages, GET /messages, GET /health."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from ...errors import InputError
from ...http_server import Door, JsonRequest, LimitedServer, RequestError
from ...plugin import IncomingMessage
from .mailbox import AgentMailbox, Reply

Accept: TypeAlias = Callable[[object], tuple[IncomingMessage, Reply | None]]
"""Takes a document in; see `WebhookChannel.accept`."""


class WebhookServer(LimitedServer):
    """Hands documents to `accept`; `mailbox` holds the replies, `log` takes a line a request."""

    def __init__(
        self,
        door: Door,
        mailbox: AgentMailbox,
        accept: Accept,
        log: Callable[[str], object],
        reply_timeout_s: float,
    ) -> None:
        self.mailbox = mailbox
        self.accept = accept
        self.log = log
        self.reply_timeout_s = reply_timeout_s
        super().__init__(door, WebhookRequest)


class WebhookRequest(JsonRequest):
    """One request."""

    server: WebhookServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        self.server.log(f"{self.address_string()} {format % args}")

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any]]:
        parts = urlsplit(self.path)
        if method == "GET" and parts.path == "/health":
            return HTTPStatus.OK, {"status": "ok"}
        self.check_sender()
        if parts.path != "/messages":
            raise RequestError(HTTPStatus.NOT_FOUND, "there are only /messages and /health")
        if method == "GET":
            return HTTPStatus.OK, {"messages": self._sent(parts.query)}
        return self._take(self.json_body("message"))

    def _take(self, document: object) -> tuple[HTTPStatus, dict[str, Any]]:
        try:
            message, reply = self.server.accept(document)
        except InputError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None
        except KeyError:
            sentence = "a message with this id is being answered"
            raise RequestError(HTTPStatus.CONFLICT, sentence) from None
        except OverflowError:
            sentence = "too many messages are waiting"
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, sentence) from None
        if reply is None:
            return HTTPStatus.ACCEPTED, {"accepted": message.id}
        return HTTPStatus.OK, {"reply_to": message.id, "content": self._content(reply, message)}

    def _content(self, reply: Reply, message: IncomingMessage) -> str | None:
        seconds = self.server.reply_timeout_s
        try:
            return reply.result(timeout=seconds)
        except CancelledError:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "the agent is stopping") from None
        except TimeoutError:
            self.server.mailbox.forget(message)
            sentence = f"no answer within {seconds:g} seconds"
            raise RequestError(HTTPStatus.GATEWAY_TIMEOUT, sentence) from None

    def _sent(self, query: str) -> list[dict[str, Any]]:
        fields = {key: values[-1] for key, values in parse_qs(query).items()}
        after = fields.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 16):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"after must be a number, got {after!r:.40}")
        return self.server.mailbox.sent(fields.get("channel_id"), int(after))
