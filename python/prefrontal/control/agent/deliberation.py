"""One tick of E3: dACC, then the coordinator, then the rule, then the choice among candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from ..choice.dacc import DACCAdaptiveControl
    from ..choice.e3 import E3TrajectorySelector
    from ..choice.e3_choice import E3Selection
    from ..choice.goal import GoalState
    from ..choice.harm_forward import ResidualHarmForward
    from ..choice.salience import SalienceCoordinator
    from ..choice.trajectory import Trajectories
    from ..latent.latent import LatentState
    from ..rule.lateral_pfc import LateralPFCAnalog


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The moment of a tick, beside the agent's state.

    sweep: by how much the threshold of commitment is lowered; replay, offline: what the agent is
    occupied with; drive: 0 sated, 1 starved.
    """

    sweep: float = 0.0
    replay: bool = False
    offline: bool = False
    drive: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Deliberation:
    """The parts that bias a choice, and the state they are brought up to date with.

    last_scores: of the previous tick, None in the first. gate_dacc: whether the coordinator's gate
    of the policy scales the bias of dACC.
    """

    e3: E3TrajectorySelector
    dacc: DACCAdaptiveControl | None
    salience: SalienceCoordinator | None
    lateral_pfc: LateralPFCAnalog | None
    goal: GoalState | None
    harm_forward: ResidualHarmForward | None
    latent: LatentState
    last_scores: Tensor | None
    cue_action_bias: Tensor | None
    cue_terrain_weight: Tensor | None
    gate_dacc: bool
    now: Circumstances

    def choose(self, candidates: Trajectories, generator: torch.Generator | None) -> E3Selection:
        """The selection, once all biases are up to date."""
        bias, gain = self._dacc_bias(candidates), None
        gate = self._tick_coordinator()
        if bias is not None and self.gate_dacc and self.salience is not None:
            bias = bias * self.salience.write_gate("e3_policy")
        pfc, latent = self.lateral_pfc, self.latent
        if pfc is not None:
            if pfc.config.update_clock == "e3":
                pfc.update(latent.z_delta, latent.z_world, gate)
            ruled = pfc.compute_bias(pfc.summarise(candidates))
            if pfc.config.bias_form == "gain":
                gain = ruled
            else:
                bias = ruled if bias is None else bias + ruled
        goal = self.goal
        return self.e3.select(
            candidates,
            terrain_weight=self.cue_terrain_weight,
            score_bias=bias,
            score_gain=gain,
            z_harm=latent.z_harm,
            z_harm_a=latent.z_harm_a,
            goal=goal.z_goal[0] if goal is not None and goal.active else None,
            harm_forward=self.harm_forward,
            action_bias=self.cue_action_bias,
            breath_sweep=self.now.sweep,
            generator=generator,
        )

    def _dacc_bias(self, candidates: Trajectories) -> Tensor | None:
        """The bias [K] of dACC, whose signals go to the coordinator; None without a dACC."""
        dacc, latent, goal = self.dacc, self.latent, self.goal
        if dacc is None:
            return None
        assert latent.z_harm_a is not None
        count, scores = len(candidates), self.last_scores
        near = None
        if goal is not None and goal.active and dacc.config.goal_weight != 0:
            near = goal.proximity(candidates.world_states).amax(dim=2).mean(dim=1)
        known = scores is not None and len(scores) == count
        control = dacc(
            latent.z_harm_a,
            -scores if known and scores is not None else latent.z_world.new_zeros(count),
            efforts=float(candidates.horizon),
            classes=candidates.first_actions[:, 0].argmax(dim=-1),
            precision=self.e3.precision,
            drive=self.now.drive,
            goal_proximity=near,
        )
        if self.salience is not None:
            for name, value in control.signals().items():
                self.salience.update_signal(name, value)
        bias: Tensor = control.bias
        return bias

    def _tick_coordinator(self) -> float:
        """Let the coordinator take in its signals; the gate of the rule."""
        if self.salience is not None:
            signals = {"drive_level": self.now.drive}
            self.salience.tick(signals, is_replay=self.now.replay, is_offline=self.now.offline)
        return rule_gate(self.salience)


def rule_gate(salience: SalienceCoordinator | None) -> float:
    """How open the rule is to what is sensed; 1 without a coordinator."""
    return 1.0 if salience is None else salience.write_gate("sd_033a")
