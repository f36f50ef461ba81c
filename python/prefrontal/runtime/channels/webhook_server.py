"""The HTTP server of a webhook: so many connections at once, none that dawdles, a clean end."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from http.server import ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING, Any

from .webhook_requests import WebhookRequest

if TYPE_CHECKING:
    from .webhook import WebhookChannel

MOST_AT_ONCE = 64
READING_S = 10.0
"""How long a request may take to come in."""


class WebhookServer(ThreadingHTTPServer):
    """A thread a request; past `MOST_AT_ONCE` connections a new one is closed at once."""

    daemon_threads = False
    block_on_close = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], channel: WebhookChannel) -> None:
        self.channel = channel
        self._open: dict[socket.socket, float | None] = {}
        self._guard = Lock()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, WebhookRequest)

    def has_been_read(self, connection: socket.socket) -> None:
        """The request is there; its answer may take longer."""
        with self._guard:
            self._open[connection] = None

    def end_reading(self) -> None:
        """Close the connections whose request is still coming in."""
        self._close_older_than(0.0)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            is_room = len(self._open) < MOST_AT_ONCE
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

    def service_actions(self) -> None:
        super().service_actions()
        self._close_older_than(READING_S)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""

    def _close_older_than(self, seconds: float) -> None:
        now = time.monotonic()
        with self._guard:
            for connection, since in self._open.items():
                if since is not None and now - since >= seconds:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
