"""A whole agent handled roughly: copied in the middle, moved to another dtype, told bad things."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from prefrontal.control import CausalGridWorldV2
from prefrontal.control.agent.checkpoint import load, load_into, save
from prefrontal.control.agent.control_config import ALL_FEATURES
from prefrontal.control.memory.slot_attention import SlotSelectionConfig

from ...exhaustive import first
from ..agent_cases import same_state, small_agent, walk

WRITING = {"sd016_writepath_mode": "both"}


def learned(agent: Any, steps: int, seed: int) -> list[int]:
    """The actions of steps that are learned from, all randomness from one generator."""
    env, generator = CausalGridWorldV2("contrast14"), torch.Generator().manual_seed(seed)
    observation, _ = env.reset(seed=seed)
    actions = []
    for _ in range(steps):
        actions.append(agent.act(observation, generator=generator).action)
        observation, signal, _, _, _ = env.step(actions[-1])
        agent.update_residue(signal)
        agent.learn(generator)
    return actions


@pytest.mark.exhaustive
@pytest.mark.parametrize("selection", ["soft", "gumbel"])
def test_the_generator_alone_decides_what_is_learned(selection: Any) -> None:
    states = []
    for default in (1, 2):
        torch.manual_seed(default)
        told = {"selection": SlotSelectionConfig(selection=selection)}
        agent = small_agent("sound", **ALL_FEATURES, e1=told, learning={"cue_batch": 4})
        before = torch.random.get_rng_state()
        learned(agent, 12, 5)
        assert torch.equal(before, torch.random.get_rng_state())
        states.append(agent.state_dict())
    assert same_state(*states)


@pytest.mark.exhaustive
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_from_the_middle_goes_on_as_the_agent_does(copied: Callable[[Any], Any]) -> None:
    agent = small_agent(**ALL_FEATURES, e1=WRITING)
    learned(agent, 20, 1)
    twin = copied(agent)
    assert learned(agent, 10, 2) == learned(twin, 10, 2)
    assert same_state(agent.state_dict(), twin.state_dict())


def test_an_agent_that_kept_its_graph_can_be_copied() -> None:
    agent = small_agent(use_lateral_pfc_analog=True, lateral_pfc={"head": "trained"})
    choice = walk(agent, 1, keep_graph=True)[0]
    assert choice.selection is not None and choice.selection.log_prob.requires_grad
    assert not agent.selection.log_prob.requires_grad
    copy.deepcopy(agent)


@pytest.mark.exhaustive
def test_an_agent_may_change_its_dtype_while_it_learns() -> None:
    agent = small_agent(**ALL_FEATURES)
    learned(agent, 20, 1)
    agent.double()
    agent.learn()
    learned(agent, 4, 2)
    assert agent.latent.z_world.dtype == torch.float64
    agent.float()
    learned(agent, 4, 3)
    assert agent.latent.z_world.dtype == torch.float32


def test_which_slots_are_free_comes_back_from_a_file(tmp_path: Path) -> None:
    agent = small_agent("sound", sd016_enabled=True, e1=WRITING)
    learned(agent, 12, 1)
    save(agent, tmp_path / "agent.pt")
    mine, theirs = agent.e1.context_memory, load(tmp_path / "agent.pt").e1.context_memory
    assert mine.occupancy >= 1
    assert torch.equal(mine.slot_write_counts, theirs.slot_write_counts)
    assert mine.recent_writes == theirs.recent_writes


def test_the_dtype_comes_back_from_a_file(tmp_path: Path) -> None:
    agent = small_agent().double()
    save(agent, tmp_path / "agent.pt")
    found = load(tmp_path / "agent.pt")
    assert found.e2.config == agent.e2.config
    assert same_state(agent.state_dict(), found.state_dict())
    assert found.e3.residue_field.weights.dtype == torch.float64


@pytest.mark.parametrize(
    ("key", "value"),
    first(
        3,
        [
            ("config", None),
            ("config", {"learning": 3}),
            ("format", torch.zeros(3)),
            ("profile", "sound"),
            ("state", None),
            ("state", {"e1": 1}),
            ("hazards_seen", None),
            ("hazards_seen", [float("nan")]),
            ("rule_state", torch.full((1, 16), float("nan"))),
            ("rule_state", "no rule"),
            ("contexts", {"centres": torch.zeros(2)}),
        ],
    ),
)
def test_a_file_with_something_else_in_it_is_refused(tmp_path: Path, key: str, value: Any) -> None:
    features = {"sd016_enabled": True, "use_lateral_pfc_analog": True}
    agent = small_agent(**features, contexts=_contexts())
    path = tmp_path / "agent.pt"
    save(agent, path, with_rule=True)
    held = torch.load(path, weights_only=True)
    torch.save(held | {key: value}, path)
    with pytest.raises(ValueError, match="path must"):
        load(path)
    if key == "config":
        return  # load_into asks for the parameters alone
    other = small_agent(**features, contexts=_contexts(), seed=1)
    before = copy.deepcopy(other.state_dict())
    with pytest.raises(ValueError, match="path must"):
        load_into(other, path)
    assert same_state(before, other.state_dict())


def _contexts() -> Any:
    from prefrontal.control.memory.context_clusters import ContextClustersConfig

    return ContextClustersConfig(clusters=3)
