"""An agent in a file: what comes back, and which files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from prefrontal.control.agent.checkpoint import load, load_into, save
from prefrontal.control.agent.control_config import ALL_FEATURES
from prefrontal.control.choice.allostasis import AllostaticCoupling
from prefrontal.control.memory.context_clusters import ContextClustersConfig
from prefrontal.control.profiles import PROFILE_NAMES

from ...exhaustive import first
from ..agent_cases import same_state, small_agent, walk


@pytest.mark.parametrize("profile", first(1, PROFILE_NAMES))
def test_an_agent_comes_back_with_its_configuration_and_parameters(
    tmp_path: Path, profile: str
) -> None:
    agent = small_agent(profile, **ALL_FEATURES, allostasis=AllostaticCoupling(floor=0.7))
    walk(agent, 6)
    save(agent, tmp_path / "agent.pt")
    again = load(tmp_path / "agent.pt")
    assert again.config == agent.config
    assert same_state(again.state_dict(), agent.state_dict())
    assert again.e1.terrain_targets.get_seen() == agent.e1.terrain_targets.get_seen() != []
    agent.reset()
    assert [it.action for it in walk(again, 4)] == [it.action for it in walk(agent, 4)]


def test_loading_draws_no_number_of_the_default_generator(tmp_path: Path) -> None:
    save(small_agent(), tmp_path / "agent.pt")
    before = torch.get_rng_state()
    load(tmp_path / "agent.pt")
    assert torch.equal(before, torch.get_rng_state())


def test_social_channels_come_back(tmp_path: Path) -> None:
    from prefrontal.control.memory.social import SocialConfig

    agent = small_agent(sd016_enabled=True, e1={"social": SocialConfig(4)})
    save(agent, tmp_path / "agent.pt")
    assert load(tmp_path / "agent.pt").config.e1.social == SocialConfig(4)


def test_learned_contexts_come_back(tmp_path: Path) -> None:
    agent = small_agent(sd016_enabled=True, contexts=ContextClustersConfig(clusters=4, horizon=2))
    walk(agent, 12)
    save(agent, tmp_path / "agent.pt")
    again: Any = load(tmp_path / "agent.pt")
    assert again.contexts.known == agent.contexts.known == 4
    agent.reset()
    assert torch.equal(again.contexts.centres, agent.contexts.centres)
    assert again.contexts.outcome_counts.sum() == 11  # the last one waits, and is not kept


@pytest.mark.parametrize("kept", [False, True])
def test_the_rule_comes_back_on_request(tmp_path: Path, kept: bool) -> None:
    agent = small_agent(use_lateral_pfc_analog=True)
    walk(agent, 3)
    rule = agent.lateral_pfc.get_rule_state()
    save(agent, tmp_path / "agent.pt", with_rule=kept)
    again: Any = load(tmp_path / "agent.pt")
    assert torch.equal(again.lateral_pfc.rule_state, rule if kept else torch.zeros(1, 16))


def test_an_agent_takes_over_a_file_and_begins_an_episode(tmp_path: Path) -> None:
    save(small_agent(seed=1), tmp_path / "agent.pt")
    agent = small_agent(seed=2)
    walk(agent, 3)
    load_into(agent, tmp_path / "agent.pt")
    assert same_state(agent.state_dict(), small_agent(seed=1).state_dict())
    assert agent.latent is None


def test_a_checkpoint_of_another_profile_is_refused(tmp_path: Path) -> None:
    save(small_agent("seed"), tmp_path / "agent.pt")
    agent = small_agent("sound")
    before = {k: v.clone() for k, v in agent.state_dict().items()}
    for refused in (
        lambda: load_into(agent, tmp_path / "agent.pt"),
        lambda: load(tmp_path / "agent.pt", profile="sound"),
    ):
        with pytest.raises(ValueError, match="path must be a checkpoint of 'sound', got one of 's"):
            refused()
    assert same_state(before, agent.state_dict())
    assert load(tmp_path / "agent.pt", profile="seed").config.profile == "seed"


def test_parameters_that_do_not_fit_are_named_and_change_nothing(tmp_path: Path) -> None:
    save(small_agent(sd016_enabled=True), tmp_path / "agent.pt")
    agent = small_agent(seed=2)
    before = {k: v.clone() for k, v in agent.state_dict().items()}
    with pytest.raises(
        ValueError, match=r"path must hold the agent's parameters, .*e1\.cue_action"
    ):
        load_into(agent, tmp_path / "agent.pt")
    wide = small_agent(e3={"hidden_dim": 8}, sd016_enabled=True)
    with pytest.raises(ValueError, match=r"e3\.benefit_eval_head"):
        load_into(wide, tmp_path / "agent.pt")
    assert same_state(before, agent.state_dict())


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (b"", "path must be a checkpoint of an agent, got "),
        (b"PK\x03\x04 not a zip", "path must be a checkpoint of an agent, got "),
        ({"format": 9}, "path must be a checkpoint of format 1 or 2, got 9"),
        ([1, 2], "path must be a checkpoint of format 1 or 2, got 'list'"),
        ({"format": 2, "profile": "seed"}, "path must be a checkpoint of an agent, got "),
        ({"format": 1, "profile": "seed", "config": {}, "state": {}, "hazards_seen": [],
          "rule_state": None, "contexts": None}, "path must be a checkpoint of format 1, got "),
        (
            {"format": 1, "profile": "seed", "config": {"colour": 1}, "state": {},
             "hazards_seen": [], "rule_state": None, "contexts": None, "slot_writes": {}},
            "path must hold a known configuration, got ",
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path, held: Any, message: str) -> None:
    path = tmp_path / "agent.pt"
    path.write_bytes(held) if isinstance(held, bytes) else torch.save(held, path)
    with pytest.raises(ValueError, match=message):
        load(path)


def test_a_file_of_the_first_format_is_still_read(tmp_path: Path) -> None:
    agent = small_agent(**ALL_FEATURES, e1={"sd016_writepath_mode": "both"})
    walk(agent, 5)
    save(agent, tmp_path / "agent.pt")
    held = torch.load(tmp_path / "agent.pt", weights_only=True)
    memory = agent.e1.context_memory
    writes = held["state"].pop("e1.context_memory.slot_write_counts"), memory.recent_writes
    del held["state"]["e1.context_memory.recent_slots"]
    held["state"]["e3.reality_scorer.0.weight"] = torch.zeros(64, 32)
    held["config"]["latent"]["fused_latent"] = True
    held["config"]["lateral_pfc"]["discriminator_proj"] = False
    torch.save({**held, "format": 1, "slot_writes": {"e1.context_memory": writes}}, tmp_path / "1")
    again = load(tmp_path / "1")
    assert again.config == agent.config
    assert same_state(again.state_dict(), agent.state_dict())
    assert again.e1.context_memory.recent_writes == memory.recent_writes != []


class Marking:
    """Leaves a file where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.place,)


def test_a_file_runs_nothing_it_holds(tmp_path: Path) -> None:
    path, mark = tmp_path / "agent.pt", tmp_path / "mark"
    torch.save({"format": 1, "profile": Marking(mark)}, path)
    with pytest.raises(ValueError, match="path must be a checkpoint of an agent"):
        load(path)
    assert not mark.exists()


def test_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "agent.pt")
