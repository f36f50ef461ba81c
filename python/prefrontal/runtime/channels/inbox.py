"""What a channel's thread brought and the loop has not polled yet."""

from __future__ import annotations

from collections import deque
from threading import Condition

from ...plugin import IncomingMessage

CAPACITY = 1000


class Inbox:
    """At most `capacity` messages, filled and emptied from any thread."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._held: deque[IncomingMessage] = deque()
        self._changed = Condition()
        self._closed = False

    def put(self, message: IncomingMessage, *, wait: bool = False) -> bool:
        """Whether there was room for it; wait: until there is, or nothing more is taken."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._closed or len(self._held) < self._capacity)
            if self._closed or len(self._held) >= self._capacity:
                return False
            self._held.append(message)
            return True

    def take_all(self) -> list[IncomingMessage]:
        """All that is there, oldest first; then it is empty."""
        with self._changed:
            taken = list(self._held)
            self._held.clear()
            self._changed.notify_all()
            return taken

    def open(self) -> None:
        """Take messages again."""
        self._closed = False

    def close(self) -> None:
        """Nothing more is taken; who waits for room is let go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
