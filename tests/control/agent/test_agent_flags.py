"""A feature that is off leaves no trace: no parameter, no random number, the same bits."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from prefrontal.control import ControlAgent
from prefrontal.control.agent.control_config import ALL_FEATURES

from ...exhaustive import first
from ..agent_cases import small_agent, small_config, walk

MARKS = {
    "sd016_enabled": ("e1.world_query_proj", "e1.cue_action_proj", "e1.cue_terrain_proj"),
    "use_lateral_pfc_analog": ("lateral_pfc.",),
    "use_harm": ("latent_stack.harm_encoder",),
    "use_affective_harm": ("latent_stack.affective_harm_encoder",),
    "use_harm_forward": ("harm_forward.",),
    "use_salience": (),
    "use_dacc": (),
    "use_goal": (),
}
NEEDS = {"use_dacc": {"use_affective_harm": True}, "use_harm_forward": {"use_harm": True}}


def trace(agent: ControlAgent, steps: int = 8) -> list[tuple[int, bytes]]:
    """Actions and scores of a walk, exactly."""
    found = []
    for it in walk(agent, steps):
        scores = b"" if it.selection is None else it.selection.scores.detach().numpy().tobytes()
        found.append((it.action, scores))
    return found


def test_the_marks_name_every_feature() -> None:
    assert MARKS.keys() == ALL_FEATURES.keys()


@pytest.mark.parametrize("flag", MARKS)
def test_a_feature_has_parameters_only_while_it_is_on(flag: str) -> None:
    off, on = small_agent(), small_agent(**{flag: True, **NEEDS.get(flag, {})})
    for mark in MARKS[flag]:
        assert not any(name.startswith(mark) for name in off.state_dict())
        assert any(name.startswith(mark) for name in on.state_dict())
    added = on.state_dict().keys() - off.state_dict().keys()
    wanted = (*MARKS[flag], *(m for need in NEEDS.get(flag, {}) for m in MARKS[need]))
    assert all(name.startswith(wanted) for name in added)


@pytest.mark.parametrize("flag", first(3, MARKS))
def test_a_feature_leaves_all_other_parameters_and_the_random_numbers_as_they_are(
    flag: str,
) -> None:
    states = []
    for changes in ({}, {flag: True, **NEEDS.get(flag, {})}):
        torch.manual_seed(5)
        agent = ControlAgent(small_config(**changes))
        states.append((agent.state_dict(), torch.get_rng_state()))
    (off, after_off), (on, after_on) = states
    assert all(torch.equal(value, on[name]) for name, value in off.items())
    assert torch.equal(after_off, after_on)


def test_parts_are_drawn_from_seeds_of_their_own() -> None:
    agent = small_agent()
    body, world = agent.body_obs_encoder.linear.weight, agent.world_obs_encoder.linear.weight
    first = [it.detach().flatten()[:100] * it.shape[1] ** 0.5 for it in (body, world)]
    assert not torch.allclose(first[0], first[1], atol=1e-3)
    other = small_agent(seed=1).body_obs_encoder.linear.weight
    assert not torch.allclose(body, other)


@pytest.mark.parametrize(
    "features",
    first(
        2,
        [
            {"use_lateral_pfc_analog": True},
            {"use_salience": True},
            {"use_harm": True, "use_affective_harm": True},
            {"use_affective_harm": True, "use_dacc": True, "use_salience": True},
            {"use_goal": True},
        ],
    ),
)
def test_a_feature_without_weight_walks_the_same_way_to_the_bit(features: dict[str, Any]) -> None:
    assert trace(small_agent(**features)) == trace(small_agent())


def test_with_everything_on_the_way_is_another() -> None:
    assert trace(small_agent(**ALL_FEATURES)) != trace(small_agent())


def test_acting_draws_from_the_given_generator_alone() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    walk(small_agent(**ALL_FEATURES), 4)
    assert torch.equal(before, torch.get_rng_state())


def test_without_a_generator_the_default_one_decides() -> None:
    runs = []
    for _ in range(2):
        torch.manual_seed(7)
        agent = ControlAgent(small_config())
        shown = {"body": torch.zeros(12), "world": torch.ones(250)}
        actions = [agent.act(shown).action for _ in range(3)]
        assert agent.last_scores is not None
        runs.append((actions, float(agent.last_scores.sum())))
    assert runs[0] == runs[1]
