"""Who is told, of what, and that nobody holds up the others."""

from __future__ import annotations

import logging

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from prefrontal.decisions.news import News
from prefrontal.errors import SourceError
from prefrontal.mcp import audience as audiences
from prefrontal.mcp.audience import Audience, Listener

from .heard import PATIENCE_S, WAKES, wake


async def test_each_piece_of_news_is_told_to_whom_it_concerns() -> None:
    uris = {f"prefrontal://decisions/{name}" for name in ("one", "two")} | {f"{WAKES}/after/one"}
    listener = Listener(lists=True, uris=uris, level="debug")

    def told(news: News) -> list[str]:
        return [each.method for each in listener.notifications(news, None)]

    updated = "notifications/resources/updated"
    assert told(News(labelled=("one", "three"))) == [updated]
    listed = "notifications/resources/list_changed"
    assert told(News((wake(),))) == [listed, updated, "notifications/message"]
    listener.close()


async def test_a_client_that_does_not_read_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(audiences, "MOST_WAITING", 1)
    slow, quick = Listener(lists=True), Listener(lists=True)
    news = News((wake(),))
    slow.take(news)
    slow.take(news)
    quick.take(news)
    quick.close()
    slow.close()
    assert caplog.messages == ["a client does not read; 1 wakes were not told to it"]


async def test_there_is_room_for_so_many_listeners_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audiences, "MOST_LISTENERS", 1)
    audience = Audience(News)
    client = object()
    assert audience.known(client) is audience.known(client)
    with pytest.raises(MCPError, match="^at most 1 clients may listen"):
        audience.known(object())
    audience.forget(client)
    audience.known(object())
    audience.close()


async def test_a_log_that_cannot_be_read_is_told_of_once_and_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = News((wake(),))
    looks: list[News] = [made]
    failures = [SourceError("locked"), SourceError("locked")]

    def look() -> News:
        if failures:
            raise failures.pop()
        return looks.pop() if looks else News()

    audience, listener = Audience(look, 0.001), Listener(lists=True)
    audience.add(listener)
    with caplog.at_level(logging.WARNING, "prefrontal.mcp"), anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(audience.follow)
            async for news in listener.news():
                assert news is made
                audience.close()
            group.cancel_scope.cancel()
    assert caplog.messages == ["new wakes cannot be told: locked"]
