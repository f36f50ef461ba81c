"""The notifications of a GitHub account as signals."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from ...clock import Clock, SystemClock
from ...errors import InputError, SourceError
from ...http_client import HttpPage, PageReader, http_parts
from ...http_door import LOOPBACK
from ...types import SignalEvent
from .polling import Poller
from .source_place import SourcePlace

if TYPE_CHECKING:
    from .running import Outlet, Push

API = "https://api.github.com"
INTERVAL_S = 60.0
"""What GitHub asks for; more when it says so."""
PAGES = 100
"""Pages of 50 notifications that are read at once."""

_OVERLAP = timedelta(hours=1)  # listings may be behind by some minutes
_LONGEST_WAIT_S = 3_600.0
_MAX_BYTES = 2**22
_PLACES = {"pulls": "pull", "commits": "commit"}
_SUBJECT = re.compile(r"/repos/([^/]+/[^/]+)/([a-z]+)/([^/]+)$")
_NEXT = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="?next"?')
log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class GitHubAccount:
    """Whose notifications are read. api: of GitHub, or https://HOST/api/v3 of an own server.

    participating: only where the account takes part or is mentioned. Raises InputError.
    """

    token: str = field(repr=False)
    api: str = API
    participating: bool = False

    def __post_init__(self) -> None:
        parts = http_parts(self.api)
        if parts is None:
            raise InputError(f"url must be an http or https address, got {self.api!r}")
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            rule = "be https, since a token goes along"
            raise InputError(f"url must {rule}, got {self.api!r}")
        if parts.username is not None or parts.password is not None:
            raise InputError(f"url must not hold a user name or password, got one for {self.host}")
        if not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise InputError("token must be visible ASCII without blanks, got another")

    @property
    def host(self) -> str:
        """How errors call it."""
        return urlsplit(self.api).netloc.rpartition("@")[2]


class GitHubNotifications:
    """Asks for unread notifications every `interval_s` seconds, less often when GitHub says so.

    An event has the source "github", the address of what it is about as location and
    "notification.REASON" as delta type (mention, review_requested, ci_activity, ...). Features:
    text (the title), repository, reason, kind (Issue, PullRequest, ...) and number. A thread that
    went on is told of again. Those there at the first start are no event; later starts go on where
    the gate's decisions end, and what was read on GitHub meanwhile is not told. Questions go with
    If-None-Match and If-Modified-Since, which cost nothing while there is nothing new, and never
    more often than X-Poll-Interval, Retry-After and the rate limit allow.
    """

    def __init__(
        self,
        account: GitHubAccount,
        interval_s: float = INTERVAL_S,
        *,
        timeout_s: float = 30.0,
        clock: Clock | None = None,
    ) -> None:
        self._account = account
        self._clock = SystemClock() if clock is None else clock
        self._reader = PageReader(timeout_s, _MAX_BYTES, follows=False)
        self._seen: dict[str, str] | None = None
        self._conditions: dict[str, str] = {}
        self._asked_url = self._first = ""
        self._requests = self._malformed = 0
        self._poller = Poller(f"prefrontal-github {account.host}"[:200], interval_s, self._ask)
        self._place = SourcePlace(f"place github {account.api!a}", self._poller.outlet)

    def start(self, push: Push) -> None:
        """Begin; goes on where a gate's decisions end."""
        self._poller.outlet.push = push
        with suppress(SourceError):  # it is looked for again with the first question
            self._read_place()
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._poller.looked(timeout_s)

    def status(self) -> dict[str, object]:
        """account, requests made, notifications that were none, and what went wrong."""
        counts = {"requests": self._requests, "malformed": self._malformed}
        return {"account": self._account.host, **counts} | self._poller.status()

    def _read_place(self) -> None:
        if self._seen is not None or (content := self._place.read()) is None:
            return
        try:
            seen = json.loads(content)["seen"]
            self._seen = {str(thread): str(time) for thread, time in seen.items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            log.error("Which notifications were told is not known any more: %r", error)

    def _ask(self, outlet: Outlet) -> None:
        self._read_place()
        url = self._url()
        conditions = self._conditions if url == self._asked_url else {}
        page = self._get(url, conditions)
        if page.status == 304:
            return
        threads = list(self._threads(page))
        if self._is_told(threads, page.headers):
            self._asked_url = url
            self._conditions = _conditions(page.headers)

    def _url(self) -> str:
        query = {"per_page": "50"}
        if self._account.participating:
            query["participating"] = "true"
        newest = max((self._seen or {}).values(), default=None)
        if newest is None:
            newest = self._first = self._first or _written(self._clock.now())
        query["since"] = _written((_moment(newest) - _OVERLAP).timestamp())
        return f"{self._account.api.rstrip('/')}/notifications?{urlencode(query)}"

    def _get(self, url: str, conditions: dict[str, str]) -> HttpPage:
        """The answer: 200 or 304. Raises SourceError for any other."""
        self._requests += 1
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._account.token}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        page = self._reader.read(url, headers | conditions, self._account.host)
        self._poller.least_s = self._least_s(page)
        if page.status in (200, 304):
            return page
        raise SourceError(f"{self._account.host} answered {page.status}{_hint(page)}")

    def _least_s(self, page: HttpPage) -> float:
        """Seconds that the server wants to be left alone, an hour at most."""
        waits = [_number(page.headers.get(name)) for name in ("X-Poll-Interval", "Retry-After")]
        if page.headers.get("X-RateLimit-Remaining") == "0":
            reset = _number(page.headers.get("X-RateLimit-Reset"))
            waits.append(reset - self._clock.now())
        return min(max(0.0, *waits), _LONGEST_WAIT_S)

    def _threads(self, page: HttpPage) -> Iterator[dict[str, Any]]:
        """The notifications of this page and those that follow."""
        first = urlsplit(self._account.api)
        for number in range(1, PAGES + 1):
            try:
                listed = json.loads(page.body)
            except (ValueError, RecursionError):
                listed = None
            if not isinstance(listed, list):
                raise SourceError(f"{self._account.host} must answer with a JSON list")
            yield from map(_mapping, listed)
            link = _NEXT.search(page.headers.get("Link", ""))
            if link is None:
                return
            url = urljoin(self._account.api, link[1])
            if urlsplit(url)[:2] != first[:2]:
                raise SourceError(f"{self._account.host} must not point to another server")
            if number == PAGES:
                log.warning("%s: older notifications are left out", self._account.host)
                return
            page = self._get(url, {})

    def _is_told(self, threads: list[dict[str, Any]], headers: Message) -> bool:
        """Hand what is new on, oldest first; False when the source ends before."""
        before = self._seen
        seen = dict(before or {})
        events: list[tuple[str, SignalEvent]] = []
        malformed = 0
        for thread in threads:
            name, time = _text(thread, "id"), _text(thread, "updated_at")
            if not name or not _is_time(time):
                malformed += 1
                continue
            if before is not None and before.get(name) != time:
                events.append((time, self._event(thread)))
            seen[name] = time
        if malformed:
            self._malformed += malformed
            log.warning("%s: %d notifications without id or time", self._account.host, malformed)
        seen = _recent(seen, _server_time(headers, self._clock))
        in_order = [event for _, event in sorted(events, key=lambda each: each[0])]
        if not self._place.hand_on(in_order, json.dumps({"seen": seen})):
            return False
        self._seen = seen
        return True

    def _event(self, thread: dict[str, Any]) -> SignalEvent:
        subject, repository = _mapping(thread.get("subject")), _mapping(thread.get("repository"))
        home = _text(repository, "html_url")
        address = _SUBJECT.search(_text(subject, "url"))
        place, number = home, None
        if address is not None:
            kind, name = address[2], address[3]
            number = int(name) if name.isdecimal() and len(name) < 16 else None
            if home and kind in ("issues", "pulls", "commits", "discussions"):
                place = f"{home}/{_PLACES.get(kind, kind)}/{name}"
        reason = _text(thread, "reason") or "unknown"
        features = {
            "text": _text(subject, "title")[:2_000],
            "repository": _text(repository, "full_name"),
            "reason": reason,
            "kind": _text(subject, "type"),
            "number": number,
        }
        return SignalEvent(
            "github",
            place or self._account.host,
            f"notification.{reason}",
            1.0,
            self._clock.now(),
            {name: value for name, value in features.items() if value not in ("", None)},
        )


def _recent(seen: dict[str, str], now: str) -> dict[str, str]:
    """What the next listing may hold again; for none, a mark of when nothing was there."""
    if not seen:
        return {"": now}
    limit = _moment(max(seen.values())) - _OVERLAP
    return {name: time for name, time in seen.items() if _moment(time) >= limit}


def _conditions(headers: Message) -> dict[str, str]:
    conditions = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
    return {name: value for name, header in conditions.items() if (value := headers.get(header))}


def _server_time(headers: Message, clock: Clock) -> str:
    """Now, by the server's clock where it says so."""
    with suppress(ValueError, TypeError):
        return _written(parsedate_to_datetime(headers.get("Date", "")).timestamp())
    return _written(clock.now())


def _written(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _hint(page: HttpPage) -> str:
    if page.status == 401:
        return ": the token is not valid"
    if page.status in (403, 404):
        return ": the token must be classic, with the scope notifications or repo"
    return ""


def _moment(time: str) -> datetime:
    return datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _is_time(time: str) -> bool:
    try:
        return _moment(time).year >= 2000
    except ValueError:
        return False


def _number(text: str | None) -> float:
    return float(text) if text is not None and text.isascii() and text.isdecimal() else 0.0


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""
