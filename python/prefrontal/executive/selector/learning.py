"""Trains a PlanNetwork on outcomes.

What a context's precision should be follows from the foreseen harm of the plans in view, by the
terrain targets; what the heads of E3 cannot explain by the present is left to the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy

from ...control.memory.terrain_loss import HAZARD_VIEW, TerrainTargets, terrain_loss
from ...control.rule.rule_training import RuleTraining

if TYPE_CHECKING:
    from .config import PlanSelectionConfig
    from .experience import PlanExperience, PlanOutcomes
    from .parts import PlanNetwork

_SETTLED = 200  # outcomes, after which the average outcome follows the latest


class PlanLearning:
    """Two optimizers and their losses. Gates scale the learning rates; 0 is no step."""

    def __init__(self, network: PlanNetwork, config: PlanSelectionConfig) -> None:
        self.network, self.config = network, config
        self.targets = TerrainTargets(goal_below=0.3)
        self.rule = RuleTraining(network.lateral_pfc, learning_rate=config.learning_rate)
        self.rule.advance()  # P1: nothing but the head
        e3 = network.e3
        parameters = [*e3.harm_eval_head.parameters(), *e3.benefit_eval_head.parameters()]
        of_cue = network.cue.named_parameters()
        parameters += [parameter for name, parameter in of_cue if "write_gate" not in name]
        self.optimizer = torch.optim.AdamW(parameters, weight_decay=config.weight_decay)

    def step(self, experience: PlanExperience, gate: float, generator: torch.Generator) -> None:
        """One step on outcomes that are remembered."""
        if gate <= 0 or len(experience) == 0:
            return
        network = self.network
        drawn = experience.draw(self.config.batch, generator)
        z_world, z_plan = network.contexts(drawn.contexts), network.plans(drawn.plans)
        after = network.worlds(z_world, z_plan)[:, 1]
        noise = torch.empty_like(after).normal_(generator=generator)
        after = after + self.config.blur * noise
        foreseen = network.foreseen(after)
        loss = binary_cross_entropy(foreseen, drawn.results)
        loss = loss + self._cue_loss(z_world, z_plan, drawn.results)
        for optimizer in (self.optimizer, self.rule.optimizer):
            for group in optimizer.param_groups:
                group["lr"] = gate * self.config.learning_rate
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.rule.step(self._rule_loss(drawn, after, foreseen.detach()))

    def _cue_loss(self, z_world: Tensor, z_plan: Tensor, results: Tensor) -> Tensor:
        """Of the precision weights, and of the action bias: toward what went well."""
        action_bias, terrain = self.network.cue.extract_cue_context(z_world)
        weights = self.targets(self._hazards(z_world, z_plan, results))
        well = (results[:, 1] * (1 - results[:, 0]))[:, None]
        distance = (well * (action_bias - z_plan).square()).mean()
        return terrain_loss(terrain, weights) + distance

    @torch.no_grad()
    def _hazards(self, z_world: Tensor, z_plan: Tensor, results: Tensor) -> Tensor:
        """The hazard in view [B, 25]: the foreseen harm of 25 of the plans in each context, and
        the harm that was done there."""
        rows, kinds = len(z_world), z_plan[:HAZARD_VIEW]
        kinds = kinds.repeat(-(-HAZARD_VIEW // len(kinds)), 1)[:HAZARD_VIEW]
        contexts = z_world.repeat_interleave(HAZARD_VIEW, dim=0)
        worlds = self.network.worlds(contexts, kinds.repeat(rows, 1))[:, 1]
        view = self.network.e3.harm_eval(worlds).view(rows, HAZARD_VIEW)
        view[:, 0] = torch.maximum(view[:, 0], results[:, 0])
        return view

    def _rule_loss(self, drawn: PlanOutcomes, after: Tensor, foreseen: Tensor) -> Tensor:
        """A plan that did better than foreseen is to cost less under the rule of that time."""
        surprise = worth_of(drawn.results) - worth_of(foreseen)
        scale = self.config.bias_scale
        bias = self.network.rule_biases(drawn.rules, after)
        return (bias / scale + surprise.clamp(-1, 1)).square().mean()

    @torch.no_grad()
    def judge(self, outcome: PlanOutcomes) -> None:
        """Compare the worth that was foreseen for an outcome [1, ..] with the worth it had, and
        with guessing the average: E3 commits where it is clearly nearer, until it is not."""
        network, config = self.network, self.config
        worth = worth_of(outcome.results)
        variance = network.e3.update_running_variance(worth, self.foreseen_worth(outcome))
        network.guessing.lerp_((worth - network.average).square().mean(), config.variance_alpha)
        network.outcomes += 1
        network.e3.record_benefit_samples()
        known, guessed = int(network.outcomes), float(network.guessing)
        network.average.lerp_(worth.squeeze(), 1 / min(known, _SETTLED))
        if bool(network.trusted):
            network.trusted.fill_(variance <= guessed + config.forgiveness)
        elif known >= config.least_outcomes:
            network.trusted.fill_(variance < config.commitment * guessed)

    def foreseen_worth(self, outcome: PlanOutcomes) -> Tensor:
        """Use less harm [B] by E3's heads and by the rule as it stood then."""
        network = self.network
        z_world, z_plan = network.contexts(outcome.contexts), network.plans(outcome.plans)
        after = network.worlds(z_world, z_plan)[:, 1]
        by_rule = network.rule_biases(outcome.rules, after) / self.config.bias_scale
        return worth_of(network.foreseen(after)) - by_rule


def worth_of(results: Tensor) -> Tensor:
    """Goal less harm [B], -1..1, of results [B, 2]."""
    return results[:, 1] - results[:, 0]
