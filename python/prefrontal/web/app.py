"""The application: the page, its files, its changes, and what a person does on it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from ..errors import InputError, PrefrontalError
from ..plain_text import visible
from . import changes
from .assets import Assets, kind_of, read_assets
from .curves import DAYS, NEWEST, preview, preview_words, threshold_curve
from .following import Follower, read_pages
from .guard import Guard
from .markup import fill
from .page import render_page
from .part_conversations import search_messages
from .regions import whole
from .stream import Stream

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..http_door import Door
    from .dash_context import DashContext

MOST_BYTES = 1 << 16
NEVER = {"cache-control": "no-store"}
AT_ONCE = {**NEVER, "x-accel-buffering": "no"}
"""For a proxy that would gather what is sent."""
FOR_EVER = {"cache-control": "private, max-age=31536000, immutable"}
CHANGES: dict[str, Callable[[DashContext, Mapping[str, str]], str]] = {
    "/questions/answer": changes.answer,
    "/questions/ignore-alike": changes.ignore_alike,
    "/questions/undo": changes.undo,
    "/modules/threshold": changes.set_threshold,
    "/beliefs": changes.change_belief,
    "/directives": changes.change_directive,
    "/facts": changes.change_fact,
}


@dataclass(slots=True)
class Dash:
    """The application and what it stands on. key: what every change must carry."""

    app: Starlette
    follower: Follower
    stream: Stream
    key: str


class _LivePage:
    """What is asked of the page as it stands. key: what every change must carry."""

    def __init__(self, follower: Follower, key: str, assets: Assets) -> None:
        self._follower = follower
        self._key = key
        self._assets = assets
        self.stream = Stream(follower.instance, self._hello)
        follower.tell = self.stream.tell
        follower.is_watched = lambda: self.stream.listeners > 0

    def _hello(self) -> dict[str, Any]:
        number, _ = self._follower.state
        return {"number": number, "key": self._key, "version": self._assets.version}

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.stream.begin()
        self._follower.start()
        try:
            yield
        finally:
            await run_in_threadpool(self._follower.stop)

    async def page(self, _: Request) -> Response:
        number, regions = self._follower.state
        html = render_page(number, regions, self._follower.instance, self._key, self._assets)
        return HTMLResponse(html, headers=NEVER)

    async def state(self, _: Request) -> Response:
        number, regions = self._follower.state
        reply = self._hello() | {"instance": self._follower.instance, "number": number}
        reply |= {"so_far": self._follower.figures().to_dict(), "regions": whole(regions)}
        return JSONResponse(reply, headers=NEVER)

    async def events(self, request: Request) -> Response:
        feed = self.stream.listen(request.headers.get("last-event-id", ""))
        return StreamingResponse(feed, media_type="text/event-stream", headers=AT_ONCE)


def build_dash(context: DashContext, door: Door, names: Collection[str] = ()) -> Dash:
    """The page over what is shown; it follows the log from when the application starts.

    names: by which it may be opened, besides those of this machine.
    """
    key = secrets.token_urlsafe(24)
    assets = read_assets()
    follower = Follower(context)
    live = _LivePage(follower, key, assets)
    changing = (
        Route(path, _changing(context, follower, change), methods=["POST"])
        for path, change in CHANGES.items()
    )
    app = Starlette(
        routes=[
            Route("/", live.page),
            Route("/state", live.state),
            Route("/events", live.events),
            Route("/static/{name}", _static(assets)),
            Route("/modules/curve", _reading(context, _curve)),
            Route("/conversations", _searching(context)),
            Route("/modules/preview", _reading(context, _preview)),
            *changing,
        ],
        middleware=[Middleware(Guard, door=door, key=key, names=names)],
        exception_handlers={PrefrontalError: _sentence},
        lifespan=live.lifespan,
        max_body_size=MOST_BYTES,
    )
    return Dash(app, follower, live.stream, key)


def _static(assets: Assets) -> Callable[[Request], Any]:
    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in assets.contents:
            return PlainTextResponse("there is no such file", 404)
        return Response(assets.contents[name], media_type=kind_of(name), headers=FOR_EVER)

    return static


def _reading(
    context: DashContext, read: Callable[[DashContext, Mapping[str, str]], dict[str, Any]]
) -> Callable[[Request], Any]:
    async def reading(request: Request) -> Response:
        reply = await run_in_threadpool(read, context, request.query_params)
        return JSONResponse(reply, headers=NEVER)

    return reading


def _searching(context: DashContext) -> Callable[[Request], Any]:
    async def searching(request: Request) -> Response:
        status = 200
        try:
            html, words = await run_in_threadpool(search_messages, context, request.query_params)
        except PrefrontalError as error:  # it stands in the place of what was searched
            status, words = 422 if isinstance(error, InputError) else 503, str(error)
            html = fill('<p class="about">$words</p>', words=words)
        aloud = visible(words.encode("ascii", "replace").decode(), 400)
        return HTMLResponse(html, status, {**NEVER, "x-prefrontal-words": aloud})

    return searching


def _changing(
    context: DashContext,
    follower: Follower,
    change: Callable[[DashContext, Mapping[str, str]], str],
) -> Callable[[Request], Any]:
    async def changing(request: Request) -> Response:
        body = (await request.body()).decode("utf-8", "replace")
        form = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=20))
        sentence = await run_in_threadpool(change, context, form)
        follower.look()
        return PlainTextResponse(sentence, headers=NEVER)

    return changing


def _curve(context: DashContext, query: Mapping[str, str]) -> dict[str, Any]:
    """The curve of a module, from its latest decisions."""
    with read_pages(context) as pages:
        rows = pages.of_module(changes.named(query, "module"), NEWEST, _begin(context))
    return threshold_curve(rows, context.clock.now()).plain()


def _preview(context: DashContext, query: Mapping[str, str]) -> dict[str, Any]:
    """What a threshold would have done, in words."""
    threshold = changes.checked_threshold(query.get("threshold", ""))
    with read_pages(context) as pages:
        rows = pages.of_module(changes.named(query, "module"), NEWEST, _begin(context))
    if not rows:
        return {"words": ""}
    result = preview(rows, threshold, context.policy)
    days = threshold_curve(rows, context.clock.now()).days
    return {"words": preview_words(result, days)}


def _begin(context: DashContext) -> float:
    return context.clock.now() - DAYS * 86_400.0


async def _sentence(_: Request, error: Exception) -> Response:
    """What went wrong, for a person; a slip of theirs or a trouble of the disk."""
    status = 422 if isinstance(error, InputError) else 503
    return PlainTextResponse(str(error), status, headers=NEVER)
