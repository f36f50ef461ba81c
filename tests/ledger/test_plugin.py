"""The ledger in the agent: what the loop does is recorded, and where."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.ledger import Ledger, LedgerPlugin
from prefrontal.ledger.plugin import create_plugin
from prefrontal.plugin import PluginError
from prefrontal.storage.sqlite_database import SqliteDatabase

from .agents import Agent, Ctx, Folder, incoming
from .ledgers import NOW


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Agent]:
    agent = Agent(workspace=str(tmp_path))
    await agent.registry.start_all()
    yield agent
    await agent.registry.stop_all()


def test_the_plugin_says_what_it_is() -> None:
    meta = create_plugin().meta
    assert (meta.id, meta.priority) == ("ledger", 21)
    assert "tools" in meta.capabilities
    assert list(meta.extension_points) == ["ledger.after_record", "ledger.after_assess"]
    assert meta.implements["loop.transform_system_prompt"] == "enrich_prompt"


async def test_a_message_is_on_the_disk_when_the_hook_returns_and_announced_once(
    agent: Agent, tmp_path: Path
) -> None:
    before = incoming("My password: hunter2hunter2")
    ctx = await agent.registry.call_extension_chain("loop.on_message", dict(before))
    assert ctx == before
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as other:
        [kept] = other.interactions()
        [peer] = other.list_peers()
    assert (kept.peer_id, kept.direction, kept.channel_type) == ("alice", "in", "http")
    assert (kept.channel_id, kept.event_id, kept.correlation_id) == ("room", "http:room:1", "c1")
    assert (kept.preview, kept.size, kept.created_at) == ("My password: [redacted]", 27, NOW)
    assert peer.display_name == "Alice"
    payload = {
        "peer_id": "alice",
        "direction": "in",
        "channel_type": "http",
        "interaction_id": 1,
        "interaction_count": 1,
        "event_id": "http:room:1",
        "created_at": NOW,
    }
    assert agent.events == [("ledger.after_record", payload)]
    assert agent.registry.events[0]["correlation_id"] == "c1"


async def test_an_answer_is_recorded_for_the_peer_by_its_id_not_by_its_name(agent: Agent) -> None:
    await agent.comes()
    await agent.goes("The answer.", recipient="somebody else")
    [_, kept] = agent.plugin.ledger.interactions()
    assert (kept.peer_id, kept.direction, kept.preview) == ("alice", "out", "The answer.")
    assert kept.event_id is None
    assert [payload["direction"] for _, payload in agent.events] == ["in", "out"]
    assert agent.events[1][1]["interaction_count"] == 1


async def test_several_answers_to_one_message_are_all_kept(agent: Agent) -> None:
    await agent.comes()
    await agent.goes("Let me think.")
    await agent.goes("Here it is.")
    assert agent.plugin.list_peers()[0].out_count == 2


async def test_a_message_delivered_twice_is_recorded_and_announced_once(agent: Agent) -> None:
    await agent.comes()
    await agent.comes()
    assert agent.plugin.list_peers()[0].in_count == 1
    assert len(agent.events) == 1


INTERNAL = [
    {"sender_id": "system"},
    {"channel_type": "cron"},
    {"channel_type": "cortex"},
    {"metadata": {"is_cron": True}},
    {"metadata": {"is_cortex": True}},
    {"internal": True},
]


@pytest.mark.parametrize("marks", INTERNAL)
async def test_what_the_runtime_itself_says_makes_nobody_a_peer(agent: Agent, marks: Ctx) -> None:
    before = incoming(**marks)
    assert await agent.registry.call_extension_chain("loop.on_message", dict(before)) == before
    await agent.goes(**marks)
    assert agent.plugin.list_peers() == []
    assert agent.events == []
    assert await agent.prompt(**marks) == "You are tester."


async def test_a_directive_that_writes_to_a_known_peer_is_recorded_without_its_name(
    agent: Agent,
) -> None:
    await agent.comes()
    await agent.goes("Any news?", internal=True, recipient="Cortex")
    [peer] = agent.plugin.list_peers()
    assert (peer.out_count, peer.display_name) == (1, "Alice")


async def test_a_message_to_nobody_is_no_interaction(agent: Agent) -> None:
    await agent.goes(recipient_id="", peer_id="")
    assert agent.plugin.list_peers() == []


@pytest.mark.parametrize("sender_id", ["", None, 7, "x" * 2000, "caf\udce9"])
async def test_a_sender_that_cannot_be_kept_is_logged_and_the_message_goes_on(
    agent: Agent, sender_id: Any
) -> None:
    ctx = await agent.comes(sender_id=sender_id)
    assert ctx["message"] == "hello"
    [(level, source, text)] = agent.registry.logs
    assert (level, source) == ("error", "ledger")
    assert text.startswith("Failed to record interaction for")
    assert agent.plugin.list_peers() == []


async def test_a_failing_disk_is_logged_and_the_message_goes_on(agent: Agent) -> None:
    agent.plugin.ledger.close()
    assert (await agent.comes())["message"] == "hello"
    assert await agent.prompt() == "You are tester."
    texts = [text for _, _, text in agent.registry.logs]
    assert texts[0].startswith("Failed to record interaction for alice:")
    assert texts[1].startswith("Failed to read what is known of alice:")
    assert all("is closed" in text for text in texts)


async def test_what_a_failing_disk_did_not_take_is_recorded_with_the_next_message(
    agent: Agent,
) -> None:
    agent.plugin.ledger._file.database.execute("PRAGMA query_only = 1")
    await agent.comes("first" * 1000)
    await agent.goes("second" * 1000)
    assert list(agent.plugin.ledger.interactions()) == []
    agent.plugin.ledger._file.database.execute("PRAGMA query_only = 0")
    await agent.comes("third", event_id="http:room:2")
    rows = list(agent.plugin.ledger.interactions())
    assert [(each.direction, each.size) for each in rows] == [
        ("in", 5000),
        ("out", 6000),
        ("in", 5),
    ]


async def test_messages_that_come_at_once_share_their_transactions(agent: Agent) -> None:
    seen: list[int] = []

    def commit() -> bool:
        seen.append(1)
        return False  # go on

    database = agent.plugin.ledger._file.database
    assert isinstance(database, SqliteDatabase)
    database._connection.set_commit_hook(commit)
    many = [agent.comes(event_id=str(number), sender_id=f"p{number % 7}") for number in range(256)]
    await asyncio.gather(*many)
    assert len(seen) < 100
    assert sum(peer.in_count for peer in agent.plugin.list_peers()) == 256
    counts = [
        payload["interaction_count"] for _, payload in agent.events if payload["peer_id"] == "p0"
    ]
    assert sorted(counts) == list(range(1, 38))


async def test_stopping_waits_for_what_is_on_its_way(tmp_path: Path) -> None:
    agent = Agent(workspace=str(tmp_path))
    await agent.registry.start_all()
    waiting = [agent.plugin.ledger.submit_interaction("alice", "in") for _ in range(300)]
    await agent.registry.stop_all()
    assert all(future.done() for future in waiting)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.list_peers()[0].in_count == 300


async def test_the_event_loop_goes_on_while_stopping_waits_for_the_disk(tmp_path: Path) -> None:
    agent = Agent(workspace=str(tmp_path))
    await agent.registry.start_all()
    busy, entered = threading.Event(), threading.Event()

    def job() -> None:
        entered.set()
        assert busy.wait(60)

    writer = agent.plugin.ledger._file._writer
    assert writer is not None
    done = writer.submit(job)
    assert entered.wait(60)
    stopping = asyncio.create_task(agent.registry.stop_all())
    for _ in range(100):
        await asyncio.sleep(0)
    assert not stopping.done()
    busy.set()
    await stopping
    assert done.done()


async def test_a_start_in_a_new_event_loop_keeps_the_ledger_open(agent: Agent) -> None:
    await agent.comes()
    before = agent.plugin.ledger
    await agent.registry.restart_all()
    assert agent.plugin.ledger is before
    await agent.comes(event_id="http:room:2")
    assert agent.plugin.list_peers()[0].in_count == 2


async def test_a_second_agent_on_the_same_workspace_does_not_start(
    agent: Agent, tmp_path: Path
) -> None:
    with pytest.raises(PluginError, match=r"ledger cannot be started: .* is in use by another"):
        await Agent(workspace=str(tmp_path)).registry.start_all()
    await agent.comes()
    assert len(agent.plugin.list_peers()) == 1


async def test_the_workspace_plugin_says_where_the_ledger_lies(tmp_path: Path) -> None:
    folder = Folder()
    folder.path = tmp_path / "ws"
    agent = Agent(folder, workspace=str(tmp_path / "other"), ledger={"path": "sub/peers.db"})
    await agent.registry.start_all()
    assert agent.plugin.ledger.path == str(tmp_path / "ws" / "sub" / "peers.db")
    await agent.registry.stop_all()


async def test_without_a_workspace_nothing_is_on_the_disk() -> None:
    agent = Agent()
    await agent.registry.start_all()
    await agent.comes()
    assert agent.plugin.ledger.path == ":memory:"
    assert len(agent.plugin.list_peers()) == 1
    await agent.registry.stop_all()


def test_a_setting_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(PluginError, match=r"got 'pathh' \(did you mean 'path'\?\)"):
        Agent(ledger={"pathh": "x"})


def test_before_the_start_there_is_no_ledger_to_ask() -> None:
    with pytest.raises(PluginError, match="ledger must be started"):
        LedgerPlugin().list_peers()
    assert LedgerPlugin().assessing
