"""Messages of a NATS JetStream stream as signals."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ....clock import Clock, SystemClock
from ....errors import InputError, SourceError
from ..polling import Poller
from ..source_place import SourcePlace
from .stream_event import StreamEvents

if TYPE_CHECKING:
    from ..running import Outlet, Push

AT_ONCE = 256
BLOCK_S = 1.0
TIMEOUT_S = 10.0
PAUSE_S = 0.01

log = logging.getLogger("prefrontal.pulse")


class NatsStreamSource:
    """Reads a stream in its order, each message's payload as of `stream_event`.

    url: nats:// or tls://. The sequence number of the last message is kept with what was decided
    about it, never before: a killed gate reads on from there, and no message is decided twice.
    What is there at the first start is no event. Needs the extra [nats]; raises InputError
    without it.
    """

    def __init__(self, url: str, stream: str, clock: Clock | None = None) -> None:
        _library()
        self._clock = SystemClock() if clock is None else clock
        self._url = url
        self._stream = stream
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: Any = None
        self._messages: Any = None
        self._reached: int | None = None
        """Handed on since the start; the log may not have it yet."""
        self._events = StreamEvents(f"NATS stream {stream}")
        self._poller = Poller(f"prefrontal-nats {stream}"[:200], PAUSE_S, self._ask)
        self._place = SourcePlace(f"place nats {stream!a}", self._poller.outlet)

    def start(self, push: Push) -> None:
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)
        self._leave()
        self._reached = None

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether it succeeded."""
        return self._poller.looked(timeout_s)

    def status(self) -> dict[str, object]:
        """stream, messages without an event, and what went wrong."""
        facts = {"stream": self._stream, "unreadable": self._events.unreadable}
        return facts | self._poller.status()

    def _ask(self, outlet: Outlet) -> None:
        errors = _library().errors
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        try:
            messages = self._loop.run_until_complete(self._next())
        except (errors.Error, OSError, TimeoutError) as error:
            self._leave()
            raise SourceError(f"NATS stream {self._stream} cannot be read: {error}") from error
        if messages:
            events = self._events.read((each.data for each in messages), self._clock.now())
            last = messages[-1].metadata.sequence.stream
            if not self._place.hand_on(events, str(last)):
                self._leave()
                return
            self._reached = last

    async def _next(self) -> list[Any]:
        """What came; empty when nothing did for BLOCK_S."""
        if self._messages is None:
            await self._begin()
        try:
            messages: list[Any] = await self._messages.fetch(AT_ONCE, timeout=BLOCK_S)
        except TimeoutError:
            messages = []
        return messages

    async def _begin(self) -> None:
        nats = _library()
        self._client = await nats.connect(
            self._url, connect_timeout=TIMEOUT_S, allow_reconnect=False, error_cb=_silent
        )
        stream = self._client.jetstream(timeout=TIMEOUT_S)
        state = (await stream.stream_info(self._stream)).state
        last = self._reached
        if last is None:
            last = self._stored(state.last_seq)
        if last > state.last_seq:
            log.warning("NATS stream %s was made anew: it is read from its start", self._stream)
            last = 0
        elif state.first_seq > last + 1:
            log.warning(
                "NATS stream %s lost messages up to %d that were not read",
                self._stream,
                state.first_seq - 1,
            )
        config = nats.js.api.ConsumerConfig(
            deliver_policy=nats.js.api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=last + 1,
            ack_policy=nats.js.api.AckPolicy.NONE,
        )
        self._messages = await stream.pull_subscribe(">", stream=self._stream, config=config)

    def _stored(self, newest: int) -> int:
        """The number that the log knows, or the newest at the first start."""
        if (content := self._place.read()) is not None:
            return int(content)
        self._place.keep(str(newest))
        return newest

    def _leave(self) -> None:
        """Forget how far it came; what begins next goes on where its place is."""
        loop, self._loop, client, self._client = self._loop, None, self._client, None
        self._messages = None
        if loop is not None:
            with suppress(Exception):  # it is given up in any case
                if client is not None:
                    loop.run_until_complete(client.close())
            loop.close()


async def _silent(error: Exception) -> None:
    """What goes wrong is told where a message is waited for."""


def _library() -> Any:
    try:
        import nats
        import nats.errors
        import nats.js.api
    except ImportError as error:
        raise InputError(
            f"NATS streams need the extra [nats]: pip install 'prefrontal[nats]' ({error})"
        ) from None
    return nats
