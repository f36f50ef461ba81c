"""Asks other servers over HTTP: within bounds of time and size, and only where an address says."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import SplitResult, urlsplit

from .errors import SourceError
from .http_door import LOOPBACK

_CHUNK = 2**16


def http_parts(url: str, *more_schemes: str) -> SplitResult | None:
    """The parts of an http or https address that names a host; None for anything else."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https", *more_schemes) and parts.port != 0
        name = parts.hostname or ""
        name.encode("idna")  # UnicodeError: a part of the name is too long
    except ValueError:
        return None
    return parts if usable and name and url.isprintable() and " " not in url else None


def opener(url: str, follows: bool) -> request.OpenerDirector:
    """Opens this address. follows: redirects, which would turn a POST into a GET without its body.

    Speaks http and https only, whatever a redirect says. `timeout` is for the whole answer up to
    its body. Goes through the proxy that the environment names, but not to this machine.
    """
    director = request.OpenerDirector()
    is_here = urlsplit(url).hostname in LOOPBACK
    for handler in (
        request.ProxyHandler({} if is_here else None),
        _TimedHandler(),
        _TimedSecureHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        request.UnknownHandler(),
        *([request.HTTPRedirectHandler()] if follows else []),
    ):
        director.add_handler(handler)
    return director


@dataclass(frozen=True, slots=True)
class HttpPage:
    """What a server answered, whatever its status. headers: looked up whatever their case."""

    status: int
    headers: Message
    body: bytes


@dataclass(frozen=True, slots=True)
class PageReader:
    """How pages are read: within timeout_s and max_bytes each, and whether a redirect is followed.

    A request that carries a token must not follow: the token would go along. cuts: whether a
    longer page ends at max_bytes, where it is refused otherwise.
    """

    timeout_s: float
    max_bytes: int
    follows: bool
    cuts: bool = False

    def read(
        self, url: str, headers: Mapping[str, str], name: str, body: bytes | None = None
    ) -> HttpPage:
        """The page. name: what errors call it, for an address that nobody may see. body: to post.

        Raises SourceError when there is no answer, or not all of it in time and size. What stands
        in a refusal is read after a post alone, its beginning.
        """
        question = request.Request(url, body, {"User-Agent": "prefrontal", **headers})
        deadline = time.monotonic() + self.timeout_s
        try:
            with opener(url, self.follows).open(question, timeout=self.timeout_s) as response:
                return HttpPage(
                    response.status, response.headers, self._body(response, deadline, name)
                )
        except HTTPError as refusal:
            with refusal:
                why = b"" if body is None else refusal.read(_CHUNK)
                return HttpPage(refusal.code, refusal.headers, why)
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise SourceError(f"{name} cannot be read: {reason}") from None

    def _body(self, response: Any, deadline: float, name: str) -> bytes:
        body = bytearray()
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > self.max_bytes:
                if self.cuts:
                    return bytes(body[: self.max_bytes])
                raise SourceError(f"{name} has more than {self.max_bytes} bytes")
            if time.monotonic() > deadline:
                raise SourceError(f"{name} took longer than {self.timeout_s:g} s")
        return bytes(body)


class _TimedConnection(HTTPConnection):
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
            self._timer.join()

    def _cut(self, connection: socket.socket) -> None:
        self._is_late = True
        with suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _check_time(self) -> None:
        if self._is_late:
            raise TimeoutError("timed out") from None


class _TimedSecureConnection(_TimedConnection, HTTPSConnection):
    """The same over TLS."""


class _TimedHandler(request.HTTPHandler):
    def http_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_TimedConnection, req)


class _TimedSecureHandler(request.HTTPSHandler):
    def https_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_TimedSecureConnection, req)
