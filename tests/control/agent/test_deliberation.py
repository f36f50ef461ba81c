"""A tick of E3: what dACC, the coordinator, the rule and E3 are told, and how biases add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from prefrontal.control import CausalGridWorldV2
from prefrontal.control.agent.control_config import ALL_FEATURES

from ..agent_cases import small_agent

WEIGHED = {"bias_weight": 0.5, "suppression_weight": 1.0, "foraging_weight": 0.3}


class Told:
    """What a function of a part was told at its last call, and what it gave back."""

    args: Any
    kwargs: Any
    found: Any

    def __init__(self, owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)
        self.calls = 0

        def spied(*args: Any, **kwargs: Any) -> Any:
            self.args, self.kwargs, self.calls = args, kwargs, self.calls + 1
            self.found = real(*args, **kwargs)
            return self.found

        object.__setattr__(owner, name, spied)


def shown(seed: int = 0, energy: float = 1.0) -> dict[str, Any]:
    observation = dict(CausalGridWorldV2().reset(seed=seed)[0])
    observation["body"][3] = energy
    return observation


def full_agent(**changes: Any) -> Any:
    return small_agent(**{**ALL_FEATURES, **changes})


def tick(agent: Any, seed: int = 0, **told: Any) -> None:
    agent.clock.phase_reset()
    assert agent.act(shown(seed), generator=torch.Generator().manual_seed(0), **told).selection


def test_the_biases_of_dacc_and_rule_add_up() -> None:
    rule = {"head": "frozen_random", "candidate_summary": "t1"}
    agent = full_agent(dacc=WEIGHED, lateral_pfc=rule)
    tick(agent)
    dacc, pfc = Told(agent.dacc, "forward"), Told(agent.lateral_pfc, "compute_bias")
    e3 = Told(agent.e3, "select")
    tick(agent)
    assert bool(dacc.found.bias.any()) and bool(pfc.found.any())
    assert torch.equal(e3.kwargs["score_bias"], dacc.found.bias + pfc.found)
    assert e3.kwargs["score_gain"] is None
    assert torch.equal(pfc.args[0], agent.candidates.world_states[:, 0, 1])


def test_a_gain_multiplies_and_is_not_added() -> None:
    rule = {"head": "frozen_random", "bias_form": "gain"}
    agent = small_agent(use_lateral_pfc_analog=True, lateral_pfc=rule)
    pfc, e3 = Told(agent.lateral_pfc, "compute_bias"), Told(agent.e3, "select")
    tick(agent)
    assert e3.kwargs["score_bias"] is None
    assert torch.equal(e3.kwargs["score_gain"], pfc.found)
    assert float(pfc.found.min()) > 0.8


def test_without_parts_that_bias_there_is_no_bias() -> None:
    agent = small_agent()
    e3 = Told(agent.e3, "select")
    tick(agent)
    for name in ("score_bias", "score_gain", "terrain_weight", "action_bias", "goal", "z_harm"):
        assert e3.kwargs[name] is None, name


def test_dacc_is_told_the_last_scores_efforts_and_first_actions() -> None:
    agent = full_agent()
    dacc = Told(agent.dacc, "forward")
    tick(agent)
    assert torch.equal(dacc.args[1], torch.zeros(6))
    last = agent.last_scores
    agent.act(shown(0, energy=0.25))
    agent.clock.phase_reset()
    agent.act(shown(0, energy=0.25))
    assert torch.equal(dacc.args[0], agent.latent.z_harm_a)
    assert torch.equal(dacc.args[1], -last)
    assert dacc.kwargs["efforts"] == 4.0
    assert torch.equal(dacc.kwargs["classes"], agent.candidates.actions[:, 0, 0].argmax(dim=1))
    assert dacc.kwargs["drive"] == pytest.approx(0.75)
    agent.last_scores = torch.ones(5)
    tick(agent)
    assert torch.equal(dacc.args[1], torch.zeros(6))


def test_dacc_is_told_e3s_precision_and_what_was_done() -> None:
    agent = full_agent()
    agent.e3.running_variance.fill_(0.1)
    dacc = Told(agent.dacc, "forward")
    tick(agent)
    assert dacc.kwargs["precision"] == pytest.approx(1 / (0.1 + 1e-6), rel=1e-4)
    done = agent.act(shown()).action
    assert list(agent.dacc._actions) == [done, done]
    for signal in (-0.5, 0.3, 0.0):
        agent.update_residue(signal)
    assert list(agent.dacc._outcomes) == ["harm", "benefit", "none"]


def test_the_coordinator_is_told_what_dacc_found_and_the_drive() -> None:
    agent = full_agent()
    dacc = Told(agent.dacc, "forward")
    agent.act(shown(0, energy=0.5), offline=True)
    signals = agent.salience.signals
    assert signals["dacc_pe"] == dacc.found.pe > 0
    assert signals["dacc_foraging"] == dacc.found.foraging
    assert signals["dacc_difficulty"] == dacc.found.difficulty
    assert signals["drive_level"] == pytest.approx(0.5)
    assert (signals["is_offline"], signals["is_replay"]) == (1.0, 0.0)


def test_the_gate_of_policy_is_that_of_the_same_tick() -> None:
    agent = full_agent(dacc=WEIGHED, apply_gate_to_dacc=True)
    dacc, e3 = Told(agent.dacc, "forward"), Told(agent.e3, "select")
    agent.act(shown(), replay=True)  # the first tick: all of the mode is still external_task
    gate = agent.salience.write_gate("e3_policy")
    assert gate < 0.3
    assert torch.equal(e3.kwargs["score_bias"], dacc.found.bias * gate)


@pytest.mark.parametrize("applied", [False, True])
def test_the_gate_of_policy_scales_dacc_on_request(applied: bool) -> None:
    agent = full_agent(dacc=WEIGHED, apply_gate_to_dacc=applied)
    agent.salience.force_mode({"internal_planning": 1.0})
    tick(agent)
    dacc, e3 = Told(agent.dacc, "forward"), Told(agent.e3, "select")
    tick(agent)
    wanted = dacc.found.bias * (0.5 if applied else 1.0)
    assert torch.equal(e3.kwargs["score_bias"], wanted)
    assert bool(dacc.found.bias.any())


def test_the_rules_gate_is_the_coordinators_after_its_tick() -> None:
    agent = full_agent()
    rule = Told(agent.lateral_pfc, "update")
    agent.act(shown(), replay=True)
    assert rule.args[2] == agent.salience.write_gate("sd_033a") < 0.2
    assert torch.equal(rule.args[0], agent.latent.z_delta)


def test_a_rule_on_the_clock_of_steps_is_updated_once_a_step() -> None:
    agent = small_agent(use_lateral_pfc_analog=True, lateral_pfc={"update_clock": "step"})
    rule = Told(agent.lateral_pfc, "update")
    tick(agent)
    assert rule.calls == 1
    agent.act(shown())
    assert rule.calls == 2


def test_a_goal_counts_while_it_is_active() -> None:
    agent = full_agent(dacc={"goal_weight": 1.0})
    e3, dacc = Told(agent.e3, "select"), Told(agent.dacc, "forward")
    tick(agent)
    assert e3.kwargs.get("goal", 0) is None
    assert dacc.kwargs.get("goal_proximity", 0) is None
    agent.update_residue(0.3)
    assert agent.goal.active
    tick(agent, 1)
    assert torch.equal(e3.kwargs["goal"], agent.goal.z_goal[0])
    near = agent.goal.proximity(agent.candidates.world_states[:, 0]).max(dim=1).values
    assert torch.equal(dacc.kwargs["goal_proximity"], near)


def test_the_goal_is_seeded_by_benefit_under_drive() -> None:
    for energy, seeded in ((1.0, False), (0.2, True)):
        agent = small_agent(use_goal=True)
        agent.act(shown(0, energy))
        agent.update_residue(0.06)
        assert agent.goal.active is seeded
    agent.update_residue(-1.0)
    assert agent.goal.z_goal.norm() < agent.latent.z_world.norm()


def test_e3_is_told_the_cue_the_streams_of_harm_and_the_sweep() -> None:
    agent = full_agent(clock={"sweep_period": 2, "sweep_steps": 1, "sweep_amplitude": 0.5})
    e3 = Told(agent.e3, "select")
    tick(agent)
    assert e3.kwargs["breath_sweep"] == 0.0
    tick(agent)
    assert e3.kwargs["breath_sweep"] == 0.5
    assert e3.kwargs["terrain_weight"] is agent.cue_terrain_weight
    assert e3.kwargs["action_bias"] is agent.cue_action_bias
    assert e3.kwargs["z_harm"] is agent.latent.z_harm
    assert e3.kwargs["z_harm_a"] is agent.latent.z_harm_a
    assert e3.kwargs["harm_forward"] is agent.harm_forward
