"""What an agent learns from, and which parameters a step of learning moves."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from prefrontal.control.agent.control_config import ALL_FEATURES
from prefrontal.control.agent.experience import AgentExperience, Ring
from prefrontal.control.memory.context_clusters import ContextClustersConfig

from ..agent_cases import small_agent, walk


def moved(agent: Any) -> set[str]:
    """The parts whose parameters a step of learning changed."""
    before = {k: v.clone() for k, v in agent.state_dict().items()}
    agent.learn(torch.Generator().manual_seed(0))
    changed = {k for k, v in agent.state_dict().items() if not torch.equal(v, before[k])}
    return {k.partition(".")[0] for k in changed} - {"hippocampal"}


def test_too_little_experience_teaches_nothing() -> None:
    agent = small_agent(sd016_enabled=True)
    losses = agent.learn()
    assert dataclasses.astuple(losses) == (None, None, None, None)


def test_e1_and_e2_learn_and_nothing_else() -> None:
    agent = small_agent(**ALL_FEATURES)
    walk(agent, 34)
    assert moved(agent) == {"e1", "e2"}
    losses = agent.learn()
    assert losses.e1 > 0 and losses.e2 > 0
    assert losses.decoder is None and losses.harm is None
    assert not agent.e1.training


def test_heads_of_harm_learn_on_request() -> None:
    learning = {"harm_learning_rate": 1e-2, "e2_batch": 4}
    agent = small_agent(**ALL_FEATURES, learning=learning, e3={"benefit_enabled": True})
    walk(agent, 8)
    assert moved(agent) == {"e1", "e2", "e3", "harm_forward"}
    assert int(agent.e3.benefit_samples) == 4
    assert agent.learn().harm > 0


def test_the_decoder_learns_on_request() -> None:
    agent = small_agent(learning={"decoder_learning_rate": 1e-2, "e2_batch": 4})
    walk(agent, 8)
    before = agent.hippocampal.action_object_decoder[0].weight.clone()
    assert agent.learn().decoder > 0
    assert not torch.equal(before, agent.hippocampal.action_object_decoder[0].weight)


@pytest.mark.parametrize(("weight", "taught"), [(0.0, False), (1.0, True)])
def test_e2_learns_the_world_only_on_request(weight: float, taught: bool) -> None:
    agent = small_agent(learning={"e2_world_weight": weight, "e2_batch": 4})
    walk(agent, 8)
    before = agent.e2.world_transition[0].weight.clone()
    agent.learn()
    assert torch.equal(before, agent.e2.world_transition[0].weight) is not taught


@pytest.mark.exhaustive
def test_losses_fall() -> None:
    rates = {f"{part}_learning_rate": 1e-2 for part in ("e2", "decoder", "harm")}
    agent = small_agent(**ALL_FEATURES, learning=rates, e1={"learning_rate": 3e-3})
    walk(agent, 40)
    generator = torch.Generator().manual_seed(0)
    losses = [agent.learn(generator) for _ in range(40)]
    for name in ("e1", "e2", "decoder", "harm"):
        values = [getattr(it, name) for it in losses]
        assert sum(values[-8:]) < 0.7 * sum(values[:8]), name


def test_the_terrain_loss_reaches_the_cue_path_and_not_the_encoders() -> None:
    agent = small_agent(sd016_enabled=True, e1={"lambda_terrain": 1.0})
    walk(agent, 34)
    cues, hazards = agent.experience.cues(32)
    agent.e1.terrain_loss(cues, hazards).backward()
    assert bool(agent.e1.cue_terrain_proj.weight.grad.any())
    assert bool(agent.e1.world_query_proj.weight.grad.any())
    assert all(it.grad is None for it in agent.latent_stack.parameters())


def test_learned_contexts_teach_the_cue_in_place_of_the_hazard_in_view() -> None:
    contexts = ContextClustersConfig(clusters=4, horizon=1)
    changes: dict[str, Any] = {"e1": {"lambda_terrain": 1.0}, "learning": {"cue_batch": 4}}
    agent = small_agent(sd016_enabled=True, contexts=contexts, **changes)
    observed = {"body": torch.zeros(12), "world": torch.ones(250)}
    for signal in (-1.0, 0.5, -1.0, 0.5):
        agent.act({**observed, "world": torch.full((250,), signal)})
        agent.update_residue(signal)
    assert int(agent.contexts.outcome_counts.sum()) == 4
    cues = agent.experience.cues(4)[0]
    before = agent.e1.cue_terrain_proj.weight.clone()
    assert agent.learn().e1 > 0
    assert not torch.equal(before, agent.e1.cue_terrain_proj.weight)
    agent.contexts.targets = lambda z: agent.e1.extract_cue_context(z)[1].detach()
    agent.e1.experience.clear()
    assert agent.learn().e1 == pytest.approx(0.0, abs=1e-9)
    assert cues.shape == (4, 32)


def test_a_reset_settles_what_a_context_waits_for() -> None:
    agent = small_agent(sd016_enabled=True, contexts=ContextClustersConfig(horizon=5))
    agent.act({"body": torch.zeros(12), "world": torch.ones(250)})
    agent.update_residue(-1.0)
    assert int(agent.contexts.outcome_counts.sum()) == 0
    agent.reset()
    assert int(agent.contexts.outcome_counts.sum()) == 1
    assert agent.contexts.known == 1


def test_a_transition_joins_what_belongs_together() -> None:
    agent = small_agent(use_harm=True, learning={"e2_batch": 1})
    observed = {"body": torch.zeros(12), "world": torch.ones(250), "harm": torch.ones(51)}
    choice = agent.act(observed)
    before = agent.latent
    agent.update_residue(-0.25)
    agent.sense({**observed, "body": torch.ones(12), "harm": torch.zeros(51)})
    rows = agent.experience.transitions(1)
    assert torch.equal(rows.z_self, before.z_self)
    assert torch.equal(rows.z_world, before.z_world)
    assert torch.equal(rows.next_z_self, agent.latent.z_self)
    assert torch.equal(rows.next_z_world, agent.latent.z_world)
    assert torch.equal(rows.z_harm, before.z_harm)
    assert torch.equal(rows.next_z_harm, agent.latent.z_harm)
    assert rows.action.argmax() == choice.action and rows.action.sum() == 1
    assert rows.signal.tolist() == [-0.25]


def test_no_transition_crosses_a_reset() -> None:
    agent = small_agent()
    observed = {"body": torch.zeros(12), "world": torch.ones(250)}
    agent.act(observed)
    agent.reset()
    agent.act(observed)
    assert len(agent.experience) == 0


def test_what_is_only_sensed_is_no_transition() -> None:
    agent = small_agent()
    observed = {"body": torch.zeros(12), "world": torch.ones(250)}
    for _ in range(2):
        agent.sense(observed)
    assert len(agent.experience) == 0
    agent.act(observed)
    agent.sense(observed)
    assert len(agent.experience) == 1


def test_a_ring_keeps_the_latest_rows() -> None:
    ring = Ring(3)
    assert ring.sample(1) is None
    for n in range(5):
        ring.append(torch.tensor([[float(n)]]), torch.tensor([[-float(n)]]))
    assert len(ring) == 3
    rows: Any = ring.sample(3, torch.Generator().manual_seed(0))
    assert rows.shape == (3, 2)
    for seed in range(20):
        drawn: Any = ring.sample(3, torch.Generator().manual_seed(seed))
        rows = torch.cat([rows, drawn])
    assert {tuple(it) for it in rows.tolist()} == {(2.0, -2.0), (3.0, -3.0), (4.0, -4.0)}
    assert ring.sample(4) is None


def test_experience_without_a_harm_stream_has_none() -> None:
    agent = small_agent(learning={"e2_batch": 2})
    walk(agent, 4)
    rows = agent.experience.transitions(2)
    assert rows.z_harm is None and rows.next_z_harm is None
    assert AgentExperience(4).transitions(1) is None
