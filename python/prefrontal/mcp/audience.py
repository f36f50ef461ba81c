"""Who is told of new wakes, and what each of them has asked for."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, get_args

import anyio
import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    NotificationParams,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ServerNotification,
)

from ..decisions.document import document
from ..decisions.news import News
from ..errors import PrefrontalError
from .offered import sayable
from .resources import DECISIONS, WAKES

EVERY_S = 0.5
"""How often the log is looked at."""
LOGGER = "prefrontal.wakes"
LEVEL: LoggingLevel = "notice"
"""Of the log message that carries a question."""
MOST_LISTENERS = 1024
MOST_WAITING = 256
"""Looks with news that wait for a client which does not read."""

_LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
log = logging.getLogger("prefrontal.mcp")


class Listener:
    """One client. lists: whether it hears that the list of resources changed; uris: the resources
    it hears of; level: the least log message it takes, None for none of them.
    """

    def __init__(
        self, *, lists: bool, uris: Iterable[str] = (), level: LoggingLevel | None = None
    ) -> None:
        self.lists = lists
        self.uris = set(uris)
        self.level = level
        self._send, self._receive = anyio.create_memory_object_stream[News](MOST_WAITING)
        self._is_read = False

    def take(self, news: News) -> None:
        """Let the news wait for the client; for one that does not read, less is told."""
        try:
            self._send.send_nowait(news)
        except anyio.WouldBlock:
            log.warning("a client does not read; %d wakes were not told to it", len(news.wakes))

    async def news(self) -> AsyncIterator[News]:
        """What waits and what comes, until `close`."""
        self._is_read = True
        with self._receive:
            async for each in self._receive:
                yield each

    def notifications(
        self, news: News, meta: dict[str, Any] | None
    ) -> Iterator[ServerNotification]:
        """What the client hears of the news. meta: stands in each notification."""
        if news.wakes and self.lists:
            yield ResourceListChangedNotification(params=NotificationParams(_meta=meta))
        for uri in sorted(self.uris):
            if _is_touched(uri, news):
                params = ResourceUpdatedNotificationParams(uri=uri, _meta=meta)
                yield ResourceUpdatedNotification(params=params)
        if self.level is not None and _LEVELS.index(self.level) <= _LEVELS.index(LEVEL):
            for each in news.wakes:
                yield LoggingMessageNotification(
                    params=LoggingMessageNotificationParams(
                        level=LEVEL, logger=LOGGER, data=sayable(document(each)),
                        _meta=meta,
                    )
                )  # fmt: skip

    def close(self) -> None:
        """Nothing comes any more; a second call does nothing."""
        self._send.close()
        if not self._is_read:  # otherwise who reads it to its end closes it
            self._receive.close()


class Audience:
    """All clients of one server. look: what is new since it was last called, from any thread."""

    def __init__(self, look: Callable[[], News], every_s: float = EVERY_S) -> None:
        self._look = look
        self._every_s = every_s
        self._listeners: set[Listener] = set()
        self._known: dict[int, tuple[object, Listener]] = {}

    def __len__(self) -> int:
        return len(self._listeners)

    def known(self, client: object) -> Listener:
        """The listener of a client with a handshake: news wait for it from its first word on.

        It is told of lists from the start. Raises MCPError when there are too many.
        """
        if (known := self._known.get(id(client))) is not None:
            return known[1]
        listener = Listener(lists=True)
        self.add(listener)
        self._known[id(client)] = client, listener
        return listener

    def forget(self, client: object) -> None:
        """The client is gone."""
        if (known := self._known.pop(id(client), None)) is not None:
            self.remove(known[1])

    def add(self, listener: Listener) -> None:
        """Hand it what is new from now on. Raises MCPError when there are too many."""
        if len(self._listeners) >= MOST_LISTENERS:
            listener.close()
            raise MCPError(INTERNAL_ERROR, f"at most {MOST_LISTENERS} clients may listen at once")
        self._listeners.add(listener)

    def remove(self, listener: Listener) -> None:
        """It hears nothing any more; a second call does nothing."""
        self._listeners.discard(listener)
        listener.close()

    def close(self) -> None:
        """Nobody hears anything any more."""
        self._known.clear()
        for each in list(self._listeners):
            self.remove(each)

    async def follow(self) -> None:
        """Look at the log for ever, and hand on what is new; one that fails is tried again."""
        failing = False
        while True:
            try:
                news = await anyio.to_thread.run_sync(self._look)
                failing = False
            except PrefrontalError as error:
                if not failing:
                    log.warning("new wakes cannot be told: %s", error)
                news, failing = News(), True
            if news:
                for each in list(self._listeners):
                    each.take(news)
            await anyio.sleep(self._every_s)


def _is_touched(uri: str, news: News) -> bool:
    """Whether the resource says something else now."""
    if uri == WAKES or uri.startswith(f"{WAKES}/"):
        return bool(news.wakes)
    return uri.startswith(DECISIONS) and uri.removeprefix(DECISIONS) in news.labelled
