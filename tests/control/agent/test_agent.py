"""ControlAgent: the order of a step, what is cached, what is detached, what a reset clears."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch

from prefrontal.control import CausalGridWorldV2, ControlAgent, ControlConfig
from prefrontal.control.agent.control_config import ALL_FEATURES
from prefrontal.control.agent.deliberation import rule_gate

from ..agent_cases import same_state, small_agent, walk


def observation(seed: int = 0) -> dict[str, Any]:
    return dict(CausalGridWorldV2().reset(seed=seed)[0])


def test_the_default_agent_has_the_parameters_of_the_specification() -> None:
    agent = ControlAgent(generator=torch.Generator().manual_seed(0))
    owners: tuple[torch.nn.Module, ...]
    assert sum(it.numel() for it in agent.parameters()) == 705_087
    owners = (agent.e1, agent.hippocampal, agent.world_obs_encoder, agent.latent_stack)
    owners += (agent.e2, agent.e3, agent.e3.residue_field, agent.body_obs_encoder)
    counts = [sum(it.numel() for it in part.parameters()) for part in owners]
    assert counts[:7] == [468_768, 122_066, 62_750, 44_816, 41_484, 13_924, 7_393]
    assert sum(counts) == 761_357


def test_a_step_calls_its_parts_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = small_agent(**ALL_FEATURES)
    calls: list[str] = []

    def spy(owner: object, name: str, called: str) -> None:
        real = getattr(owner, name)

        def wrapped(*args: object, **kwargs: object) -> object:
            calls.append(called)
            return real(*args, **kwargs)

        object.__setattr__(owner, name, wrapped)

    spy(agent.latent_stack, "forward", "sense")
    spy(agent.clock, "advance", "clock")
    spy(agent.e1, "forward", "e1")
    spy(agent.e1, "extract_cue_context", "cue")
    spy(agent.hippocampal, "propose", "propose")
    spy(agent.dacc, "forward", "dacc")
    spy(agent.salience, "tick", "salience")
    spy(agent.lateral_pfc, "update", "rule")
    spy(agent.lateral_pfc, "compute_bias", "bias")
    spy(agent.e3, "select", "select")
    agent.act(observation())
    assert calls == [
        *("sense", "clock", "e1", "cue", "propose"),
        *("dacc", "salience", "rule", "bias", "select"),
    ]
    calls.clear()
    choice = agent.act(observation())
    assert choice.selection is None
    assert calls == ["sense", "clock", "e1", "cue"]


def test_harm_makes_the_next_step_a_tick_of_e3_and_leaves_residue() -> None:
    agent = small_agent()
    for signal, ticks in ((0.0, False), (0.3, False), (-0.1, True)):
        agent.act(observation())
        agent.update_residue(signal)
        assert (agent.act(observation()).selection is not None) is ticks
    assert agent.e3.residue_field.weights.sum() == pytest.approx(0.01)
    assert torch.equal(agent.e3.residue_field.centres[0], agent.theta_buffer._moments[-2][0][0])


@pytest.mark.parametrize(("profile", "left"), [("seed", 0.05), ("upstream", 0.15)])
def test_upstream_counts_a_committed_harm_twice(profile: str, left: float) -> None:
    agent = small_agent(profile)
    agent.e3.running_variance.fill_(0.0)
    assert agent.act(observation()).selection.committed
    agent.update_residue(-0.5)
    assert float(agent.e3.residue_field.weights.sum()) == pytest.approx(left)


def test_the_cue_is_asked_by_the_raw_world_and_e3_by_the_mean_of_the_theta_cycle() -> None:
    agent = small_agent(**ALL_FEATURES)
    agent.act(observation(1))
    agent.clock.phase_reset()
    agent.act(observation(2))
    mean = torch.stack([it[0] for it in agent.theta_buffer._moments]).mean(dim=0)
    assert torch.allclose(agent.candidates.world_states[0, :, 0], mean, atol=1e-6)
    expected = agent.e1.extract_cue_context(agent.latent.z_world)
    assert torch.equal(agent.cue_action_bias, expected[0])
    assert torch.equal(agent.cue_terrain_weight, expected[1])
    assert not torch.allclose(agent.latent.z_world, mean, atol=1e-4)


def test_the_running_variance_takes_in_how_far_the_next_state_fell() -> None:
    agent = small_agent()
    agent.act(observation(1))
    expected = agent.selection.trajectory.world_states[:, 1]
    agent.act(observation(2))
    error = float((agent.latent.z_world - expected).square().mean())
    assert float(agent.e3.running_variance) == pytest.approx(0.95 * 0.5 + 0.05 * error, rel=1e-5)


@pytest.mark.parametrize("between", ["hold", "follow"])
def test_between_ticks_the_action_is_held_or_the_candidate_followed(between: str) -> None:
    agent = small_agent(between_ticks=between)
    first = agent.act(observation(), generator=torch.Generator().manual_seed(0))
    plan = torch.eye(5)[torch.tensor([first.action, 3, 1, 0])]
    first.selection.trajectory.actions[0] = plan
    planned = plan.argmax(dim=1).tolist()
    done = [first.action] + [agent.act(observation()).action for _ in range(4)]
    assert done == ([*planned, planned[-1]] if between == "follow" else [planned[0]] * 5)


def test_nothing_that_is_cached_has_a_graph() -> None:
    agent = small_agent(**ALL_FEATURES, e3={"goal_weight": 1.0})
    walk(agent, 6)
    latent = agent.latent
    cached = [agent.cue_action_bias, agent.cue_terrain_weight, agent.e1_prior, agent.predictions]
    cached += [latent.z_self, latent.z_world, latent.z_beta, latent.z_theta, latent.z_delta]
    cached += [latent.z_harm, latent.z_harm_a, *agent.e1._hidden, agent.lateral_pfc.rule_state]
    cached += [agent.candidates.world_states, agent.candidates.actions, agent.last_scores]
    cached += [agent.goal.z_goal, agent.theta_buffer.summary()[0], agent._expected]
    assert not any(it.requires_grad for it in cached)


def test_a_graph_is_kept_on_request_for_the_head_of_the_rule_alone() -> None:
    head = {"head": "trained"}
    agent = small_agent("sound", **ALL_FEATURES, lateral_pfc=head)
    assert not agent.act(observation()).selection.log_prob.requires_grad
    agent.reset()
    agent.act(observation(), keep_graph=True).selection.log_prob.backward()
    assert any(bool(it.grad.any()) for it in agent.lateral_pfc.rule_bias_head.parameters())
    assert agent.e1.world_query_proj.weight.grad is None
    assert agent.e2.action_object_head[0].weight.grad is None


def test_reset_clears_what_belongs_to_an_episode() -> None:
    agent = small_agent(**ALL_FEATURES)
    walk(agent, 8)
    agent.goal.step(1.0, agent.latent.z_world)
    agent.salience.force_mode({"internal_replay": 1.0})
    assert bool(agent.lateral_pfc.rule_state.any())
    agent.reset()
    assert agent.cue_action_bias is None
    assert agent.cue_terrain_weight is None
    assert agent.latent is None
    assert agent.candidates is None
    assert agent.e1._hidden is None
    assert len(agent.theta_buffer) == 0
    assert not bool(agent.lateral_pfc.rule_state.any())
    assert set(agent.salience.signals.values()) == {0.0}
    assert agent.salience.mode == "external_task"
    assert agent.dacc.pe_ema is None
    assert len(agent.dacc._actions) == len(agent.dacc._outcomes) == 0
    assert not agent.goal.active
    assert agent.act(observation()).tick.step == 0


@pytest.mark.parametrize(("mode", "writes"), [("sense_only", 1), ("both", 1), ("off", 0)])
def test_sensing_writes_the_memory_as_the_mode_says(mode: str, writes: int) -> None:
    agent = small_agent(e1={"sd016_writepath_mode": mode})
    agent.sense(observation())
    counts = agent.e1.context_memory.slot_write_counts
    assert int(counts.sum()) == writes
    agent.act(observation(1))
    assert int(counts.sum()) == 2 * writes  # acting senses once


def test_reset_keeps_what_outlives_an_episode() -> None:
    agent = small_agent(**ALL_FEATURES, e1={"sd016_writepath_mode": "sense_only"})
    slots = agent.e1.context_memory.memory.detach().clone()
    walk(agent, 8)
    agent.act(observation())
    agent.update_residue(-0.5)
    agent.act(observation())
    before = copy.deepcopy(agent.state_dict())
    ticks, remembered, learned = (
        agent.salience.ticks,
        len(agent.e1.experience),
        len(agent.experience),
    )
    assert not torch.equal(agent.e1.context_memory.memory, slots)
    assert float(agent.e3.running_variance) != 0.5
    agent.reset()
    assert same_state(before, agent.state_dict())
    assert float(before["e3.residue_field.weights"].sum()) > 0
    assert (agent.salience.ticks, len(agent.e1.experience)) == (ticks, remembered)
    assert len(agent.experience) == learned > 0


def test_a_reset_agent_repeats_an_episode_to_the_bit_while_nothing_was_learned() -> None:
    agent = small_agent("sound", **ALL_FEATURES)
    again = copy.deepcopy(agent)
    first = [it.action for it in walk(agent, 10)]
    walk(again, 3, seed=9)
    again.reset()
    again.load_state_dict(small_agent("sound", **ALL_FEATURES).state_dict())
    assert [it.action for it in walk(again, 10)] == first


def test_replay_shuts_the_gate_of_the_rule() -> None:
    agent = small_agent(**ALL_FEATURES)
    agent.act(observation())
    awake = rule_gate(agent.salience)
    agent.reset()
    agent.act(observation(), replay=True)
    assert rule_gate(agent.salience) < 0.2 < 0.7 < awake
    assert rule_gate(small_agent().salience) == 1.0


def test_the_rule_may_be_updated_at_every_step() -> None:
    for clock, same in (("e3", True), ("step", False)):
        agent = small_agent(use_lateral_pfc_analog=True, lateral_pfc={"update_clock": clock})
        agent.act(observation())
        rule = agent.lateral_pfc.get_rule_state()
        assert agent.act(observation(1)).selection is None
        assert torch.equal(rule, agent.lateral_pfc.rule_state) is same


def test_allostasis_lifts_the_weight_of_goals_with_the_drive() -> None:
    from prefrontal.control.choice.allostasis import AllostaticCoupling

    agent = small_agent(sd016_enabled=True, allostasis=AllostaticCoupling())
    shown = observation()
    plain = agent.e1.extract_cue_context
    for energy in (1.0, 0.2):
        body = torch.tensor(shown["body"])
        body[3] = energy
        agent.reset()
        agent.act({**shown, "body": body})
        w_harm, w_goal = plain(agent.latent.z_world)[1][0].tolist()
        assert float(agent.cue_terrain_weight[0, 0]) == w_harm
        assert (float(agent.cue_terrain_weight[0, 1]) > w_goal + 0.05) is (energy < 1)


@pytest.mark.parametrize("mode", ["proposal", "e3_score", "both"])
def test_the_action_bias_goes_where_the_mode_says(mode: str) -> None:
    scores = []
    for on in (True, False):
        agent = small_agent(sd016_enabled=True, e3={"affordance_mode": mode})
        agent.e1.cue_action_proj.weight.data.zero_()
        agent.e1.cue_action_proj.bias.data.fill_(1.0 if on else 0.0)
        agent.act(observation(), generator=torch.Generator().manual_seed(1))
        scores.append((agent.candidates.world_states[:, 0, 1], agent.last_scores))
    moved, scored = (not torch.allclose(a, b) for a, b in zip(*scores, strict=True))
    assert moved is (mode != "e3_score")
    assert scored


def test_an_agent_can_be_copied_and_pickled_in_the_middle_of_an_episode() -> None:
    agent = small_agent("sound", **ALL_FEATURES)
    walk(agent, 5)
    agent.learn()
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert twin.hippocampal.e2 is twin.e2
        mine, theirs = (
            it.act(observation(), generator=torch.Generator().manual_seed(2)).action
            for it in (copy.deepcopy(agent), twin)
        )
        assert mine == theirs


def test_an_agent_may_be_of_float64() -> None:
    agent = small_agent(**ALL_FEATURES).double()
    walk(agent, 4)
    assert agent.latent.z_world.dtype == agent.last_scores.dtype == torch.float64


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"body": None}, r"observation must hold 'body', got \['harm', 'harm_a', 'world'\]"),
        ({"body": torch.zeros(11)}, r"body must be of shape \[12\], got \[11\]"),
        ({"world": torch.full((250,), float("nan"))}, "world must be finite, got "),
        ({"harm": None}, "observation must hold 'harm', got "),
    ],
)
def test_an_observation_that_is_none_is_refused(changed: dict[str, object], message: str) -> None:
    agent = small_agent(**ALL_FEATURES)
    shown = {k: v for k, v in {**observation(), **changed}.items() if v is not None}
    with pytest.raises(ValueError, match=message):
        agent.act(shown)
    assert agent.latent is None


def test_a_signal_that_is_none_is_refused() -> None:
    agent = small_agent()
    with pytest.raises(ValueError, match="signal must follow a step, got one before the first"):
        agent.update_residue(-0.1)
    agent.act(observation())
    with pytest.raises(ValueError, match="signal must be finite, got nan"):
        agent.update_residue(float("nan"))


def test_the_presets_horizon_is_that_of_the_agent() -> None:
    config = ControlConfig.from_dims()
    assert (config.hippocampal.horizon, config.e2.rollout_horizon) == (30, 30)
    assert (config.hippocampal.num_candidates, config.hippocampal.num_cem_iterations) == (32, 3)
