"""Messages on their way between a channel's requests and the agent."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeAlias

from .documents import reply_document
from .inbox import MessageInbox

if TYPE_CHECKING:
    from ...plugin import IncomingMessage, OutgoingMessage

OUTBOX = 1000
Key: TypeAlias = tuple[str, str]
"""Conversation and message id; ids may repeat across conversations."""
Reply: TypeAlias = Future[str | None]


class AgentMailbox:
    """The messages to the agent, its replies, and the requests that wait for one. Thread-safe.

    The newest `OUTBOX` messages of the agent are kept for later requests.
    """

    def __init__(self) -> None:
        self.inbox = MessageInbox()
        self._lock = threading.Lock()
        self._waiting: dict[Key, Reply] = {}
        self._outbox: deque[tuple[int, OutgoingMessage]] = deque(maxlen=OUTBOX)
        self._number = 0

    def accept(self, message: IncomingMessage, *, wait: bool) -> Reply | None:
        """Put a message in the inbox; with `wait`, a future of its reply.

        Raises KeyError when a request already waits for a message with its id, OverflowError when
        the inbox is full.
        """
        reply: Reply | None = Future() if wait else None
        with self._lock:
            if _key(message) in self._waiting:
                raise KeyError(message.id)
            if not self.inbox.put(message):
                raise OverflowError
            if reply is not None:
                self._waiting[_key(message)] = reply
        return reply

    def send(self, message: OutgoingMessage) -> None:
        """Keep a message of the agent, and hand it to the request that waits for it."""
        with self._lock:
            self._number += 1
            self._outbox.append((self._number, message))
        if message.reply_to:
            self._settle((message.channel_id, message.reply_to), message.content)

    def settle(self, message: IncomingMessage) -> None:
        """The message is handled: a request that still waits for its reply gets None."""
        self._settle(_key(message), None)

    def forget(self, message: IncomingMessage) -> None:
        """Stop waiting for the reply to a message."""
        with self._lock:
            self._waiting.pop(_key(message), None)

    def sent(self, channel_id: str | None, after: int) -> list[dict[str, Any]]:
        """The agent's messages numbered above `after`, of one conversation or (None) of all."""
        with self._lock:
            outbox = list(self._outbox)
        return [
            {"number": number, **reply_document(message)}
            for number, message in outbox
            if number > after and channel_id in (None, message.channel_id)
        ]

    def cancel(self) -> None:
        """Cancel every wait for a reply."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for reply in waiting.values():
            reply.cancel()

    def _settle(self, key: Key, content: str | None) -> None:
        with self._lock:
            reply = self._waiting.pop(key, None)
        if reply is not None and not reply.done():
            reply.set_result(content)


def _key(message: IncomingMessage) -> Key:
    return message.channel_id, message.id
