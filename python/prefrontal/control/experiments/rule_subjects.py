"""The subjects of X9: encoders, a rule, a gate, and how the head is taught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..choice.salience import SalienceCoordinator
from ..profiles import profile_values
from ..rule.lateral_pfc import LateralPFCAnalog, LateralPFCConfig
from ..rule.rule_training import RuleTraining, reinforce_loss, rule_label_loss
from .rule_task import Encoder, RuleTask, RuleTrial

OVERRIDE = 19.0
"""A cue with an override of 1 is written whole in one tick: 0.05 (1 + 19) = 1."""


@dataclass(frozen=True, slots=True)
class RuleSubjects:
    """N subjects of one kind of mind: their encoders, their rules, and what opens their gate.

    override: of the cue. delay_mode: what the coordinator is forced into during the delay.
    """

    world: Encoder
    delta: Encoder
    module: LateralPFCAnalog
    salience: SalienceCoordinator
    override: float = 1.0
    delay_mode: str = "internal_replay"

    def hold(self, trial: RuleTrial) -> None:
        """The cue, then the delay with its distractors: the rule is written and held."""
        z_world = self.world(trial.before)
        gate = self._gate("external_task")
        self.module.update(self.delta(trial.cue), z_world, gate, self.override)
        gate = self._gate(self.delay_mode)
        worlds, deltas = self.world(trial.distractors), self.delta(trial.distractors)
        for tick in range(trial.distractors.shape[1]):
            self.module.update(deltas[:, tick], worlds[:, tick], gate)

    def summaries(self, trial: RuleTrial, source: str) -> Tensor:
        """What stands for each candidate [N, 2, 32]: the present state, or that of the choice."""
        choices = trial.candidates.shape[1]
        now = trial.before[:, None].expand(-1, choices, -1)
        seen: Tensor = self.world(now if source == "t0" else trial.candidates)
        return seen

    def _gate(self, mode: str) -> float:
        self.salience.force_mode({mode: 1.0})
        self.salience.tick()
        return self.salience.write_gate("sd_033a")


def made_subjects(seed: int, profile: str, subjects: int) -> RuleSubjects:
    generator = torch.Generator().manual_seed(1000 + seed)
    module = made_module(profile, subjects, generator, head="trained")
    return RuleSubjects(Encoder(generator), Encoder(generator), module, SalienceCoordinator())


def made_module(
    profile: str, subjects: int, generator: torch.Generator, **options: Any
) -> LateralPFCAnalog:
    defaults = {"use_lateral_pfc_analog": True, "override_gain": OVERRIDE, "environments": subjects}
    config = LateralPFCConfig(**profile_values(profile, "lateral_pfc"), **defaults | options)
    return LateralPFCAnalog(config, generator=generator)


def learn_to_see(made: RuleSubjects, task: RuleTask, steps: int) -> None:
    """P0: both encoders learn to give back what they see; no label, no rule."""

    def seen() -> Iterator[Tensor]:
        for _ in range(steps):
            yield torch.cat([task.stimuli(task.any_kinds(96)), task.cues(task.any_kinds(32))])

    made.world.learn(seen())
    made.delta.learn(seen())


def train(
    made: RuleSubjects,
    training: RuleTraining,
    task: RuleTask,
    steps: int,
    *,
    by_reward: bool = False,
) -> list[float]:
    """P1: the head alone learns, from which candidate the rule meant (or, by reward, only from
    whether its own choice was right); the losses."""
    training.advance()
    source = made.module.config.candidate_summary
    rules, losses = len(made.module.rule_state), []
    for _ in range(steps):
        trial = task.trial(task.any_kinds(rules))
        made.module.reset()
        made.hold(trial)
        bias = made.module.compute_bias(training.latent(made.summaries(trial, source)))
        if by_reward:
            loss = _reward_loss(bias, trial, task.generator)
        else:
            loss = rule_label_loss(bias, trial.right, temperature=0.05)
        losses.append(training.step(loss))
    return losses


def _reward_loss(bias: Tensor, trial: RuleTrial, generator: torch.Generator) -> Tensor:
    """REINFORCE: choices are drawn, and those that were right become likelier."""
    odds = torch.log_softmax(-(trial.scores + bias) / 0.05, dim=1)
    chosen = torch.multinomial(odds.detach().exp(), 1, generator=generator)
    reward = (chosen[:, 0] == trial.right).float()
    return reinforce_loss(odds.gather(1, chosen)[:, 0], reward, baseline=reward.mean())
