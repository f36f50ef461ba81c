from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, TextResourceContents

from prefrontal.cortex.models import Belief
from prefrontal.testing import ManualClock

from ..exhaustive import first
from .served_samples import BILL, MODES, answer, asking, meet, remember

NOW = 1_700_000_000.0


async def read(client: Client, uri: str) -> dict[str, Any]:
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "application/json")
    found: dict[str, Any] = json.loads(content.text)
    return found


@pytest.mark.parametrize("mode", MODES)
async def test_a_resource_says_what_its_tool_says(tmp_path: Path, mode: str) -> None:
    clock = ManualClock()
    meet(tmp_path, "npub/ada", messages=3, trust=2, clock=clock)
    held = Belief("new", "It is so.", "Seen.", 1, created_at=clock.now(), quarantined=True)
    remember(tmp_path, held)
    async with asking(tmp_path, mode=mode, clock=clock) as client:
        made = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        shown = answer(await client.call_tool("explain_decision", {"id": made["id"]}))
        peer = answer(await client.call_tool("assess_peer", {"peer": "npub/ada"}))
        held_now = answer(await client.call_tool("get_beliefs", {"quarantined": True}))
        assert await read(client, f"prefrontal://decisions/{made['id']}") == shown
        assert await read(client, "prefrontal://peers/npub%2Fada") == peer
        assert await read(client, "prefrontal://beliefs") == held_now


async def test_what_can_be_read_is_listed(tmp_path: Path) -> None:
    clock = ManualClock()
    meet(tmp_path, "npub/ada", messages=1, trust=None, clock=clock)
    async with asking(tmp_path, clock=clock) as client:
        made = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        listed = [each.uri for each in (await client.list_resources()).resources]
        found = await client.list_resource_templates()
        for uri in listed:
            await read(client, uri)
    assert listed == [
        "prefrontal://wakes",
        "prefrontal://beliefs",
        f"prefrontal://decisions/{made['id']}",
        "prefrontal://peers/npub%2Fada",
    ]
    assert [each.uri_template for each in found.resource_templates] == [
        "prefrontal://wakes/after/{id}",
        "prefrontal://decisions/{id}",
        "prefrontal://peers/{id}",
    ]


async def test_decisions_of_a_clock_that_was_ahead_hide_no_others(tmp_path: Path) -> None:
    clock = ManualClock(NOW + 9e8)
    async with asking(tmp_path, clock=clock) as client:
        for _ in range(21):
            answer(await client.call_tool("should_wake", {"events": [BILL]}))
    async with asking(tmp_path, clock=ManualClock(NOW)) as client:
        made = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        listed = [each.uri for each in (await client.list_resources()).resources]
    decisions = [each for each in listed if "decisions" in each]
    assert decisions[0] == f"prefrontal://decisions/{made['id']}"
    assert len(decisions) == 20


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "uri",
    first(
        4,
        [
            "prefrontal://decisions/f00d",
            "prefrontal://decisions/",
            "prefrontal://peers/bob",
            "prefrontal://beliefs/one",
            "prefrontal://wakes/after/f00d",
            "prefrontal://wakes/after/",
            "prefrontal://wakes/one",
            "prefrontal://secrets",
            "file:///etc/passwd",
            "prefrontal://peers/..%2F..%2Fetc",
        ],
    ),
)
async def test_what_is_not_there_is_invalid_params_with_the_address(
    tmp_path: Path, uri: str, mode: str
) -> None:
    async with asking(tmp_path, mode=mode) as client:
        with pytest.raises(MCPError, match="must") as told:
            await client.read_resource(uri)
    assert told.value.code == INVALID_PARAMS
    assert told.value.data == {"uri": uri}
