"""The channel of other machines: messages come as HTTP requests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ...errors import InputError, SourceError
from ...http_server import Door, require
from ...nearest import unknown_key
from ...plugin import IncomingMessage, OutgoingMessage, Plugin, PluginMeta
from ..registry import registry_of
from ..threads import in_thread
from .documents import message_of
from .mailbox import AgentMailbox, Reply
from .webhook_server import WebhookServer


@dataclass(frozen=True, slots=True)
class WebhookSettings(Door):
    """A door, and reply_timeout_seconds: how long a request may wait for the agent's reply."""

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
    def of(cls, section: Mapping[str, Any], environment: Mapping[str, str]) -> WebhookSettings:
        """From the configuration; `token_env` names the variable that holds the token."""
        values = dict(section)
        variable = values.pop("token_env", None)
        if variable is not None:
            values["token"] = environment.get(str(variable), "")
            with _prefixed():
                require(bool(values["token"]), "token_env", "name a variable that is set", variable)
        names = [field.name for field in fields(cls)]
        unknown = sorted(values.keys() - set(names))
        if unknown:
            raise InputError(unknown_key("channels.webhook", unknown[0], [*names, "token_env"]))
        return cls(**values)


class WebhookChannel(Plugin):
    """POST /messages takes a message, GET /messages returns the agent's; GET /health.

    A message is a JSON object as in `documents`. With "wait": true the response is the agent's
    reply, otherwise 202. The server runs in its own threads.
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
        self._mailbox = AgentMailbox()
        self._server: WebhookServer | None = None

    def configure(self, config: dict[str, Any]) -> None:
        if self._settings is None:
            section = (config.get("channels") or {}).get("webhook") or {}
            if not isinstance(section, dict):
                raise InputError(f"channels.webhook must be a mapping, got {section!r:.80}")
            self._settings = WebhookSettings.of(section, os.environ)

    @property
    def settings(self) -> WebhookSettings:
        return self._settings or WebhookSettings()

    @property
    def port(self) -> int:
        """The port it listens on, once started."""
        return self._server.port if self._server else self.settings.port

    async def start(self) -> None:
        if self._server is not None:  # started again in a new event loop: still listening
            return
        settings = self.settings
        try:
            self._server = WebhookServer(
                settings,
                self._mailbox,
                self.accept,
                self.log_debug,
                settings.reply_timeout_seconds,
            )
        except SourceError as error:
            raise SourceError(f"webhook {error}") from None
        self._server.begin("prefrontal-webhook")
        self.log_info(f"Listening on http://{settings.host}:{self.port}")

    async def stop(self) -> None:
        if self._server is None:
            return
        server, self._server = self._server, None
        await asyncio.shield(in_thread(self._close, server))
        left = len(self._mailbox.inbox.take_all())
        if left:
            self.log_warn(f"Accepted and not answered before the end: {left}")

    def receive(self) -> list[IncomingMessage]:
        return self._mailbox.inbox.take_all()

    def send(self, message: OutgoingMessage) -> bool:
        self._mailbox.send(message)
        return True

    def handled(self, ctx: dict[str, Any]) -> None:
        """End the wait for a message that got no answer."""
        message: IncomingMessage = ctx["message"]
        if message.channel_type == self.meta.id:
            self._mailbox.settle(message)

    def accept(self, document: object) -> tuple[IncomingMessage, Reply | None]:
        """Take in a message, from a request's thread; with "wait": true, a future of its reply.

        Raises InputError for a document that is no message, and what `AgentMailbox.accept` raises.
        """
        wait = isinstance(document, dict) and document.pop("wait", False)
        if not isinstance(wait, bool):
            raise InputError(f"wait must be true or false, got {wait!r:.80}")
        message = message_of(document, self.meta.id, self.clock.now())
        reply = self._mailbox.accept(message, wait=wait)
        registry_of(self).wake()
        return message, reply

    def _close(self, server: WebhookServer) -> None:
        """Refuse new requests, cancel the waits, join the threads. Blocks."""
        server.end_accepting()
        self._mailbox.cancel()
        server.end()


@contextmanager
def _prefixed() -> Iterator[None]:
    """Prefix errors with the section of the configuration."""
    try:
        yield
    except InputError as error:
        raise InputError(f"channels.webhook.{error}") from None


def create_plugin() -> WebhookChannel:
    return WebhookChannel()
