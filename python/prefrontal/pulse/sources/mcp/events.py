"""MCP servers that emit events: what they tell by themselves becomes signals. Experimental."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING

from ....clock import Clock, SystemClock
from ....mcp_sdk import require_mcp_sdk
from ..running import Outlet, Push
from ..source_place import SourcePlace
from .connection import CONNECTING_S, LastWords, McpAddress, innermost, transport
from .session import LEVEL, PING_S, McpSession
from .signals import McpSignals

if TYPE_CHECKING:
    from ....types import SignalEvent

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
STEADY_S = 60.0
"""A connection that lasted so long was a good one: the next wait is the first again."""

log = logging.getLogger("prefrontal.pulse")


class McpEventsSource:
    """Listens to one MCP server, and connects anew when it is gone, on a thread of its own.

    An event has the source "mcp" and the features `server` and `text` (at most 2,000 characters):
    "modified", "created" and "deleted" with a resource's address as location; "list_changed" with
    SERVER/tools, SERVER/prompts or SERVER/resources; "message" with SERVER/LOGGER and the feature
    `level`. reads: a resource that changed is read, and its beginning is the text; otherwise its
    title is. What a server tells while it is not connected is lost, but for resources that came or
    went meanwhile, over restarts of a gate, too; the first listing is no event.

    The waits between two tries double from first_wait_s up to five minutes. Raises SourceError
    when the SDK of the protocol is not installed.
    """

    def __init__(
        self,
        address: McpAddress,
        *,
        reads: bool = False,
        first_wait_s: float = FIRST_WAIT_S,
        ping_s: float = PING_S,
        clock: Clock | None = None,
    ) -> None:
        require_mcp_sdk("sources.mcp")
        self._address = address
        self._signals = McpSignals(address.shown)
        self._reads = reads
        self._first_wait_s = first_wait_s
        self._ping_s = ping_s
        self._clock = SystemClock() if clock is None else clock
        self._outlet = Outlet()
        self._place = SourcePlace(f"place mcp {address.shown!a}", self._outlet)
        self._titles: dict[str, str] | None = None
        self._lock = Lock()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._session: McpSession | None = None
        self._lost = self._failures = self._in_a_row = 0
        self._last_error = ""

    def start(self, push: Push) -> None:
        """Connect, and hand on what is heard from then on."""
        with self._lock:
            if self._thread is not None:
                return
            self._outlet.push = push
            self._outlet.is_ended = lambda: self._thread is None
            self._loop, self._ended = asyncio.new_event_loop(), asyncio.Event()
            name = f"prefrontal-mcp {self._address.shown}"[:200]
            arguments = (self._loop, self._ended)
            self._thread = Thread(target=self._run, args=arguments, name=name, daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Hang up, and end a program that was started."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None and self._loop is not None:
                with suppress(RuntimeError):  # the loop is closed already
                    self._loop.call_soon_threadsafe(self._ended.set)
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)

    def status(self) -> dict[str, object]:
        """server, whether it is connected, notifications lost, and what went wrong."""
        session = self._session
        lost = self._lost + (session.lost if session else 0)
        return {
            "server": self._address.shown,
            "running": self._thread is not None,
            "connected": session is not None and session.ready.is_set(),
            "lost": lost,
            "errors": self._failures,
            "last_error": self._last_error,
            **self._outlet.counts(),
        }

    def _read(self) -> None:
        """What the start before knew, if a gate knows it. Raises SourceError."""
        if self._titles is not None or (content := self._place.read()) is None:
            return
        try:
            self._titles = {str(uri): str(title) for uri, title in json.loads(content).items()}
        except (ValueError, AttributeError) as error:
            log.error("What %s offered is not known any more: %r", self._address.shown, error)

    def _take(self, events: list[SignalEvent], titles: dict[str, str]) -> None:
        if self._place.hand_on(events, json.dumps(titles)):
            self._titles = titles

    def _run(self, loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._until(ended))

    async def _until(self, ended: asyncio.Event) -> None:
        serving = asyncio.create_task(self._reconnect(ended))
        await ended.wait()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    async def _reconnect(self, ended: asyncio.Event) -> None:
        """A connection that fails while it is cancelled may hide that; `ended` is asked, too."""
        wait_s = self._first_wait_s
        while not ended.is_set():
            words, began = LastWords(), self._clock.monotonic()
            try:
                await self._connect(words)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again
                self._failed(error, str(words))
            finally:
                self._leave()
            if self._clock.monotonic() - began >= STEADY_S:
                wait_s, self._in_a_row = self._first_wait_s, 0
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _connect(self, words: LastWords) -> None:
        """One connection, to its end."""
        from mcp import Client

        await asyncio.to_thread(self._read)
        session = McpSession(
            self._signals,
            self._take,
            self._clock,
            titles=self._titles,
            reads=self._reads,
            ping_s=self._ping_s,
        )
        async with (
            transport(self._address, words) as reached,
            Client(
                reached,
                message_handler=session.hear,
                log_level=LEVEL,
                read_timeout_seconds=CONNECTING_S,
                cache=None,
            ) as client,
        ):
            self._session = session
            await session.serve(client)

    def _leave(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._lost += session.lost

    def _failed(self, error: BaseException, words: str) -> None:
        """Told once, until a connection lasts."""
        error = innermost(error)
        reason = str(error) or type(error).__name__
        self._failures += 1
        self._in_a_row += 1
        self._last_error = f"{reason} ({words})" if words else reason
        level = logging.WARNING if self._in_a_row == 1 else logging.DEBUG
        log.log(level, "MCP server %s: %s", self._address.shown, self._last_error)
