from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.assembly.agent_records import AgentRecords
from prefrontal.cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.cortex.state import BELIEFS_KEY, HISTORY_KEY, dump_beliefs, dump_history
from prefrontal.errors import InputError
from prefrontal.ledger import Ledger
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.testing import ManualClock


def test_an_empty_workspace_is_no_obstacle(tmp_path: Path) -> None:
    records = AgentRecords(tmp_path / "none", {}, clock=ManualClock())
    assert records.beliefs() == []
    assert records.trust("ada") is None
    assert records.verdict("money", "pay 3", "").decision == "deny"
    assert not (tmp_path / "none").exists()


def test_the_operators_wishes_stand_in_front(tmp_path: Path) -> None:
    clock = ManualClock()
    memory = MemoryFiles(tmp_path / "memory" / "files")
    held = [
        Belief("a", "is so", "seen", 1, created_at=clock.now() - 60),
        Belief("b", "is so", "seen", 1, created_at=clock.now() - 30),
        Belief("c", "is so", "seen", 1, created_at=clock.now() - 10, quarantined=True),
    ]
    memory.store(BELIEFS_KEY, dump_beliefs(held))
    wishes = OperatorWishes()
    wishes.forget("a", clock.now())
    wishes.approve("c", clock.now())
    wishes.pin("mine", "The house is blue.", clock.now())
    memory.store(OPERATOR_KEY, wishes.to_text())
    config = {"cortex": {"pinned_beliefs": {"always": "Be kind."}}}
    records = AgentRecords(tmp_path, config, clock=clock)
    assert sorted((each.key, status) for each, status in records.beliefs()) == [
        ("always", "pinned"),
        ("b", "active"),
        ("c", "active"),
        ("mine", "pinned"),
    ]


def test_a_belief_that_no_cycle_confirmed_for_long_is_stale(tmp_path: Path) -> None:
    clock = ManualClock()
    memory = MemoryFiles(tmp_path / "memory" / "files")
    memory.store(BELIEFS_KEY, dump_beliefs([Belief("a", "b", "c", 1, created_at=clock.now())]))
    last = ReflectionRecord(6, clock.now(), "timer", [], [], "", 1.0)
    memory.store(HISTORY_KEY, dump_history([last]))
    [(_, status)] = AgentRecords(tmp_path, {}, clock=clock).beliefs()
    [(_, later)] = AgentRecords(
        tmp_path, {"cortex": {"belief_expiry_cycles": 6}}, clock=clock
    ).beliefs()
    assert (status, later) == ("stale", "active")


def test_a_beginning_names_a_peer_only_when_it_is_the_only_one(tmp_path: Path) -> None:
    clock = ManualClock()
    with Ledger(tmp_path / "ledger.sqlite", clock=clock) as book:
        for name in ("npub-ada", "npub-bob"):
            book.record_interaction(name, "in", preview="hello", size=5)
    records = AgentRecords(tmp_path, {}, clock=clock)
    assert records.peer("npub-a").summary["peer_id"] == "npub-ada"
    for told in ("npub", "npu", "ada"):
        with pytest.raises(InputError, match=f"peer must be the id .* got {told!r}"):
            records.peer(told)


def test_settings_that_cannot_be_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"ledger must have only known keys, got .*; known are path"
    ):
        AgentRecords(tmp_path, {"ledger": {"paht": "x"}})
    with pytest.raises(InputError, match="max_trust_delta"):
        AgentRecords(tmp_path, {"cortex": {"max_trust_delta": 0}})
