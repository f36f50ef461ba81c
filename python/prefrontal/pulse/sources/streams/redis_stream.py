"""Entries of a Redis stream as signals."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ....clock import Clock, SystemClock
from ....errors import InputError, SourceError
from ..polling import Poller
from ..source_place import SourcePlace
from .stream_event import StreamEvents

if TYPE_CHECKING:
    import redis

    from ..running import Outlet, Push

AT_ONCE = 256
BLOCK_S = 1.0
TIMEOUT_S = 10.0
PAUSE_S = 0.01
FIRST = "0-0"

log = logging.getLogger("prefrontal.pulse")


class RedisStreamSource:
    """Reads a stream in its order, each entry's field `event` as of `stream_event`.

    url: redis://, rediss:// or unix://. The id of the last entry is kept with what was decided
    about it, never before: a killed gate reads on from there, and no entry is decided twice. What
    is there at the first start is no event; a stream that does not exist yet is read from its
    start. Needs the extra [redis]; raises InputError without it, or for another URL.
    """

    def __init__(self, url: str, stream: str, clock: Clock | None = None) -> None:
        self._clock = SystemClock() if clock is None else clock
        self._stream = stream
        self._client = _client(url)
        self._last: str | None = None
        self._reached: bytes | None = None
        """Handed on since the start; the log may not have it yet."""
        self._events = StreamEvents(f"Redis stream {stream}")
        self._poller = Poller(f"prefrontal-redis {stream}"[:200], PAUSE_S, self._ask)
        self._place = SourcePlace(f"place redis {stream!a}", self._poller.outlet)

    def start(self, push: Push) -> None:
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)
        self._last = self._reached = None
        self._client.close()

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether it succeeded."""
        return self._poller.looked(timeout_s)

    def status(self) -> dict[str, object]:
        """stream, entries without an event, and what went wrong."""
        facts = {"stream": self._stream, "unreadable": self._events.unreadable}
        return facts | self._poller.status()

    def _ask(self, outlet: Outlet) -> None:
        import redis

        try:
            if self._last is None:
                self._last = self._begin()
            block = round(BLOCK_S * 1000)
            answer: Any = self._client.xread({self._stream: self._last}, AT_ONCE, block)
        except redis.RedisError as error:
            self._last = None  # it may be another server's when it is back
            raise SourceError(f"Redis stream {self._stream} cannot be read: {error}") from error
        for _, rows in answer or ():
            contents = [fields.get(b"event") for _, fields in rows]
            events = self._events.read(contents, self._clock.now())
            last = rows[-1][0].decode("ascii")
            if not self._place.hand_on(events, last):
                self._last = None
                return
            self._last, self._reached = last, rows[-1][0]

    def _begin(self) -> str:
        """The id to go on after; says what was removed before it was read."""
        content = self._reached or self._place.read()
        exists = bool(self._client.exists(self._stream))
        info: Any = self._client.xinfo_stream(self._stream) if exists else {}
        newest = _text(info.get("last-generated-id", FIRST))
        if content is None:
            self._place.keep(newest)
            return newest
        place = content.decode("ascii")
        if exists and _number(newest) < _number(place):
            log.warning("Redis stream %s was made anew: it is read from its start", self._stream)
            return FIRST
        oldest: Any = self._client.xrange(self._stream, count=1)
        if oldest and _number(place) < _number(_text(oldest[0][0])):
            log.warning(
                "Redis stream %s may have lost entries that were not read: its oldest is %s, the"
                " last that was read %s",
                self._stream,
                _text(oldest[0][0]),
                place,
            )
        return place


def _client(url: str) -> redis.Redis:
    try:
        import redis
    except ImportError as error:
        raise InputError(
            f"Redis streams need the extra [redis]: pip install 'prefrontal[redis]' ({error})"
        ) from None
    try:
        return redis.Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, protocol=2
        )
    except ValueError as error:
        raise InputError(
            f"sources.redis.url must be redis://HOST[:PORT][/NUMBER]: {error}"
        ) from None


def _text(value: object) -> str:
    return value.decode("ascii") if isinstance(value, bytes) else str(value)


def _number(entry: str) -> tuple[int, int]:
    """An id as numbers, which are ordered as the entries are."""
    milliseconds, _, sequence = entry.partition("-")
    return int(milliseconds), int(sequence or 0)
