"""What was known is known after a restart, and what is damaged is put aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.cortex.state import (
    BELIEFS_KEY,
    HISTORY_KEY,
    STATE_KEY,
    CortexState,
    belief_status,
    dump_beliefs,
    dump_history,
    parse_beliefs,
    parse_history,
    parse_state,
)
from prefrontal.testing import ManualClock

from .reflecting import Agent, assessed, believed, reply

GOOD = reply(assessed(trust=2), beliefs=[believed()])


def files(workspace: Path) -> Path:
    return workspace / "memory" / "files"


async def test_beliefs_history_and_counters_survive_a_restart(tmp_path: Path) -> None:
    clock = ManualClock()
    async with Agent(GOOD, workspace=tmp_path, clock=clock) as agent:
        await agent.cycle()
        await agent.hear()
    clock.advance(60)
    async with Agent(GOOD, workspace=tmp_path, clock=clock) as agent:
        assert [record.cycle for record in agent.cortex.memory.history] == [1]
        assert agent.cortex.memory.state.cycle == 1
        assert agent.cortex.memory.triggers.interactions == 1
        assert agent.cortex.last_trust("alice") == 2
        assert "- alice-is-reliable: " in await agent.prompt("alice")
        assert any(line.startswith("Loaded 1 belief") for line in agent.logged("info"))
        await agent.cycle(messages=3)
        assert agent.cortex.memory.history[-1].cycle == 2
        assert agent.asked[0]["previous_summary"] == "All is well."


async def test_beliefs_whose_time_passed_while_the_agent_was_away_are_gone(tmp_path: Path) -> None:
    clock = ManualClock()
    async with Agent(GOOD, workspace=tmp_path, clock=clock) as agent:
        await agent.cycle()
    clock.advance(121 * 60)
    async with Agent(GOOD, workspace=tmp_path, clock=clock) as agent:
        assert agent.cortex.memory.beliefs.by_key == {}


async def test_the_number_of_a_cycle_is_kept_before_the_model_is_asked(tmp_path: Path) -> None:
    kept: list[int] = []

    def look(call: Any) -> Any:
        text = (files(tmp_path) / f"{STATE_KEY}.md").read_text(encoding="utf-8")
        kept.append(parse_state(text).cycle)
        return GOOD

    async with Agent(look, workspace=tmp_path) as agent:
        await agent.cycle()
        await agent.cycle()
    assert kept == [1, 2]


async def test_a_restart_neither_moves_trust_again_nor_forgets_the_hour(tmp_path: Path) -> None:
    clock = ManualClock()
    async with Agent(reply(assessed(trust=-10)), workspace=tmp_path, clock=clock) as agent:
        await agent.cycle()
    async with Agent(reply(assessed(trust=-10)), workspace=tmp_path, clock=clock) as agent:
        await agent.cortex.reflect()
        assert agent.trusts() == [-3]


async def test_the_ledger_alone_shows_that_nothing_new_was_said(tmp_path: Path) -> None:
    clock, off = ManualClock(), {"plugins": {"disabled": ["memory", "memory-files"]}}
    async with Agent(
        reply(assessed(trust=-10)), workspace=tmp_path, clock=clock, root=off
    ) as agent:
        await agent.cycle()
    clock.advance(60)
    async with Agent(
        reply(assessed(trust=-10)), workspace=tmp_path, clock=clock, root=off
    ) as agent:
        await agent.cortex.reflect()
        assert agent.trusts() == [-3]
        await agent.hear()
        await agent.cortex.reflect()
        assert agent.trusts() == [-3, -6]


async def test_without_memory_all_works_and_nothing_is_complained_of() -> None:
    off = {"plugins": {"disabled": ["memory", "memory-files"]}}
    async with Agent(GOOD, root=off) as agent:
        await agent.cycle()
        assert "- alice-is-reliable: " in await agent.prompt()
        assert agent.logged("warn") == []


async def test_a_memory_that_fails_is_a_warning_and_what_is_in_mind_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Agent(GOOD) as agent:
        memory: Any = agent.runtime.registry.get_by_capability("memory")

        async def full(key: str, content: str) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(memory, "store", full)
        await agent.cycle()
        assert "Failed to persist cortex state: disk full" in agent.logged("warn")
        assert agent.trusts() == [2]
        assert "- alice-is-reliable: " in await agent.prompt()


@pytest.mark.parametrize("key", [BELIEFS_KEY, HISTORY_KEY, STATE_KEY])
@pytest.mark.parametrize("text", ["{broken", "3", '"text"', "[" * 100_000])
async def test_a_damaged_document_is_put_aside(key: str, text: str, tmp_path: Path) -> None:
    folder = files(tmp_path)
    folder.mkdir(parents=True)
    (folder / f"{key}.md").write_text(text, encoding="utf-8")
    async with Agent(GOOD, workspace=tmp_path) as agent:
        assert any(line.startswith(f"{key} cannot be read") for line in agent.logged("warn"))
        await agent.cycle()
        assert agent.trusts() == [2]
    assert (folder / f"{key}-corrupt.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("key", "text", "what"),
    [
        (BELIEFS_KEY, '{"k": {"key": "k", "value": 7}}', "it.k must have the keys"),
        (HISTORY_KEY, "[3]", "it[0] must be a mapping, got 3"),
        (STATE_KEY, '{"cycle": "x", "skips": {}}', "it.cycle must be a whole number, got 'x'"),
    ],
)
async def test_what_is_damaged_in_part_is_said_and_its_text_kept(
    key: str, text: str, what: str, tmp_path: Path
) -> None:
    folder = files(tmp_path)
    folder.mkdir(parents=True)
    (folder / f"{key}.md").write_text(text, encoding="utf-8")
    async with Agent(GOOD, workspace=tmp_path) as agent:
        [warning] = [line for line in agent.logged("warn") if line.startswith(key)]
        assert what in warning
        assert f"its text is under {key}-corrupt" in warning
        await agent.cycle()
    assert (folder / f"{key}-corrupt.md").read_text(encoding="utf-8") == text


async def test_a_second_damaged_text_takes_nothing_from_the_first(tmp_path: Path) -> None:
    folder = files(tmp_path)
    folder.mkdir(parents=True)
    for text in ("{bad", "{bad", "{worse"):
        (folder / "cortex-beliefs.md").write_text(text, encoding="utf-8")
        async with Agent(GOOD, workspace=tmp_path):
            pass
    kept = sorted(file.read_text(encoding="utf-8") for file in folder.glob("*-corrupt*"))
    assert kept == ["{bad", "{worse"]


async def test_what_an_agent_wrote_itself_is_whole(tmp_path: Path) -> None:
    clock = ManualClock()
    for _ in range(2):
        async with Agent(GOOD, workspace=tmp_path, clock=clock, triggers=["timer"]) as agent:
            await agent.hear()
            await agent.tick(1800)
            clock.advance(60)
            assert agent.logged("warn") == []
    assert not list(files(tmp_path).glob("*-corrupt*"))


async def test_damaged_wishes_are_said_once_and_the_others_followed(tmp_path: Path) -> None:
    folder = files(tmp_path)
    folder.mkdir(parents=True)
    wishes = '{"pinned": {"rule": {"value": "Ask", "at": 1.0}}, "forgotten": 7}'
    (folder / "cortex-operator.md").write_text(wishes, encoding="utf-8")
    async with Agent(GOOD, workspace=tmp_path) as agent:
        await agent.tick(60)
        await agent.tick(60)
        assert "rule" in agent.cortex.memory.beliefs.by_key
        [warning] = [line for line in agent.logged("warn") if "cortex-operator" in line]
        assert "it.forgotten must be a mapping, got 7" in warning


async def test_farming_sees_what_was_written_before_the_cortex_was_switched_on(
    tmp_path: Path,
) -> None:
    clock = ManualClock()
    async with Agent(GOOD, workspace=tmp_path, clock=clock, enabled=False) as agent:
        for _ in range(8):
            await agent.hear(text="A small thing, please.")
            clock.advance(86_400)
    async with Agent(GOOD, workspace=tmp_path, clock=clock, triggers=["farming"]) as agent:
        await agent.tick(60)
        assert agent.asked == []
        assert agent.cortex.memory.triggers.interactions == 0
        await agent.cycle(messages=1, text="A large thing. " * 200)
        assert [each["trigger"] for each in agent.asked] == ["farming"]


@pytest.mark.parametrize("engine", ["!!", "QUJD", "x" * 1000])
async def test_a_damaged_engine_starts_anew(engine: str, tmp_path: Path) -> None:
    folder = files(tmp_path)
    folder.mkdir(parents=True)
    state = CortexState(cycle=7, engine=engine)
    (folder / f"{STATE_KEY}.md").write_text(state.to_text(), encoding="utf-8")
    async with Agent(GOOD, workspace=tmp_path) as agent:
        assert any("triggers start anew" in line for line in agent.logged("warn"))
        await agent.cycle()
        assert agent.cortex.memory.history[-1].cycle == 8


async def test_a_wall_clock_behind_the_stored_one_starves_nothing(tmp_path: Path) -> None:
    async with Agent(GOOD, workspace=tmp_path) as agent:
        await agent.hear()
    before = ManualClock(agent.clock.now() - 30 * 86400)
    async with Agent(GOOD, workspace=tmp_path, clock=before) as agent:
        await agent.tick(30 * 60)
        assert len(agent.subagent.calls) == 1


async def test_the_history_is_as_long_as_the_settings_say() -> None:
    async with Agent(reply(), history_size=3) as agent:
        for _ in range(5):
            await agent.cycle()
        assert [record.cycle for record in agent.cortex.memory.history] == [3, 4, 5]


def test_documents_come_back_as_they_were() -> None:
    belief = Belief("k", "v", "r", 3, 100.0, 5.0, "p", 50.0, 90.0, ("cycle 1",), "rules", True)
    record = ReflectionRecord(
        1, 2.0, "timer", ["a"], ["k"], "s", 0.5, ("timer",), assessments=({"peer_id": "a"},)
    )
    state = CortexState(cycle=4, trust={"a": [1, 2, 1, None, []]}, left_out=("b",))
    assert parse_beliefs(dump_beliefs([belief])) == [belief]
    assert parse_history(dump_history([record])) == [record]
    assert parse_state(state.to_text()) == state
    assert (parse_beliefs(None), parse_history(""), parse_state(None)) == ([], [], CortexState())


def test_damaged_entries_are_left_out_and_the_others_stay() -> None:
    good = Belief("k", "v", "r", 3, 100.0)
    raw = {"k": good.to_json(), "x": {"key": "x"}, "y": 3, "z": {**good.to_json(), "value": None}}
    assert parse_beliefs(json.dumps(raw)) == [good]
    history = [{"cycle": 1, "timestamp": 2.0, "summary": 7, "new": 1}, {}, None]
    [record] = parse_history(json.dumps(history))
    assert (record.cycle, record.summary) == (1, "")
    state = parse_state('{"cycle": "x", "skips": {"a": 1, "b": "c"}, "engine": 3, "usage": [1]}')
    assert state == CortexState(skips={"a": 1})


@pytest.mark.parametrize(
    ("minutes", "cycle", "status"), [(0, 1, "active"), (110, 1, "expiring"), (10, 6, "stale")]
)
def test_the_status_of_a_belief_in_a_word(minutes: float, cycle: int, status: str) -> None:
    belief = Belief("k", "v", "r", 1, 0.0)
    assert belief_status(belief, minutes * 60, cycle=cycle) == status
    belief.quarantined = True
    assert belief_status(belief, 0, cycle=1) == "quarantined"
    belief.pinned = True
    assert belief_status(belief, 0, cycle=1) == "pinned"


async def test_a_belief_without_its_rationale_is_read() -> None:
    raw = {"key": "a", "value": "b", "source_cycle": 1, "created_at": 5.0, "rationale": 3}
    [found] = parse_beliefs(json.dumps({"a": raw}))
    assert (found.value, found.rationale) == ("b", "")


@pytest.mark.parametrize("error", [RuntimeError("lost"), OSError("disk")])
async def test_a_ledger_that_fails_as_it_likes_lets_the_agent_start(error: Exception) -> None:
    agent = Agent(GOOD)

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    whole = agent.ledger.list_peers
    agent.ledger.list_peers = fail  # type: ignore[method-assign]
    async with agent:
        assert any(line.startswith("The peers cannot be read") for line in agent.logged("error"))
        agent.ledger.list_peers = whole  # type: ignore[method-assign]
        await agent.cycle()
        assert agent.cortex.memory.history[-1].status == "ok"


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1" * 400])
def test_numbers_that_nobody_wrote_are_read_as_nothing(value: str) -> None:
    record = f'[{{"cycle": 1, "timestamp": 2, "assessments": [{{"clamped": {value}}}]}}]'
    assert parse_history(record)[0].assessments == ({"clamped": None},)
    assert parse_state(f'{{"cycle": {value}, "thresholds": {{"a": {value}}}}}').cycle == 0
