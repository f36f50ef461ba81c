"""Connections that are cut in time, however little at once the other side sends."""

from __future__ import annotations

import socket
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from urllib.request import HTTPHandler, HTTPSHandler, Request


class TimedConnection(HTTPConnection):
    """`timeout` is for the whole answer up to its body, not only for each piece of it."""

    _timer: Timer | None = None
    _is_late = False

    def connect(self) -> None:
        super().connect()
        if self.timeout is not None:
            self._timer = Timer(self.timeout, self._cut, (self.sock,))
            self._timer.daemon = True
            self._timer.start()

    def getresponse(self) -> HTTPResponse:
        try:
            answer = super().getresponse()
        except (OSError, HTTPException):
            self._check_time()
            raise
        finally:
            self._stop()
        self._check_time()  # headers that break off look complete
        return answer

    def close(self) -> None:
        self._stop()
        super().close()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _cut(self, connection: socket.socket) -> None:
        self._is_late = True
        with suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _check_time(self) -> None:
        if self._is_late:
            raise TimeoutError("timed out") from None


class TimedSecureConnection(TimedConnection, HTTPSConnection):
    """The same over TLS."""


class TimedHandler(HTTPHandler):
    """Opens http addresses so."""

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(TimedConnection, req)


class TimedSecureHandler(HTTPSHandler):
    """Opens https addresses so."""

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(TimedSecureConnection, req)
