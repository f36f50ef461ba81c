"""Clients hear of new wakes in the log, whoever decided them, in both forms of the protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    LoggingMessageNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
)

from prefrontal.mcp import announcing
from prefrontal.mcp.audience import Audience
from prefrontal.mcp.server import build_server
from prefrontal.types import SignalEvent

from ..exhaustive import first
from .heard import DOORS, PATIENCE_S, WAKES, client_of, hearing, keep, read, wake
from .served_samples import BILL, MODES, answer, listening, served

PAIRS = [*zip(DOORS, ("auto", "legacy", "auto"), strict=True)]
PAIRS += [(door, mode) for door in DOORS for mode in MODES if (door, mode) not in PAIRS]
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("door", "mode"), first(3, PAIRS))
async def test_a_wake_of_another_process_reaches_who_subscribed(
    tmp_path: Path, door: str, mode: str
) -> None:
    first, second = wake(), wake("Another one?")
    async with client_of(tmp_path, door, mode) as (client, heard), hearing(client, WAKES):
        keep(tmp_path, first)
        told = await heard.until(ResourceUpdatedNotification, uri=WAKES)
        seen = await read(client, WAKES)
        keep(tmp_path, second)
        await heard.until(ResourceUpdatedNotification, uri=WAKES)
        later = await read(client, f"{WAKES}/after/{seen['last']}")
    assert isinstance(told[0], ResourceListChangedNotification)
    assert [each["id"] for each in seen["wakes"]] == [first.id]
    assert [each["question"] for each in later["wakes"]] == ["Another one?"]
    assert (later["last"], later["more"]) == (second.id, False)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("door", "mode"), first(2, PAIRS))
async def test_who_asks_for_log_messages_gets_the_question_as_data(
    tmp_path: Path, door: str, mode: str
) -> None:
    made = wake()
    async with (
        client_of(tmp_path, door, mode, "notice") as (client, heard),
        hearing(client, level="notice"),
    ):
        keep(tmp_path, made)
        [*_, told] = await heard.until(LoggingMessageNotification)
        seen = await read(client, WAKES)
    assert (told.params.level, told.params.logger) == ("notice", "prefrontal.wakes")
    assert told.params.data == seen["wakes"][0]
    assert told.params.data["id"] == made.id
    assert told.params.data["question"] == made.question
    assert told.params.data["events"][0]["time"] == "2023-11-14T22:13:20.000Z"


@pytest.mark.parametrize("mode", first(1, MODES))
@pytest.mark.parametrize("level", [None, "error"])
async def test_who_does_not_ask_for_them_gets_no_log_messages(
    tmp_path: Path, mode: str, level: str | None
) -> None:
    made = wake()
    async with (
        client_of(tmp_path, "process", mode, level) as (client, heard),
        hearing(client, f"prefrontal://decisions/{made.id}", level=level),
    ):
        keep(tmp_path, made)
        told = await heard.until(ResourceListChangedNotification)
        await client.call_tool("give_feedback", {"id": made.id, "label": "useful"})
        told += await heard.until(ResourceUpdatedNotification)
    assert not any(isinstance(each, LoggingMessageNotification) for each in told)


@pytest.mark.parametrize("mode", MODES)
async def test_a_label_is_told_to_who_follows_the_decision(tmp_path: Path, mode: str) -> None:
    made, other = wake(), wake()
    async with client_of(tmp_path, "process", mode) as (client, heard):
        keep(tmp_path, made, other)
        uri = f"prefrontal://decisions/{made.id}"
        async with hearing(client, uri):
            for each in (other, made):
                await client.call_tool("give_feedback", {"id": each.id, "label": "useful"})
            told = await heard.until(ResourceUpdatedNotification)
            assert (await read(client, uri))["label"] == 1.0
    assert [each.params.uri for each in told if hasattr(each.params, "uri")] == [uri]


async def test_what_was_asked_of_this_server_is_told_under_the_same_id(tmp_path: Path) -> None:
    async with (
        client_of(tmp_path, "process", "auto") as (client, heard),
        hearing(client, WAKES),
    ):
        asked = answer(await client.call_tool("should_wake", {"events": [BILL]}))
        seen = await read(client, WAKES)
        await heard.until(ResourceUpdatedNotification, uri=WAKES)
        assert await read(client, WAKES) == seen
    assert [each["id"] for each in seen["wakes"]] == [asked["decisions"][0]["id"]]


async def test_who_unsubscribed_hears_of_the_list_alone(tmp_path: Path) -> None:
    made = wake()
    async with (
        client_of(tmp_path, "process", "legacy") as (client, heard),
        hearing(client, WAKES, f"prefrontal://decisions/{made.id}"),
    ):
        await client.unsubscribe_resource(WAKES)
        keep(tmp_path, made)
        told = await heard.until(ResourceListChangedNotification)
        await client.call_tool("give_feedback", {"id": made.id, "label": 1})
        told += await heard.until(ResourceUpdatedNotification)
    assert [each.params.uri for each in told if hasattr(each.params, "uri")] == [
        f"prefrontal://decisions/{made.id}"
    ]


@pytest.mark.parametrize(
    "uri", ["prefrontal://beliefs", "prefrontal://peers/ada", f"{WAKES}/after/", "file:///etc"]
)
async def test_what_nobody_follows_cannot_be_subscribed_to(tmp_path: Path, uri: str) -> None:
    async with client_of(tmp_path, "process", "legacy") as (client, _):
        with pytest.raises(MCPError, match="^uri must be prefrontal://wakes, ") as told:
            await client.subscribe_resource(uri)
    assert told.value.code == INVALID_PARAMS
    async with (
        client_of(tmp_path, "process", "auto") as (client, _),
        client.listen(resource_subscriptions=[uri, WAKES]) as stream,
    ):
        assert stream.honored.resource_subscriptions == [WAKES]


async def test_the_server_says_that_it_tells(tmp_path: Path) -> None:
    for mode in MODES:
        async with client_of(tmp_path, "process", mode) as (client, _):
            resources = client.server_capabilities.resources
            assert resources is not None
            assert (resources.subscribe, resources.list_changed) == (True, True)


async def test_a_server_that_does_not_tell_says_so(tmp_path: Path) -> None:
    with served(tmp_path) as found:
        async with Client(build_server(found, None), mode="legacy") as client:
            resources = client.server_capabilities.resources
            assert resources is not None
            assert (resources.subscribe, resources.list_changed) == (False, False)
            assert client.server_capabilities.logging is None


async def test_a_name_that_is_no_utf8_ends_no_connection(tmp_path: Path) -> None:
    event = SignalEvent("filesystem", "/downloads/\udcff.pdf", "created", 1.0, 1.0)
    made = wake("What is \udcff?", window=(event,))
    async with (
        client_of(tmp_path, "http", "legacy") as (client, heard),
        hearing(client, WAKES, level="info"),
    ):
        keep(tmp_path, made)
        [*_, told] = await heard.until(LoggingMessageNotification)
    assert told.params.data["question"] == "What is ??"
    assert told.params.data["events"][0]["location"] == "/downloads/?.pdf"


async def test_many_wakes_are_read_on_page_by_page(tmp_path: Path) -> None:
    records = [wake(f"Number {number}?") for number in range(203)]
    async with client_of(tmp_path, "process", "auto") as (client, _):
        keep(tmp_path, *records)
        latest = await read(client, WAKES)
        found = [records[0].question]
        page: dict[str, Any] = {"last": records[0].id, "more": True}
        while page["more"]:
            page = await read(client, f"{WAKES}/after/{page['last']}")
            found += [each["question"] for each in page["wakes"]]
        end = await read(client, f"{WAKES}/after/{page['last']}")
    assert found == [each.question for each in records]
    assert [each["id"] for each in latest["wakes"]] == [each.id for each in records[-100:]]
    assert end == {"wakes": [], "last": records[-1].id, "more": False}


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_is_gone_is_forgotten(tmp_path: Path, mode: str) -> None:
    found: list[Audience] = []

    def seen(server: Server[Any]) -> None:
        begun = server.lifespan

        @asynccontextmanager
        async def lifespan(told: Server[Any]) -> AsyncIterator[Audience]:
            async with begun(told) as audience:
                found.append(audience)
                yield audience

        server.lifespan = lifespan

    async with listening(tmp_path, seen=seen) as address:
        async with Client(address, mode=mode) as client, hearing(client, WAKES):
            assert len(found[0]) == 1
        with anyio.fail_after(PATIENCE_S):
            while len(found[0]):
                await anyio.sleep(0.01)


async def test_nobody_follows_more_than_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcing, "MOST_SUBSCRIPTIONS", 1)
    async with client_of(tmp_path, "process", "legacy") as (client, _):
        await client.subscribe_resource(WAKES)
        with pytest.raises(MCPError, match="^subscriptions must be at most 1, got one more$"):
            await client.subscribe_resource("prefrontal://decisions/abcd")
    async with (
        client_of(tmp_path, "process", "auto") as (client, _),
        client.listen(resource_subscriptions=[WAKES, "prefrontal://decisions/abcd"]) as stream,
    ):
        assert stream.honored.resource_subscriptions == [WAKES]
