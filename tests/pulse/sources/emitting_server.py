"""An MCP server on a free port of this machine that tells what a test wants it to tell."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.server import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp.types import (
    METHOD_NOT_FOUND,
    EmptyResult,
    ListResourcesResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    NotificationParams,
    ReadResourceResult,
    Resource,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    ServerNotification,
    SetLevelRequestParams,
    TextResourceContents,
    ToolListChangedNotification,
)


class EmittingServer:
    """resources: text by address. legacy: speak only the protocol with a handshake."""

    def __init__(self, *, legacy: bool = False) -> None:
        self.resources = {"note://one": "the first", "note://two": "the second"}
        self.subscribed: list[str] = []
        self.sessions: list[ServerSession] = []
        self.levels: list[str] = []
        self.portal: BlockingPortal | None = None
        self._bus = InMemorySubscriptionBus()
        self.server = Server[Any](
            "emitting",
            on_list_resources=self._list,
            on_read_resource=self._read,
            on_subscribe_resource=self._subscribe,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        add = self.server.add_request_handler
        add("logging/setLevel", SetLevelRequestParams, self._set_level)
        self.server.add_notification_handler(
            "notifications/initialized", NotificationParams, self._initialized
        )
        if legacy:
            self.server.middleware.append(_only_handshakes)

    def update(self, uri: str) -> None:
        params = ResourceUpdatedNotificationParams(uri=uri)
        legacy = ResourceUpdatedNotification(params=params) if uri in self.subscribed else None
        self._tell(ResourceUpdated(uri), legacy)

    def list_changed(self) -> None:
        self._tell(ResourcesListChanged(), ResourceListChangedNotification())

    def tools_changed(self) -> None:
        self._tell(ToolsListChanged(), ToolListChangedNotification())

    def say(self, level: Any, logger: str | None, data: Any) -> None:
        params = LoggingMessageNotificationParams(level=level, logger=logger, data=data)
        self._tell(None, LoggingMessageNotification(params=params))

    def _tell(self, event: Any, notification: ServerNotification | None) -> None:
        assert self.portal is not None
        self.portal.call(self._send, event, notification)

    async def _send(self, event: Any, notification: ServerNotification | None) -> None:
        if event is not None:
            await self._bus.publish(event)
        if notification is not None:
            for session in self.sessions:
                await session.send_notification(notification)

    async def _list(self, _: Any, __: Any) -> ListResourcesResult:
        found = [Resource(uri=uri, name=uri[-3:], title=f"Note {uri}") for uri in self.resources]
        return ListResourcesResult(resources=found)

    async def _read(self, _: Any, told: Any) -> ReadResourceResult:
        if told.uri not in self.resources:
            raise MCPError(METHOD_NOT_FOUND, "no such note")
        text = TextResourceContents(uri=told.uri, text=self.resources[told.uri])
        return ReadResourceResult(contents=[text])

    async def _subscribe(self, _: Any, told: Any) -> EmptyResult:
        self.subscribed.append(told.uri)
        return EmptyResult()

    async def _set_level(self, _: Any, told: Any) -> EmptyResult:
        self.levels.append(told.level)
        return EmptyResult()

    async def _initialized(self, context: Any, _: Any) -> None:
        self.sessions.append(context.session)


async def _only_handshakes(ctx: Any, call_next: Callable[[Any], Any]) -> Any:
    if ctx.method == "server/discover":
        raise MCPError(METHOD_NOT_FOUND, "unknown")
    return await call_next(ctx)


@contextmanager
def serving(emitting: EmittingServer, port: int = 0) -> Iterator[str]:
    """The server on a thread of its own; its address. It hangs up on everybody in the end."""
    taken = socket.create_server(("127.0.0.1", port))
    app = emitting.server.streamable_http_app()
    running = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    with start_blocking_portal() as portal:
        emitting.portal = portal
        done = portal.start_task_soon(lambda: running.serve(sockets=[taken]))
        try:
            yield f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
        finally:
            running.should_exit = running.force_exit = True
            done.result()
