"""One connection to an MCP server: what is subscribed to, and what comes of what it tells."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from ....errors import SourceError
from .signals import TEXT_LIMIT, McpSignals

if TYPE_CHECKING:
    from mcp import Client

    from ....clock import Clock
    from ....types import SignalEvent

LEVEL: Literal["info"] = "info"
"""The least log message that is asked for."""
MOST_RESOURCES = 1000
"""Resources that are subscribed to; of others nothing is heard."""
MOST_WAITING = 1000
"""Notifications that wait to be worked off; more of them are lost, and counted."""
PING_S = 30.0

log = logging.getLogger("prefrontal.pulse")
_LISTS = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
}


class McpSession:
    """Subscribes to all resources and log messages of a server, and hands on what it hears.

    take: gets events and the titles of all resources after them, and may wait until there is room
    for them; it is called on a thread of its own. titles: what the connection before knew, so that
    what came or went since is told; None for a first one. reads: read a resource that changed, for
    its text. ping_s: seconds between two questions to a server of the older protocol whether it is
    still there.
    """

    def __init__(
        self,
        signals: McpSignals,
        take: Callable[[list[SignalEvent], dict[str, str]], object],
        clock: Clock,
        *,
        titles: dict[str, str] | None = None,
        reads: bool = False,
        ping_s: float = PING_S,
    ) -> None:
        self._signals = signals
        self._take = take
        self._clock = clock
        self._reads = reads
        self._ping_s = ping_s
        self._told: asyncio.Queue[Any] = asyncio.Queue(MOST_WAITING)
        self._before = titles
        self._titles: dict[str, str] = {}
        self._more = asyncio.Event()
        self._is_unsure = False
        self._is_ahead = False
        """What came or went was told by a listing; that the list changed may yet be heard."""
        self.ready = asyncio.Event()
        self.lost = 0

    async def hear(self, message: object) -> None:
        """A notification of the server, or what went wrong in the transport; never waits."""
        try:
            self._told.put_nowait(message)
        except asyncio.QueueFull:
            self.lost += 1
            self._is_unsure = True

    async def serve(self, client: Client) -> None:
        """Hand on what is heard until the connection is lost, which raises."""
        self._titles = await self._listed(client)
        await self._hand_on(self._since(self._before))
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(client))
            group.create_task(self._work(client))

    async def _work(self, client: Client) -> None:
        while True:
            await self._hand_on(await self._events(client, await self._told.get()))
            if self._is_unsure and self._told.empty():
                self._is_unsure = False
                events = self._since(await self._list_anew(client))
                self._is_ahead = self._is_ahead or bool(events)
                await self._hand_on(events)

    def _listens(self) -> None:
        """From now on; what came or went after the listing, and before, was heard by nobody."""
        self._is_unsure = True
        with suppress(asyncio.QueueFull):
            self._told.put_nowait(None)
        self.ready.set()

    async def _hand_on(self, events: list[SignalEvent]) -> None:
        """Wait until they are taken; what is heard meanwhile waits, too."""
        await asyncio.to_thread(self._take, events, self._titles)

    def _since(self, before: dict[str, str] | None) -> list[SignalEvent]:
        """What came or went while nobody listened. before: titles; None where nobody knows."""
        if before is None or before.keys() == self._titles.keys():
            return []
        return list(self._signals.listed(before, self._titles, self._clock.now()))

    async def _events(self, client: Client, message: Any) -> list[SignalEvent]:
        method, now = getattr(message, "method", None), self._clock.now()
        if method == "notifications/resources/updated":
            uri = message.params.uri
            return [self._signals.changed(uri, await self._text(client, uri), now)]
        if method == "notifications/resources/list_changed":
            before = await self._list_anew(client)
            is_known, self._is_ahead = self._is_ahead and before == self._titles, False
            return [] if is_known else list(self._signals.listed(before, self._titles, now))
        if method == "notifications/message":
            params = message.params
            return [self._signals.said(params.level, params.logger, params.data, now)]
        return [self._signals.list_changed(_LISTS[method], now)] if method in _LISTS else []

    async def _list_anew(self, client: Client) -> dict[str, str]:
        """List the resources and subscribe to those that came; the titles before."""
        before, self._titles = self._titles, await self._listed(client)
        await self._subscribe(client, [uri for uri in self._titles if uri not in before])
        return before

    async def _listed(self, client: Client) -> dict[str, str]:
        """Titles by address."""
        titles: dict[str, str] = {}
        if client.server_capabilities.resources is None:
            return titles
        cursor = None
        while True:
            page = await client.list_resources(cursor=cursor)
            for each in page.resources[: MOST_RESOURCES - len(titles)]:
                titles[each.uri] = (each.title or each.name)[:TEXT_LIMIT]
            cursor = page.next_cursor
            if not cursor or len(titles) >= MOST_RESOURCES:
                return titles

    async def _text(self, client: Client, uri: str) -> str:
        """The beginning of what the resource says, or its title."""
        from mcp.shared.exceptions import MCPError

        title = self._titles.get(uri, "")
        if not self._reads:
            return title
        try:
            contents = (await client.read_resource(uri)).contents
        except MCPError as error:
            log.info("%s cannot be read: %s", uri, error)
            return title
        texts = (text for each in contents if (text := getattr(each, "text", None)))
        return next(texts, title)[:TEXT_LIMIT]

    async def _listen(self, client: Client) -> None:
        from mcp.types.version import MODERN_PROTOCOL_VERSIONS

        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await self._subscribe_all(client)
            self._listens()
            await self._ping(client)
        while True:
            self._more.clear()
            async with client.listen(
                tools_list_changed=True,
                prompts_list_changed=True,
                resources_list_changed=True,
                resource_subscriptions=list(self._titles),
            ) as stream:
                self._listens()
                await self._until_more(stream)

    async def _until_more(self, stream: Any) -> None:
        """Until there are more resources to subscribe to. What comes is told to `hear`, too."""

        async def drained() -> None:
            async for _ in stream:
                pass
            raise SourceError("the server ended the stream")

        ended, more = asyncio.create_task(drained()), asyncio.create_task(self._more.wait())
        try:
            await asyncio.wait((ended, more), return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                ended.result()
        finally:
            for each in (ended, more):
                each.cancel()
            await asyncio.gather(ended, more, return_exceptions=True)

    async def _subscribe_all(self, client: Client) -> None:
        from mcp.types import EmptyResult, SetLevelRequest, SetLevelRequestParams

        if client.server_capabilities.logging is not None:
            params = SetLevelRequestParams(level=LEVEL)
            await client.session.send_request(SetLevelRequest(params=params), EmptyResult)
        await self._subscribe(client, list(self._titles))

    async def _subscribe(self, client: Client, uris: list[str]) -> None:
        from mcp.shared.exceptions import MCPError
        from mcp.types import EmptyResult, SubscribeRequest, SubscribeRequestParams
        from mcp.types.version import MODERN_PROTOCOL_VERSIONS

        if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            if uris:
                self._more.set()
            return
        resources = client.server_capabilities.resources
        for uri in uris if resources is not None and resources.subscribe else ():
            try:
                request = SubscribeRequest(params=SubscribeRequestParams(uri=uri))
                await client.session.send_request(request, EmptyResult)
            except MCPError as error:
                log.info("%s cannot be subscribed to: %s", uri, error)

    async def _ping(self, client: Client) -> None:
        from mcp.types import EmptyResult, PingRequest

        while True:
            await asyncio.sleep(self._ping_s)
            await client.session.send_request(PingRequest(), EmptyResult)
