"""One tick of E3: dACC, then the coordinator, then the rule, then the choice among candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..choice.e3_choice import E3Selection
from ..choice.trajectory import Trajectories

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from .agent import ControlAgent


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a tick of E3 is told besides the agent's state.

    sweep: by how much the threshold of commitment is lowered; replay, offline: what the agent is
    occupied with; drive: 0 sated, 1 starved.
    """

    sweep: float = 0.0
    replay: bool = False
    offline: bool = False
    drive: float = 0.0


def choose_among(
    agent: ControlAgent,
    candidates: Trajectories,
    now: Circumstances,
    generator: torch.Generator | None,
) -> E3Selection:
    """The selection, after all that biases it was brought up to date."""
    bias = _dacc_bias(agent, candidates, now)
    gate = _tick_coordinator(agent, now)
    pfc, latent = agent.lateral_pfc, agent.latent
    gain = None
    if pfc is not None:
        assert latent is not None
        if pfc.config.update_clock == "e3":
            pfc.update(latent.z_delta, latent.z_world, gate)
        ruled = pfc.compute_bias(pfc.summarise(candidates))
        if pfc.config.bias_form == "gain":
            gain = ruled
        else:
            bias = ruled if bias is None else bias + ruled
    return _selection(agent, candidates, now, bias, gain, generator)


def rule_gate(agent: ControlAgent) -> float:
    """How open the rule is to what is sensed; 1 without a coordinator."""
    return 1.0 if agent.salience is None else agent.salience.write_gate("sd_033a")


def _selection(
    agent: ControlAgent,
    candidates: Trajectories,
    now: Circumstances,
    bias: Tensor | None,
    gain: Tensor | None,
    generator: torch.Generator | None,
) -> E3Selection:
    latent, goal = agent.latent, agent.goal
    assert latent is not None
    return agent.e3.select(
        candidates,
        terrain_weight=agent.cue_terrain_weight,
        score_bias=bias,
        score_gain=gain,
        z_harm=latent.z_harm,
        z_harm_a=latent.z_harm_a,
        goal=goal.z_goal[0] if goal is not None and goal.active else None,
        harm_forward=agent.harm_forward,
        action_bias=agent.cue_action_bias,
        breath_sweep=now.sweep,
        generator=generator,
    )


def _dacc_bias(agent: ControlAgent, candidates: Trajectories, now: Circumstances) -> Tensor | None:
    """The bias [K] of dACC, which also tells the coordinator what it found; None without one."""
    dacc, latent, goal = agent.dacc, agent.latent, agent.goal
    if dacc is None:
        return None
    assert latent is not None and latent.z_harm_a is not None
    count, scores = len(candidates), agent.last_scores
    known = scores is not None and len(scores) == count
    weigh_goal = goal is not None and goal.active and dacc.config.goal_weight != 0
    found = dacc(
        latent.z_harm_a,
        -scores if known and scores is not None else latent.z_world.new_zeros(count),
        efforts=float(candidates.horizon),
        classes=candidates.first_actions[:, 0].argmax(dim=-1),
        precision=agent.e3.precision,
        drive=now.drive,
        goal_proximity=_nearest(agent, candidates) if weigh_goal else None,
    )
    if agent.salience is None:
        bias: Tensor = found.bias
        return bias
    for name, value in found.signals().items():
        agent.salience.update_signal(name, value)
    open_for = agent.salience.write_gate("e3_policy") if agent.config.apply_gate_to_dacc else 1.0
    scaled: Tensor = found.bias * open_for
    return scaled


def _nearest(agent: ControlAgent, candidates: Trajectories) -> Tensor:
    """How near each candidate comes to the goal [K]."""
    assert agent.goal is not None
    return agent.goal.proximity(candidates.world_states).amax(dim=2).mean(dim=1)


def _tick_coordinator(agent: ControlAgent, now: Circumstances) -> float:
    """Let the coordinator take in its signals; the gate of the rule."""
    if agent.salience is not None:
        agent.salience.tick(
            {"drive_level": now.drive}, is_replay=now.replay, is_offline=now.offline
        )
    return rule_gate(agent)
