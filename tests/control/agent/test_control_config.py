"""ControlConfig: flags find their part, parts fit together, slips are refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from prefrontal.control import CausalGridWorldV2, ControlAgent, ControlConfig
from prefrontal.control.agent.control_config import ALL_FEATURES, LearningConfig
from prefrontal.control.choice.allostasis import AllostaticCoupling
from prefrontal.control.memory.context_clusters import ContextClustersConfig


def test_the_environments_sizes_reach_the_parts_that_need_them() -> None:
    config = ControlConfig.from_dims(7, 40, 3)
    assert (config.latent.body_obs_dim, config.latent.world_obs_dim) == (7, 40)
    assert config.e2.action_dim == config.hippocampal.action_dim == 3
    assert ControlConfig.from_dims().e2.action_dim == 5


def test_everything_is_off_until_it_is_asked_for() -> None:
    config = ControlConfig.from_dims()
    assert not any((config.use_salience, config.use_goal, config.use_harm_forward))
    assert not any((config.e1.sd016_enabled, config.dacc.use_dacc, config.allostasis))
    assert not any((config.latent.use_harm_stream, config.latent.use_affective_harm_stream))
    assert not config.lateral_pfc.use_lateral_pfc_analog


def test_flags_switch_on_what_they_name() -> None:
    config = ControlConfig.from_dims(**ALL_FEATURES)
    assert all((config.use_salience, config.use_goal, config.use_harm_forward))
    assert all((config.e1.sd016_enabled, config.dacc.use_dacc))
    assert all((config.latent.use_harm_stream, config.latent.use_affective_harm_stream))
    assert config.lateral_pfc.use_lateral_pfc_analog
    assert config.salience.salience_weights["dacc_foraging"] == 0.5


def test_a_told_field_goes_before_the_profiles() -> None:
    config = ControlConfig.from_dims(
        profile="sound",
        memory={"attention": "dot"},
        terrain={"harm_above": 0.4},
        lateral_pfc={"candidate_summary": "final"},
        e1={"prediction_horizon": 10},
    )
    assert (config.e1.memory.attention, config.e1.memory.slot_init) == ("dot", "orthogonal")
    assert (config.e1.terrain.harm_above, config.e1.terrain.thresholds) == (0.4, "balanced")
    assert config.lateral_pfc.candidate_summary == "final"
    assert config.e1.prediction_horizon == 10


def test_the_world_follows_the_profile() -> None:
    assert ControlConfig.from_dims(profile="sound").world("contrast14").profile == "fixed"
    world = ControlConfig.from_dims().world(size=8)
    assert (world.profile, world.size) == ("upstream", 8)
    CausalGridWorldV2(world).reset(seed=0)


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"use_dacc": True}, ValueError, "use_dacc must stand with use_affective_harm, got it wi"),
        ({"use_harm_forward": True}, ValueError, "use_harm_forward must stand with use_harm, got"),
        ({"allostasis": AllostaticCoupling()}, ValueError, "allostasis must stand with sd016_ena"),
        ({"contexts": ContextClustersConfig()}, ValueError, "contexts must stand with sd016_enab"),
        ({"between_ticks": "wait"}, ValueError, "between_ticks must be one of hold, follow, got"),
        ({"theta_size": 0}, ValueError, "theta_size must be at least 1, got 0"),
        ({"use_goal": 1}, TypeError, "use_goal must be True or False, got 1"),
        ({"use_gaol": True}, TypeError, "option must be a field of ControlConfig or .*'use_gaol'"),
        ({"e1": 3}, TypeError, "e1 must be a mapping of its fields, got 3"),
        ({"e2": {"world_dim": 16}}, ValueError, "e2.world_dim must be 32 as its neighbour's, got"),
        ({"memory": {"latent_dim": 48}}, ValueError, "memory.latent_dim must equal self_dim . wo"),
        ({"e2": {"rollout_horizon": 20}}, ValueError, r"e2.rollout_horizon must be above .*\(20\)"),
        ({"terrain": {"harm_high": 2}}, ValueError, "harm_high must be between 0 and 1, got 2"),
        ({"learning": {"e2_batch": 0}}, ValueError, "e2_batch must be at least 1, got 0"),
    ],
)
def test_a_slip_is_refused(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ControlConfig.from_dims(**changes)


def test_a_latents_size_reaches_all_its_neighbours_and_a_body_may_be_short() -> None:
    config = ControlConfig.from_dims(
        3,
        latent={"world_dim": 16, "self_dim": 8, "delta_dim": 12, "harm_dim": 10},
        e1={"hidden_dim": 48, "prediction_horizon": 3},
        e2={"rollout_horizon": 4, "action_object_dim": 6},
        hippocampal={"horizon": 4},
        **ALL_FEATURES,
    )
    agent, generator = ControlAgent(config), torch.Generator().manual_seed(0)
    shown = {"body": 3, "world": 250, "harm": 51, "harm_a": 50}
    for _ in range(34):
        sizes = {name: torch.rand(size, generator=generator) for name, size in shown.items()}
        agent.act(sizes, generator=generator)
        agent.update_residue(-0.1)
    assert agent.drive == 0  # without energy in the body
    assert agent.latent is not None and agent.latent.z_world.shape == (1, 16)
    losses = agent.learn(generator)
    assert losses.e1 is not None and losses.e2 is not None


def test_a_configuration_does_not_change() -> None:
    config = ControlConfig.from_dims()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.use_goal = True  # type: ignore[misc]
    assert dataclasses.replace(config, learning=LearningConfig(e2_batch=4)).learning.e2_batch == 4
