"""Who and what comes into a context: the active ones first, nobody for ever left out."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.ledger import LedgerPlugin

from ..reflecting import Agent, assessed, believed, reply


def shown(context: Any) -> list[str]:
    return [peer["peer_id"] for peer in context["peers"]]


async def test_only_those_who_wrote_since_the_last_reflection_are_shown() -> None:
    async with Agent(reply()) as agent:
        await agent.cycle("alice")
        agent.clock.advance(60)
        await agent.cycle("bob")
        assert [shown(context) for context in agent.asked] == [["alice"], ["bob"]]


async def test_the_most_active_come_first_and_the_others_in_the_next_cycle() -> None:
    async with Agent(reply(), max_peers_per_cycle=1) as agent:
        await agent.hear("bob")
        await agent.cycle("alice", messages=4)
        assert shown(agent.asked[0]) == ["alice"]
        assert agent.cortex.memory.history[-1].input_summary.endswith("1 peer left out")
        agent.clock.advance(60)
        for peer_id in ("carol", "carol", "dave", "dave", "dave"):
            await agent.hear(peer_id)
        await agent.runtime.tick()
        assert shown(agent.asked[1]) == ["dave"]
        assert agent.cortex.memory.state.left_out == ("carol", "bob")


async def test_a_reflection_by_hand_without_activity_looks_at_everybody() -> None:
    async with Agent(reply()) as agent:
        await agent.hear("bob")
        await agent.cycle("alice", messages=4)
        agent.clock.advance(60)
        await agent.cortex.reflect()
        assert sorted(shown(agent.asked[1])) == ["alice", "bob"]


async def test_the_context_holds_what_was_agreed() -> None:
    async with Agent(reply(beliefs=[believed()]), context_window=4) as agent:
        await agent.cycle()
        agent.clock.advance(120)
        await agent.cycle()
        context = agent.asked[1]
        assert context["trigger"] == "interaction_count"
        assert context["now"] == round(agent.clock.now())
        assert context["previous_summary"] == "All is well."
        assert context["events"]["messages_in"] == 5
        [belief] = context["beliefs"]
        assert (belief["key"], belief["age_minutes"]) == ("alice-is-reliable", 2)
        [peer] = context["peers"]
        assert peer["interaction_count"] == 10
        assert peer["info_score"] == 3
        assert [each["direction"] for each in peer["recent"]] == ["in", "out", "in", "out"]
        assert set(peer["recent"][0]) == {"direction", "preview", "size", "at"}


async def test_the_soul_is_shown_and_a_missing_one_is_no_obstacle(tmp_path: Any) -> None:
    (tmp_path / "SOUL.md").write_text("Be kind and exact.", encoding="utf-8")
    async with Agent(reply(), workspace=tmp_path) as agent:
        await agent.cycle()
        assert agent.asked[0]["soul"] == "Be kind and exact."
    async with Agent(reply()) as agent:
        await agent.cycle()
        assert agent.asked[0]["soul"] == ""


async def test_a_soul_that_cannot_be_read_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Agent(reply()) as agent:
        soul: Any = agent.runtime.registry.get("soul")

        def broken() -> str:
            raise OSError("gone")

        monkeypatch.setattr(soul, "get_soul", broken)
        await agent.cycle()
        assert agent.cortex.memory.history[-1].status == "ok"
        assert any(line.startswith("SOUL.md cannot be read") for line in agent.logged("warn"))


async def test_a_ledger_that_cannot_be_read_fails_the_cycle_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Agent(reply()) as agent:
        for _ in range(5):
            await agent.hear()

        def broken(self: LedgerPlugin) -> Any:
            raise OSError("disk gone")

        monkeypatch.setattr(LedgerPlugin, "list_peers", broken)
        await agent.runtime.tick()
        assert agent.cortex.memory.history[-1].status == "error"
        assert any("disk gone" in line for line in agent.logged("error"))
        await agent.hear()
        assert len(agent.runtime.sent) == 6


async def test_the_cortex_uses_three_methods_of_the_ledger_alone() -> None:
    """C74: a ledger that has only those three carries a cycle."""
    async with Agent(reply(assessed())) as agent:
        real = agent.ledger
        used: list[str] = []

        class Narrow:
            def __getattr__(self, name: str) -> Any:
                used.append(name)
                return getattr(real, name)

        for _ in range(5):
            await agent.hear()
        registry: Any = agent.runtime.registry
        registry._plugins["ledger"] = Narrow()
        await agent.cortex.reflect()
        registry._plugins["ledger"] = real
        of_every_plugin = {"meta", "score_guide"}
        assert set(used) - of_every_plugin == {
            "record_assessment",
            "list_peers",
            "get_peer_assessment_summary",
        }
        assert agent.cortex.memory.history[-1].status == "ok"
