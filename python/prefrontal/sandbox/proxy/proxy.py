"""A proxy that lives as long as one run."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from .connection import Connection, Way

if TYPE_CHECKING:
    from types import TracebackType

_AT_ONCE = 32
_NOTES = 10
_END_S = 2.0


class Proxy:
    """Answers on a listening socket that arrives through `inner`, a Unix socket for the launcher.

    As a context it works until the block ends; then every connection is closed.
    """

    def __init__(self, way: Way) -> None:
        self._way = way
        self._outer, self.inner = socket.socketpair()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._ended = False
        self._refusals: dict[str, None] = {}
        self._thread = threading.Thread(target=self._serve, name="sandbox-proxy", daemon=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was refused, a sentence each, at most ten."""
        return tuple(self._refusals)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self._lock:
            self._ended = True
            places = [self._outer, *self._open]
        self.inner.close()
        for place in places:
            with suppress(OSError):
                place.shutdown(socket.SHUT_RDWR)
        self._thread.join(_END_S)
        self._outer.close()

    def _serve(self) -> None:
        try:
            _, descriptors, _, _ = socket.recv_fds(self._outer, 1, 1)
        except OSError:
            return
        if not descriptors:  # the launcher could not start the command
            return
        with socket.socket(fileno=descriptors[0]) as listener:
            if not self._keep(listener):
                return
            while True:
                self._room.acquire()
                try:
                    client, _ = listener.accept()
                except OSError:  # it was shut down
                    return
                if not self._keep(client):
                    client.close()
                    return
                threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        try:
            refusal = Connection(client, self._way, self._keep, self._forget).answer()
            if refusal and len(self._refusals) < _NOTES:
                self._refusals[refusal] = None
        finally:
            self._forget(client)
            self._room.release()

    def _keep(self, place: socket.socket) -> bool:
        """Remember what must be closed at the end; False when that was already."""
        with self._lock:
            if not self._ended:
                self._open.add(place)
            return not self._ended

    def _forget(self, place: socket.socket) -> None:
        with self._lock:
            self._open.discard(place)
        place.close()
