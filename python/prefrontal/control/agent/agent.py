"""ControlAgent: the parts, wired into one step of an environment.

sense -> clock -> E1 and cue -> candidates, choice (in ticks of E3) -> [environment] -> residue
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..choice.multirate_clock import ClockTick, MultirateClock
from ..choice.salience import SalienceCoordinator
from ..latent.theta_buffer import ThetaBuffer
from ..memory.context_clusters import ContextClusters
from .control_config import ControlConfig
from .deliberation import Circumstances, Deliberation, rule_gate
from .experience import AgentExperience
from .learning import AgentLearning, AgentLosses
from .observation import Observation, Senses, read_observation
from .parts import build_parts

if TYPE_CHECKING:
    from ..choice.dacc import DACCAdaptiveControl
    from ..choice.e2 import E2FastPredictor
    from ..choice.e3 import E3TrajectorySelector
    from ..choice.e3_choice import E3Selection
    from ..choice.goal import GoalState
    from ..choice.harm_forward import ResidualHarmForward
    from ..choice.hippocampal import HippocampalModule
    from ..choice.trajectory import Trajectories
    from ..latent.latent import LatentStack, LatentState, ObservationEncoder
    from ..memory.e1 import E1DeepPredictor
    from ..rule.lateral_pfc import LateralPFCAnalog


@dataclass(frozen=True, slots=True, eq=False)
class ActionChoice:
    """What the agent does in this step. selection: E3's, in its ticks, else None."""

    action: int
    tick: ClockTick
    selection: E3Selection | None


class ControlAgent(nn.Module):
    """An agent for one environment of the grid world's shape; 705,087 parameters by default.

        while not done:
            choice = agent.act(observation)
            observation, signal, terminated, truncated, _ = env.step(choice.action)
            agent.update_residue(signal)
            agent.learn()

    Made in eval mode: acting runs without dropout, and E1's is on within `learn`. The cue's two
    outputs, the latents and the candidates are kept detached between steps. `reset` begins an
    episode; what it clears and what it keeps is a table in docs/control.md.
    """

    body_obs_encoder: ObservationEncoder
    world_obs_encoder: ObservationEncoder
    latent_stack: LatentStack
    e1: E1DeepPredictor
    e2: E2FastPredictor
    e3: E3TrajectorySelector
    hippocampal: HippocampalModule
    harm_forward: ResidualHarmForward | None
    lateral_pfc: LateralPFCAnalog | None
    dacc: DACCAdaptiveControl | None
    goal: GoalState | None
    latent: LatentState | None
    cue_action_bias: Tensor | None
    cue_terrain_weight: Tensor | None
    e1_prior: Tensor | None
    predictions: Tensor | None
    candidates: Trajectories | None
    selection: E3Selection | None
    last_scores: Tensor | None
    _done: Tensor | None
    _expected: Tensor | None
    _signal: float
    drive: float

    def __init__(
        self, config: ControlConfig | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        """config: None for the profile seed without features. generator: of the weights."""
        super().__init__()
        self.config = config = config or ControlConfig.from_dims()
        for name, part in build_parts(config, generator).items():
            setattr(self, name, part)
        self.salience = SalienceCoordinator(config.salience) if config.use_salience else None
        self.contexts = None if config.contexts is None else ContextClusters(config.contexts)
        self.clock = MultirateClock(config.clock)
        self.theta_buffer = ThetaBuffer(config.theta_size)
        self.experience = AgentExperience(config.learning.buffer_size)
        self._learning: AgentLearning | None = None
        self.eval()
        self.reset()

    # --- one step ---------------------------------------------------------------------------------

    def act(
        self,
        observation: Observation,
        *,
        replay: bool = False,
        offline: bool = False,
        keep_graph: bool = False,
        generator: torch.Generator | None = None,
    ) -> ActionChoice:
        """Sense, think and choose. observation: the environment's dict (see agent_observation).

        replay, offline: for the coordinator. keep_graph: of bias and choice, so that
        selection.log_prob can teach the rule's head. generator: of proposals and choice.
        Raises ValueError for an observation that is not one.
        """
        senses = self.sense(observation)
        assert self.latent is not None
        tick = self.clock.advance(self.latent.z_beta)
        now = Circumstances(tick.sweep, replay, offline, senses.drive)
        if tick.e1:
            self._tick_e1(senses)
        if self.lateral_pfc is not None and self.lateral_pfc.config.update_clock == "step":
            self.lateral_pfc.update(
                self.latent.z_delta, self.latent.z_world, rule_gate(self.salience)
            )
        selection = None
        if tick.e3 or self.selection is None:
            selection = self._tick_e3(now, keep_graph, generator)
        action = self._next_action(fresh=selection is not None)
        self._record_action(action)
        return ActionChoice(action, tick, selection)

    @torch.no_grad()
    def sense(self, observation: Observation) -> Senses:
        """Process an observation: updates latents, theta buffer, memory, experience, E3's variance.

        Called by `act`; call it alone for the last observation of an episode, to learn from it.
        """
        senses = read_observation(observation, self.config.latent, self.e3.residue_field.weights)
        before = self.latent
        latent = self.latent_stack(
            self.body_obs_encoder(senses.body),
            self.world_obs_encoder(senses.world),
            before,
            harm=senses.harm,
            harm_a=senses.harm_a,
        )
        self.latent = latent
        self.theta_buffer.append(latent.z_world, latent.z_self)
        self.e1.write_on_sense(torch.cat([latent.z_self, latent.z_world], dim=-1))
        if before is not None and self._done is not None:
            self.experience.add_transition(before, self._done, self._signal, latent)
        if self._expected is not None:
            self.e3.update_running_variance(latent.z_world, self._expected)
        self._done = self._expected = None
        self._signal, self.drive = 0.0, senses.drive
        return senses

    def update_residue(self, signal: float) -> None:
        """Process the reward of the step: below 0 harm, above 0 benefit.

        Harm leaves residue where the agent was and makes the next step a tick of E3. Raises
        ValueError for what is not finite, and before the first step.
        """
        if not math.isfinite(signal):
            raise ValueError(f"signal must be finite, got {signal!r}")
        if self.latent is None:
            raise ValueError("signal must follow a step, got one before the first")
        z_world, signal = self.latent.z_world, float(signal)
        self._signal = signal
        if signal < 0:
            self._leave_residue(z_world, -signal)
            self.clock.phase_reset()
        if self.contexts is not None:
            self.contexts.observe(z_world, signal)
        if self.dacc is not None:
            self.dacc.record_outcome("harm" if signal < 0 else "benefit" if signal > 0 else "none")
        if self.goal is not None:
            self.goal.step(max(signal, 0.0), z_world, self.drive)

    def learn(self, generator: torch.Generator | None = None) -> AgentLosses:
        """One training step on the agent's experience, with the agent's own optimizers."""
        if self._learning is None or not self._learning.fits():
            self._learning = AgentLearning(
                self.config,
                self.experience,
                self.contexts,
                e1=self.e1,
                e2=self.e2,
                e3=self.e3,
                hippocampal=self.hippocampal,
                harm_forward=self.harm_forward,
            )
        return self._learning.step(generator)

    def reset(self) -> None:
        """Begin an episode. Experience, residue, running variance and parameters are kept."""
        self.e1.reset_hidden_state()
        self.latent = self.cue_action_bias = self.cue_terrain_weight = None
        self.e1_prior = self.predictions = None
        self.candidates = self.selection = self.last_scores = None
        self._done = self._expected = None
        self._signal, self.drive, self._since = 0.0, 0.0, 0
        self.theta_buffer.reset()
        self.clock.reset()
        if self.contexts is not None:
            self.contexts.end_episode()
        for part in (self.salience, self.lateral_pfc, self.dacc, self.goal):
            if part is not None:
                part.reset()

    # --- parts of a step --------------------------------------------------------------------------

    @torch.no_grad()
    def _tick_e1(self, senses: Senses) -> None:
        """Predict and remember; and with a cue path ask it, by z_world alone."""
        assert self.latent is not None
        z_world = self.latent.z_world
        state = torch.cat([self.latent.z_self, z_world], dim=-1)
        self.predictions, self.e1_prior = self.e1(state)
        self.e1.remember(state)
        if not self.config.e1.sd016_enabled:
            return
        action_bias, terrain = self.e1.extract_cue_context(z_world)
        if self.config.allostasis is not None:
            terrain = self.config.allostasis(terrain, senses.drive)
        self.cue_action_bias, self.cue_terrain_weight = action_bias, terrain
        if senses.harm is not None:
            self.e1.terrain_targets.observe(senses.harm)
        if senses.harm is not None or self.contexts is not None:
            self.experience.add_cue(z_world, senses.harm)

    def _tick_e3(
        self, now: Circumstances, keep_graph: bool, generator: torch.Generator | None
    ) -> E3Selection:
        """Propose from the mean over the theta cycle, and choose."""
        z_world, z_self = self.theta_buffer.summary()
        biased = self.config.e3.affordance_mode in ("proposal", "both")
        self.candidates = self.hippocampal.propose(
            z_self,
            z_world,
            self.e1_prior,
            action_bias=self.cue_action_bias if biased else None,
            generator=generator,
        )
        with torch.set_grad_enabled(keep_graph):
            selection = self._deliberation(now).choose(self.candidates, generator)
        self.selection, self.last_scores = selection.detach(), selection.scores.detach()
        self._since = 0
        return selection

    def _deliberation(self, now: Circumstances) -> Deliberation:
        assert self.latent is not None
        return Deliberation(
            self.e3,
            self.dacc,
            self.salience,
            self.lateral_pfc,
            self.goal,
            self.harm_forward,
            self.latent,
            self.last_scores,
            self.cue_action_bias,
            self.cue_terrain_weight,
            self.config.apply_gate_to_dacc,
            now,
        )

    def _next_action(self, *, fresh: bool) -> int:
        """The first action of what was chosen, or what the config says between ticks."""
        assert self.selection is not None
        self._since = 0 if fresh else self._since + 1
        actions = self.selection.trajectory.actions[0]
        follow = self.config.between_ticks == "follow"
        return int(actions[min(self._since, len(actions) - 1) if follow else 0].argmax())

    def _leave_residue(self, z_world: Tensor, harm: float) -> None:
        """Where the agent was when it chose; the reference counts a committed step once more."""
        field = self.e3.residue_field
        field.accumulate(z_world, harm)
        committed = self.selection is not None and self.selection.committed
        if self.config.double_residue and committed:
            field.accumulate(z_world, 1.0)

    def _record_action(self, action: int) -> None:
        """Keep the action, and what E3 expects of it."""
        assert self.selection is not None and self.latent is not None
        self._done = self.latent.z_self.new_zeros(1, self.config.e2.action_dim)
        self._done[0, action] = 1.0
        worlds = self.selection.trajectory.world_states
        self._expected = worlds[:, min(self._since + 1, worlds.shape[1] - 1)].detach()
        if self.dacc is not None:
            self.dacc.record_action(action)
