"""How clients ask to be told of new wakes: by a handshake and subscriptions, or by listening.

Until 2025-11-25 the protocol has one channel for each client, on which it is told what it has
subscribed to. From 2026-07-28 on a client opens a stream and says what it wants to hear there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.types import (
    INVALID_PARAMS,
    LOG_LEVEL_META_KEY,
    EmptyResult,
    LoggingLevel,
    NotificationParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from .audience import Audience, Listener
from .resources import is_followed

if TYPE_CHECKING:
    from mcp.server.models import InitializationOptions

    from .served import Served

MOST_SUBSCRIPTIONS = 1000

Context = ServerRequestContext[Audience, Any]
Lifespan = Callable[[Server[Audience]], AbstractAsyncContextManager[Audience]]


class AnnouncingServer(Server[Audience]):
    """A server that also says, in the handshake, that its list of resources changes."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def announcing_server(
    name: str, about: dict[str, Any], served: Served, every_s: float
) -> Server[Audience]:
    """A server that tells its clients of new wakes. about: what else it is made of."""
    server = AnnouncingServer(
        name,
        lifespan=following(served, every_s),
        on_subscribe_resource=subscribe,
        on_unsubscribe_resource=unsubscribe,
        on_subscriptions_listen=listen,
        **about,
    )
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, serve_handshaken
    )
    return server


def following(served: Served, every_s: float) -> Lifespan:
    """While the server runs, its log is followed for the clients."""

    @asynccontextmanager
    async def lifespan(_: Server[Audience]) -> AsyncIterator[Audience]:
        audience = Audience(served.log.news().look, every_s)
        async with anyio.create_task_group() as group:
            group.start_soon(audience.follow)
            try:
                yield audience
            finally:
                audience.close()
                group.cancel_scope.cancel()

    return lifespan


async def serve_handshaken(context: Context, _: NotificationParams) -> None:
    """Tell a client what it hears of, from the end of the handshake until it is gone."""
    audience, client = context.lifespan_context, context.session.client_params
    listener = audience.known(client)
    try:
        async for news in listener.news():
            for each in listener.notifications(news, None):
                await context.session.send_notification(each)
    finally:
        audience.forget(client)


async def subscribe(context: Context, params: SubscribeRequestParams) -> EmptyResult:
    listener = context.lifespan_context.known(context.session.client_params)
    if not is_followed(params.uri):
        rule = "be prefrontal://wakes, prefrontal://wakes/after/ID or prefrontal://decisions/ID"
        sentence = f"uri must {rule} to be followed, got {params.uri!r:.200}"
        raise MCPError(INVALID_PARAMS, sentence, {"uri": params.uri})
    if len(listener.uris) >= MOST_SUBSCRIPTIONS:
        sentence = f"subscriptions must be at most {MOST_SUBSCRIPTIONS}, got one more"
        raise MCPError(INVALID_PARAMS, sentence)
    listener.uris.add(params.uri)
    return EmptyResult()


async def unsubscribe(context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
    context.lifespan_context.known(context.session.client_params).uris.discard(params.uri)
    return EmptyResult()


async def set_level(context: Context, params: SetLevelRequestParams) -> EmptyResult:
    context.lifespan_context.known(context.session.client_params).level = params.level
    return EmptyResult()


async def listen(
    context: Context, request: SubscriptionsListenRequestParams
) -> SubscriptionsListenResult:
    """One stream: what is agreed to first, then what was asked for, until the client leaves."""
    agreed = _agreed(request.notifications)
    level = cast("LoggingLevel | None", (context.meta or {}).get(LOG_LEVEL_META_KEY))
    listener = Listener(
        lists=agreed.resources_list_changed is True,
        uris=agreed.resource_subscriptions or (),
        level=level,
    )
    meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
    send, stream = context.session.send_notification, context.request_id
    context.lifespan_context.add(listener)
    try:
        params = SubscriptionsAcknowledgedNotificationParams(notifications=agreed, _meta=meta)
        await send(SubscriptionsAcknowledgedNotification(params=params), stream)
        async for news in listener.news():
            for each in listener.notifications(news, meta):
                await send(each, stream)
    finally:
        context.lifespan_context.remove(listener)
    return SubscriptionsListenResult(_meta=meta)


def _agreed(wish: SubscriptionFilter) -> SubscriptionFilter:
    """Of what was asked for, that of which anything will be heard."""
    uris = [uri for uri in wish.resource_subscriptions or () if is_followed(uri)]
    return SubscriptionFilter(
        resources_list_changed=wish.resources_list_changed or None,
        resource_subscriptions=uris[:MOST_SUBSCRIPTIONS] or None,
    )
