"""The operator's file and wishes are followed while the agent runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from prefrontal.cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from prefrontal.errors import InputError
from prefrontal.runtime.plugins.config import ConfigPlugin
from prefrontal.settings.agent_file import read_agent_config

from ..reflecting import Agent, believed, reply


class Settings(ConfigPlugin):
    """A configuration that the test changes."""

    def __init__(self) -> None:
        super().__init__()
        self.now: dict[str, Any] | None = None
        self.broken = False

    def refresh(self) -> dict[str, Any]:
        if self.broken:
            self.log_warn("The old configuration stays: no such file")
        return self._config if self.now is None else {"cortex": self.now}


async def test_another_setting_takes_effect_at_the_next_cycle() -> None:
    settings = Settings()
    async with Agent(reply(), plugins=[settings]) as agent:
        settings.now = {"interaction_threshold": 2, "max_beliefs": 1, "history_size": 2}
        await agent.cycle(messages=5)
        assert agent.cortex.settings.max_beliefs == 1
        await agent.cycle(messages=2)
        await agent.cycle(messages=2)
        assert [record.cycle for record in agent.cortex.memory.history] == [2, 3]


@pytest.mark.parametrize(
    "bad", [{"max_trust_delta": 0}, {"schedule_minutes": "soon"}, {"triggers": ["often"]}, "text"]
)
async def test_an_invalid_configuration_leaves_the_old_one_with_one_warning(bad: Any) -> None:
    settings = Settings()
    async with Agent(reply(), plugins=[settings], max_beliefs=7) as agent:
        settings.now = bad
        await agent.cycle()
        await agent.cycle()
        assert agent.cortex.settings.max_beliefs == 7
        kept = [line for line in agent.logged("warn") if line.startswith("The old cortex conf")]
        assert len(kept) == 1
        assert len(agent.subagent.calls) == 2


async def test_a_changed_file_is_read_at_the_start_of_a_cycle(tmp_path: Path) -> None:
    file = tmp_path / "prefrontal.yml"

    def read() -> dict[str, Any]:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise InputError("prefrontal.yml must be a mapping")
        return found

    file.write_text("cortex: {interaction_threshold: 5}", encoding="utf-8")
    async with Agent(reply(), plugins=[ConfigPlugin([file], read)]) as agent:
        await agent.cycle()
        file.write_text("cortex: {interaction_threshold: 3, shedule_minutes: 9}", encoding="utf-8")
        await agent.cycle()
        assert agent.cortex.settings.interaction_threshold == 3
        assert any("did you mean 'schedule_minutes'" in line for line in agent.logged("warn"))
        await agent.cycle(messages=3)
        assert len(agent.subagent.calls) == 3
        file.write_text("just text", encoding="utf-8")
        await agent.cycle(messages=3)
        assert len(agent.subagent.calls) == 4


async def test_it_can_be_switched_off_and_on_while_it_runs() -> None:
    settings = Settings()
    async with Agent(reply(beliefs=[believed()]), plugins=[settings]) as agent:
        await agent.cycle()
        settings.now = {"enabled": False}
        await agent.cycle()
        assert len(agent.subagent.calls) == 1
        assert "Cortex Beliefs" not in await agent.prompt()
        assert "assess_peer" in repr(agent.ledger.get_definitions())
        settings.now = {}
        await agent.tick()
        assert "Cortex Beliefs" in await agent.prompt()


async def test_a_reflection_asked_for_on_the_command_line_runs_once() -> None:
    async with Agent(reply()) as agent:
        wishes = OperatorWishes(reflect_requested_at=agent.clock.now())
        await agent.cortex.host.keeper.store({OPERATOR_KEY: wishes.to_text()})
        await agent.hear()
        await agent.tick(1)
        await agent.tick(1)
        assert [each["trigger"] for each in agent.asked] == ["manual"]
        assert [peer["peer_id"] for peer in agent.asked[0]["peers"]] == ["alice"]


async def test_a_pin_and_a_forgotten_belief_count_at_the_next_tick() -> None:
    async with Agent(reply(beliefs=[believed("a", "one"), believed("b", "two")])) as agent:
        await agent.cycle()
        wishes = OperatorWishes()
        wishes.pin("house-rule", "Never promise dates", agent.clock.now())
        wishes.forget("a", agent.clock.now())
        await agent.cortex.host.keeper.store({OPERATOR_KEY: wishes.to_text()})
        await agent.tick()
        prompt = await agent.prompt()
        assert prompt.endswith("- house-rule: Never promise dates\n- b: two")


async def test_beliefs_of_the_settings_are_there_from_the_start() -> None:
    async with Agent(reply(), pinned_beliefs={"House Rule": "Never promise dates"}) as agent:
        assert (await agent.prompt()).endswith("- house-rule: Never promise dates")
        agent.clock.advance(30 * 86400)
        assert (await agent.prompt()).endswith("- house-rule: Never promise dates")


async def test_a_directive_that_needs_approval_goes_out_when_it_has_it() -> None:
    wish = {"target_peer": "alice", "action": "Ask politely"}
    rule = {"require_approval": True}
    async with Agent(reply(directives=[wish]), directives=rule) as agent:
        await agent.cycle()
        assert not any("Ask politely" in repr(call.messages) for call in agent.llm.calls)
        [directive] = agent.cortex.memory.history[-1].directives
        assert directive["status"] == "pending"
        wishes = OperatorWishes()
        wishes.approve(directive["id"], agent.clock.now())
        await agent.cortex.host.keeper.store({OPERATOR_KEY: wishes.to_text()})
        await agent.tick()
        assert any("Ask politely" in repr(call.messages) for call in agent.llm.calls)


async def test_a_wish_about_an_older_directive_with_the_same_id_is_none() -> None:
    """As when the cortex begins anew: its state is gone, the operator's wishes are not."""
    wish = {"target_peer": "alice", "action": "Ask politely"}
    old = OperatorWishes()
    old.approve("directive-1-1", 1.0)
    old.reject("directive-1-2", 1.0)
    other = {**wish, "action": "Ask again"}
    rule = {"require_approval": True}
    async with Agent(reply(directives=[wish, other]), directives=rule) as agent:
        await agent.cortex.host.keeper.store({OPERATOR_KEY: old.to_text()})
        await agent.cycle()
        await agent.tick()
        waiting = [(each.id, each.status) for each in agent.cortex.memory.directives.open]
        assert waiting == [("directive-1-1", "pending"), ("directive-1-2", "pending")]


async def test_values_that_no_trigger_takes_leave_the_old_configuration_at_work() -> None:
    settings = Settings()
    async with Agent(reply(), plugins=[settings]) as agent:
        settings.now = {"farming": {"tempo_count": 99}, "interaction_threshold": 2}
        await agent.cycle()
        assert len(agent.subagent.calls) == 1
        assert agent.logged("error") == []
        assert agent.cortex.settings.interaction_threshold == 5


async def test_a_file_that_holds_itself_leaves_the_old_configuration(tmp_path: Path) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text("cortex: {interaction_threshold: 5}", encoding="utf-8")
    config = ConfigPlugin([file], lambda: read_agent_config(file))
    async with Agent(reply(), plugins=[config]) as agent:
        file.write_text("cortex: &all {farming: *all}", encoding="utf-8")
        await agent.cycle()
        assert len(agent.subagent.calls) == 1
        assert agent.logged("error") == []


async def test_a_reflection_is_asked_for_again_after_the_clock_was_set_back() -> None:
    async with Agent(reply()) as agent:
        for _ in range(2):
            wishes = OperatorWishes(reflect_requested_at=agent.clock.now())
            await agent.cortex.host.keeper.store({OPERATOR_KEY: wishes.to_text()})
            await agent.tick(1)
            agent.clock.jump(-86400)
        assert [each["trigger"] for each in agent.asked] == ["manual", "manual"]
