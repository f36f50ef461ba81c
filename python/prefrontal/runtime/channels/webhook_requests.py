"""One HTTP request to the webhook: who may ask, what is asked, what is answered."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from ...errors import InputError
from ...http_server import JsonRequest, RequestError

if TYPE_CHECKING:
    from ...plugin import IncomingMessage
    from .webhook_server import WebhookServer


class WebhookRequest(JsonRequest):
    """POST /messages, GET /messages, GET /health."""

    server: WebhookServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        self.server.channel.log_debug(f"{self.address_string()} {format % args}")

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any]]:
        parts = urlsplit(self.path)
        if method == "GET" and parts.path == "/health":
            return HTTPStatus.OK, {"status": "ok"}
        self.check_sender()
        if parts.path != "/messages":
            raise RequestError(HTTPStatus.NOT_FOUND, "there are only /messages and /health")
        if method == "GET":
            return HTTPStatus.OK, {"messages": self._said(parts.query)}
        return self._take(self.json_body("message"))

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
