"""One GET of a page of the network, within bounds."""

from __future__ import annotations

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib import request
from urllib.error import HTTPError

from ...errors import SourceError

_CHUNK = 2**16
_FIXED = (
    request.ProxyHandler,
    request.HTTPHandler,
    request.HTTPSHandler,
    request.HTTPDefaultErrorHandler,
    request.HTTPErrorProcessor,
    request.UnknownHandler,
)


@dataclass(frozen=True, slots=True)
class HttpPage:
    """What a server answered, whatever its status. headers: looked up whatever their case."""

    status: int
    headers: Message
    body: bytes


@dataclass(frozen=True, slots=True)
class PageReader:
    """How pages are read: within timeout_s and max_bytes each, and whether a redirect is followed.

    A request that carries a token must not follow: the token would go along. Only http and https
    are spoken, whatever a redirect says.
    """

    timeout_s: float
    max_bytes: int
    follows: bool

    def read(self, url: str, headers: Mapping[str, str], name: str) -> HttpPage:
        """The page. name: what errors call it, for an address that nobody may see.

        Raises SourceError when there is no answer, or not all of it in time and size.
        """
        question = request.Request(url, headers={"User-Agent": "prefrontal", **headers})
        deadline = time.monotonic() + self.timeout_s
        try:
            with self._opener().open(question, timeout=self.timeout_s) as response:
                return HttpPage(
                    response.status, response.headers, self._body(response, deadline, name)
                )
        except HTTPError as refusal:
            with refusal:
                return HttpPage(refusal.code, refusal.headers, b"")
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise SourceError(f"{name} cannot be read: {reason}") from None

    def _opener(self) -> request.OpenerDirector:
        opener = request.OpenerDirector()
        for handler in _FIXED:
            opener.add_handler(handler())
        if self.follows:
            opener.add_handler(request.HTTPRedirectHandler())
        return opener

    def _body(self, response: Any, deadline: float, name: str) -> bytes:
        body = bytearray()
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > self.max_bytes:
                raise SourceError(f"{name} has more than {self.max_bytes} bytes")
            if time.monotonic() > deadline:
                raise SourceError(f"{name} took longer than {self.timeout_s:g} s")
        return bytes(body)
