"""Messages that a channel received and the loop has not polled yet."""

from __future__ import annotations

from collections import deque
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...plugin import IncomingMessage

CAPACITY = 1000


class MessageInbox:
    """At most `capacity` messages, filled and emptied from any thread."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._messages: deque[IncomingMessage] = deque()
        self._changed = Condition()
        self._closed = False

    def put(self, message: IncomingMessage, *, wait: bool = False) -> bool:
        """Add a message; False when the inbox is full or closed. wait: for room."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._closed or len(self._messages) < self._capacity)
            if self._closed or len(self._messages) >= self._capacity:
                return False
            self._messages.append(message)
            return True

    def take_all(self) -> list[IncomingMessage]:
        """Remove and return all messages, oldest first."""
        with self._changed:
            messages = list(self._messages)
            self._messages.clear()
            self._changed.notify_all()
            return messages

    def open(self) -> None:
        """Accept messages again."""
        self._closed = False

    def close(self) -> None:
        """Accept no more messages, and end every wait for room."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
