"""The cost of each plan in a situation, by term.

cost_k = w_harm M_k - w_goal B_k - kappa cos(o_k, action_bias) + rule bias_k + order_k
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...control.choice import e3_choice
from ...control.choice.affordance import affordance_scores

if TYPE_CHECKING:
    from ...control.choice.trajectory import Trajectories
    from .config import PlanSelectionConfig
    from .parts import PlanNetwork

Numbers = Mapping[str, float]

_LIKELY = 0.5
_NEVER = 1e3  # the cost of a plan that is not to be drawn


@dataclass(frozen=True, slots=True, eq=False)
class WeighedPlans:
    """candidates: the plans as E3 sees them. terms: name -> its share in the cost of each [K].
    scores: the costs [K]. precision: [2], w_harm and w_goal."""

    candidates: Trajectories
    terms: Mapping[str, Tensor]
    scores: Tensor
    precision: Tensor

    def why(self, index: int) -> tuple[tuple[str, float], ...]:
        """By how much each term makes a plan cheaper than the first, or the first than the best
        of the others; the largest amount first. Empty for a single plan."""
        costs = self.scores.tolist()
        others = [k for k in range(len(costs)) if k != index]
        if not others:
            return ()
        other = min(others, key=costs.__getitem__) if index == 0 else 0
        amounts = [(name, float(it[other] - it[index])) for name, it in self.terms.items()]
        return tuple(sorted(amounts, key=lambda it: -abs(it[1])))


def weighed(
    network: PlanNetwork,
    config: PlanSelectionConfig,
    z_world: Tensor,
    z_plan: Tensor,
    plans: Sequence[Numbers],
) -> WeighedPlans:
    """Plans [K, plan_dim] in the context [1, context_dim]; plans: their features, for the order."""
    e3, rule = network.e3, network.lateral_pfc
    candidates = network.candidates(z_world, z_plan)
    action_bias, weights = network.cue.extract_cue_context(z_world)
    terms_of_e3 = e3.terms(candidates)
    costs = e3_choice.weighted(terms_of_e3, e3.config, weights, None)
    objects = candidates.action_objects
    lean = affordance_scores(objects, action_bias, e3.config.affordance_kappa)
    bias, order = rule.compute_bias(rule.summarise(candidates)), _order(config, plans)
    terms = {
        "foreseen harm": e3.config.lambda_ethical * weights[0, 0] * terms_of_e3[:, 0, 1],
        "foreseen use": -e3.config.benefit_weight * weights[0, 1] * terms_of_e3[:, 0, 3],
        "action bias": lean[:, 0],
        "rule": bias,
        "order": order,
    }
    scores = e3_choice.biased(costs + lean, None, bias + order)
    return WeighedPlans(candidates, terms, scores, weights[0])


def expects_harm(network: PlanNetwork, costs: WeighedPlans, index: int) -> bool:
    """Whether harm is more likely than not after this plan."""
    after = costs.candidates.world_states[index, :, 1]
    return float(network.e3.harm_eval(after)) > _LIKELY


def drawn(
    network: PlanNetwork,
    costs: WeighedPlans,
    plans: Sequence[Numbers],
    best: int,
    generator: torch.Generator,
) -> int:
    """Another plan than the best, as E3 draws before it commits; none with more side effects than
    the first. The best where no other is left."""
    most = plans[0].get("side_effect", 0.0)
    barred = [k == best or it.get("side_effect", 0.0) > most for k, it in enumerate(plans)]
    if all(barred):
        return best
    scores = costs.scores.masked_fill(torch.tensor(barred), _NEVER)
    heat, variance = network.e3.config.temperature, float(network.e3.running_variance)
    chosen = e3_choice.choose(costs.candidates, scores, False, heat, variance, generator)
    return chosen.index


def _order(config: PlanSelectionConfig, plans: Sequence[Numbers]) -> Tensor:
    """The cost of each plan [K] for not being the first one; a lower score costs at most 1."""
    best = plans[0].get("score", 0.0)
    costs = [0.0]
    for place, plan in enumerate(plans[1:], start=1):
        below = min(max(best - plan.get("score", 0.0), 0.0), 1.0)
        costs.append(config.leaving + config.order_weight * below + config.order_step * place)
    return torch.tensor(costs)
