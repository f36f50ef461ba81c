"""A page of the network as a signal: an event when what it says changed."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError, SourceError
from ...http_client import PageReader, http_parts
from ...types import SignalEvent
from .polling import Poller
from .source_place import SourcePlace

if TYPE_CHECKING:
    from .running import Outlet, Push

MAX_BYTES = 2**20
GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said. body_hash: SHA-256, 16 hex digits; None when it said "not modified"."""

    status: int
    body_hash: str | None
    body_bytes: int = 0
    etag: str = ""
    last_modified: str = ""


class NetworkSource:
    """Asks an http or https URL every `interval_s` seconds.

    "modified" when the content's hash changed, "deleted" when the page is gone (404, 410),
    "created" when it is back. The first answer is what later ones are compared with, and no event;
    a gate keeps the last one over restarts.
    Features: endpoint, status_code, content_hash, previous_hash, size_bytes. Other failures are
    no event: they are counted, logged once and asked after less often. At most `max_bytes` are
    read, within `timeout_s`; what follows is not compared. Redirects to other schemes than http
    and https are refused, and so are URLs with a password in them.
    """

    def __init__(
        self,
        url: str,
        interval_s: float = 300.0,
        *,
        timeout_s: float = 10.0,
        max_bytes: int = MAX_BYTES,
        clock: Clock | None = None,
    ) -> None:
        _check_url(url)
        if not timeout_s > 0:
            raise InputError(f"timeout_s must be above 0 seconds, got {timeout_s!r}")
        if max_bytes < 1:
            raise InputError(f"max_bytes must be at least 1, got {max_bytes!r}")
        self._url = url
        self._reader = PageReader(timeout_s, max_bytes, follows=True, cuts=True)
        self._clock = SystemClock() if clock is None else clock
        self._last: Answer | None = None
        self._requests = 0
        self._poller = Poller(f"prefrontal-network {url}"[:200], interval_s, self._ask)
        self._place = SourcePlace(f"place network {url!a}", self._poller.outlet)

    def start(self, push: Push) -> None:
        """Begin; compared is with the answer that a gate knows of an earlier start, if it does."""
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._poller.looked(timeout_s)

    def status(self) -> dict[str, object]:
        """endpoint, requests made, the last status code, and what went wrong."""
        code = None if self._last is None else self._last.status
        facts = {"endpoint": self._url, "requests": self._requests, "status_code": code}
        return facts | self._poller.status()

    def _restore(self) -> None:
        """The answer that the start before knew, if a gate knows it."""
        if self._last is None and (content := self._place.read()) is not None:
            with suppress(ValueError, TypeError):
                self._last = Answer(**json.loads(content))

    def _ask(self, outlet: Outlet) -> None:
        self._restore()
        self._requests += 1
        answer = self._fetch()
        if answer.status != 304 and answer.status not in GONE and not 200 <= answer.status < 300:
            raise SourceError(f"{self._url} answered with status {answer.status}")
        before = self._last
        event = self.observe(answer)
        content = json.dumps(asdict(self._last)) if self._last is not None else ""
        if not self._place.hand_on([] if event is None else [event], content):
            self._last = before

    def observe(self, answer: Answer) -> SignalEvent | None:
        """Compare an answer with the one before: the event, or None when nothing changed."""
        before = self._last
        if answer.status == 304:
            return None
        self._last = answer
        if before is None:
            return None
        if answer.status in GONE:
            delta = "" if before.status in GONE else "deleted"
        elif before.status in GONE:
            delta = "created"
        else:
            delta = "" if answer.body_hash == before.body_hash else "modified"
        return self._event(delta, answer, before) if delta else None

    def _event(self, delta: str, answer: Answer, before: Answer) -> SignalEvent:
        gone = answer.status in GONE
        features = {
            "endpoint": self._url,
            "status_code": answer.status,
            "content_hash": "" if gone else answer.body_hash,
            "previous_hash": "" if before.status in GONE else before.body_hash,
            "size_bytes": 0 if gone else answer.body_bytes,
        }
        return SignalEvent("network", self._url, delta, 1.0, self._clock.now(), features)

    def _fetch(self) -> Answer:
        last, headers = self._last, {}
        if last is not None and last.etag:
            headers["If-None-Match"] = last.etag
        elif last is not None and last.last_modified:
            headers["If-Modified-Since"] = last.last_modified
        page = self._reader.read(self._url, headers, self._url)
        if not 200 <= page.status < 300:
            return Answer(page.status, None)
        digest = hashlib.sha256(page.body).hexdigest()[:16]
        etag, modified = page.headers.get("ETag", ""), page.headers.get("Last-Modified", "")
        return Answer(page.status, digest, len(page.body), etag, modified)


def _check_url(url: object) -> None:
    if not isinstance(url, str):
        raise TypeError(f"url must be text, got {url!r}")
    parts = http_parts(url)
    if parts is None:
        raise InputError(f"url must be an http or https address, got {url!r}")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"url must not hold a user name or password, got one for {parts.hostname!r}"
        )
