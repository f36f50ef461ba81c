"""The channel of other machines: messages come as HTTP requests."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from ...errors import InputError, SourceError
from ...http_server import Door, require
from ...nearest import unknown_key
from ...plugin import IncomingMessage, OutgoingMessage, Plugin, PluginMeta
from ..registry import registry_of
from ..threads import in_thread
from .documents import message_of, reply_document
from .inbox import Inbox
from .webhook_server import WebhookServer

OUTBOX = 1000
Key: TypeAlias = tuple[str, str]
"""Conversation, and id of a message in it: others may use the same id."""


@dataclass(frozen=True, slots=True)
class WebhookSettings(Door):
    """A door, and reply_timeout_seconds: how long a request that waits for its answer may wait."""

    free_port: ClassVar[str] = "`--port 0` (channels.webhook.port: 0) takes a free one"
    token_place: ClassVar[str] = (
        "channels.webhook.token_env names the environment variable that holds it"
    )

    reply_timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        with _prefixed():
            Door.__post_init__(self)
            seconds = self.reply_timeout_seconds
            usable = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
            require(usable and 0 < seconds <= 3600, "reply_timeout_seconds", "be 0..3600", seconds)

    @classmethod
    def of(cls, told: Mapping[str, Any], environment: Mapping[str, str]) -> WebhookSettings:
        """From the configuration; `token_env` names the variable that holds the token."""
        given = dict(told)
        named = given.pop("token_env", None)
        if named is not None:
            given["token"] = environment.get(str(named), "")
            with _prefixed():
                require(bool(given["token"]), "token_env", "name a variable that is set", named)
        known = [each.name for each in fields(cls)]
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise InputError(unknown_key("channels.webhook", unknown[0], [*known, "token_env"]))
        return cls(**given)


class WebhookChannel(Plugin):
    """POST /messages takes a message; GET /messages gives what the agent said; GET /health.

    A message is a JSON object as in `documents`. With "wait": true the answer to the request is
    the agent's answer, otherwise 202. The server runs in threads of its own.
    """

    meta = PluginMeta(
        id="webhook",
        version="1",
        capabilities=["channel"],
        dependencies=["session"],
        priority=30,
        implements={
            "session.receive": "receive",
            "session.send": "send",
            "session.handled": "handled",
        },
    )

    def __init__(self, settings: WebhookSettings | None = None) -> None:
        self._settings = settings
        self._inbox = Inbox()
        self._lock = threading.Lock()
        self._waiting: dict[Key, Future[str | None]] = {}
        self._outbox: deque[tuple[int, OutgoingMessage]] = deque(maxlen=OUTBOX)
        self._number = 0
        self._server: WebhookServer | None = None

    def configure(self, config: dict[str, Any]) -> None:
        if self._settings is None:
            told = (config.get("channels") or {}).get("webhook") or {}
            if not isinstance(told, dict):
                raise InputError(f"channels.webhook must be a mapping, got {told!r:.80}")
            self._settings = WebhookSettings.of(told, os.environ)

    @property
    def settings(self) -> WebhookSettings:
        return self._settings or WebhookSettings()

    @property
    def port(self) -> int:
        """Where it listens, once it is started."""
        return self._server.port if self._server else self.settings.port

    async def start(self) -> None:
        if self._server is not None:  # a start in a new event loop finds it listening
            return
        try:
            self._server = WebhookServer(self)
        except SourceError as error:
            raise SourceError(f"webhook {error}") from None
        self._server.begin("prefrontal-webhook")
        self.log_info(f"Listening on http://{self.settings.host}:{self.port}")

    async def stop(self) -> None:
        if self._server is None:
            return
        server, self._server = self._server, None
        await asyncio.shield(in_thread(self._close, server))
        left = len(self._inbox.take_all())
        if left:
            self.log_warn(f"Accepted and not answered before the end: {left}")

    def receive(self) -> list[IncomingMessage]:
        return self._inbox.take_all()

    def send(self, message: OutgoingMessage) -> bool:
        """Hand it to the request that waits for it, and keep it for who asks later."""
        with self._lock:
            self._number += 1
            self._outbox.append((self._number, message))
        if message.reply_to:
            self._settle((message.channel_id, message.reply_to), message.content)
        return True

    def handled(self, ctx: dict[str, Any]) -> None:
        """A message that got no answer must not be waited for."""
        message: IncomingMessage = ctx["message"]
        if message.channel_type == self.meta.id:
            self._settle(_key(message), None)

    def accept(self, document: object) -> tuple[IncomingMessage, Future[str | None] | None]:
        """Take in a message, from a request's thread; the future when it wants to wait.

        Raises InputError for what is no message, KeyError when somebody waits for one with its
        id, OverflowError when too many are waiting.
        """
        wait = isinstance(document, dict) and document.pop("wait", False)
        if not isinstance(wait, bool):
            raise InputError(f"wait must be true or false, got {wait!r:.80}")
        message = message_of(document, self.meta.id, self.clock.now())
        future: Future[str | None] | None = Future() if wait else None
        with self._lock:
            if _key(message) in self._waiting:
                raise KeyError(message.id)
            if not self._inbox.put(message):
                raise OverflowError
            if future is not None:
                self._waiting[_key(message)] = future
        registry_of(self).wake()
        return message, future

    def forget(self, message: IncomingMessage) -> None:
        """Nobody waits for its answer any more."""
        with self._lock:
            self._waiting.pop(_key(message), None)

    def said(self, channel_id: str | None, after: int) -> list[dict[str, Any]]:
        """What the agent sent in a conversation (None: in all) behind that number."""
        with self._lock:
            kept = list(self._outbox)
        return [
            {"number": number, **reply_document(message)}
            for number, message in kept
            if number > after and channel_id in (None, message.channel_id)
        ]

    def _close(self, server: WebhookServer) -> None:
        """Nothing new, nobody waits any more, then all its threads end. In a thread of its own."""
        server.end_accepting()
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            future.cancel()
        server.end()

    def _settle(self, key: Key, answer: str | None) -> None:
        with self._lock:
            future = self._waiting.pop(key, None)
        if future is not None and not future.done():
            future.set_result(answer)


def _key(message: IncomingMessage) -> Key:
    return message.channel_id, message.id


@contextmanager
def _prefixed() -> Iterator[None]:
    """Name the section of the configuration in front of its field."""
    try:
        yield
    except InputError as error:
        raise InputError(f"channels.webhook.{error}") from None


def create_plugin() -> WebhookChannel:
    return WebhookChannel()
