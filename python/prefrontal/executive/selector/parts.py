"""The networks of a PlanSelector: the cue path, E3 and the rule, fitted to contexts and plans.

A context is z_world [context_dim]; a plan is what it adds to the world, z_plan [plan_dim]. E3 sees
a plan as one action that leads from the world state [z_world, 0] to [z_world, z_plan].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ...control.choice.e3 import E3TrajectorySelector
from ...control.choice.e3_config import E3Config
from ...control.choice.residue import ResidueConfig
from ...control.choice.trajectory import Trajectories
from ...control.memory.context_memory import ContextMemory
from ...control.memory.context_memory_config import ContextMemoryConfig
from ...control.memory.e1_config import E1Config
from ...control.memory.e1_cue import CuePath
from ...control.profiles import profile_values
from ...control.rule.lateral_pfc import LateralPFCAnalog
from ...control.rule.lateral_pfc_config import LateralPFCConfig
from .features import RunningScale

if TYPE_CHECKING:
    from .config import PlanSelectionConfig

_HEADS = ("harm_eval_head", "benefit_eval_head")


class PlanCue(CuePath):
    """E1's cue path without E1's predictor: a context alone calls up an action bias and w_harm,
    w_goal. What is written is [z_plan, z_world]."""

    def __init__(self, config: PlanSelectionConfig) -> None:
        super().__init__()
        wide = config.context_dim + config.plan_dim
        memory = ContextMemoryConfig(latent_dim=wide, **profile_values("sound", "memory"))
        self.config = E1Config(
            self_dim=config.plan_dim,
            world_dim=config.context_dim,
            hidden_dim=memory.memory_dim,
            action_object_dim=config.plan_dim,
            memory=memory,
            sd016_enabled=True,
        )
        self.context_memory = ContextMemory(memory)
        self._add_cue_path()


class PlanNetwork(nn.Module):
    """All trained parts of a PlanSelector; a fresh one predicts the same for every plan.

    lately: which kind of plan went well lately, z_plan weighted by (goal - harm). guessing: the
    running error of guessing the average worth, beside E3's running variance. average: of the
    worth, (goal - harm). outcomes, selections, probes: how many there were. trusted: whether E3
    commits.
    """

    lately: Tensor
    guessing: Tensor
    average: Tensor
    outcomes: Tensor
    selections: Tensor
    probes: Tensor
    trusted: Tensor

    def __init__(self, config: PlanSelectionConfig, seed: int) -> None:
        """seed: of the parameters; torch's own generator is left as it was."""
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self.cue = PlanCue(config)
            self.e3 = E3TrajectorySelector(_e3(config))
            self.lateral_pfc = LateralPFCAnalog(_rule(config))
        self.contexts = RunningScale(config.context_dim)
        self.plans = RunningScale(config.plan_dim)
        self.register_buffer("lately", torch.zeros(1, config.plan_dim))
        self.register_buffer("guessing", torch.tensor(self.e3.config.variance_init))
        self.register_buffer("average", torch.zeros(()))
        for name in ("outcomes", "selections", "probes"):
            self.register_buffer(name, torch.zeros((), dtype=torch.int64))
        self.register_buffer("trusted", torch.zeros((), dtype=torch.bool))
        self._begin_neutral()

    @torch.no_grad()
    def _begin_neutral(self) -> None:
        """Start neutral: no predictions and no preferences."""
        ends = [getattr(self.e3, name)[-1] for name in _HEADS]
        ends += [self.cue.cue_terrain_proj, self.cue.cue_action_proj]
        ends += [self.lateral_pfc.rule_bias_head[-1]]
        for layer in ends:
            for parameter in layer.parameters():
                parameter.zero_()

    def worlds(self, z_world: Tensor, z_plan: Tensor) -> Tensor:
        """The world states [K, 2, context_dim + plan_dim] before and after plans [K, plan_dim] in
        contexts [K, context_dim] (or one for all, [1, ..])."""
        contexts = z_world.expand(len(z_plan), -1)
        before = torch.cat([contexts, torch.zeros_like(z_plan)], dim=1)
        return torch.stack([before, torch.cat([contexts, z_plan], dim=1)], dim=1)

    def foreseen(self, worlds: Tensor) -> Tensor:
        """Harm and use [B, 2], 0..1, that E3's heads read off the world states [B, ..]."""
        return torch.stack([self.e3.harm_eval(worlds), self.e3.benefit_eval(worlds)], dim=1)

    def rule_biases(self, rules: Tensor, summaries: Tensor) -> Tensor:
        """The biases [B] of plans [B, ..], each under a rule of its own [B, R]."""
        raw = self.lateral_pfc.rule_bias_head(torch.cat([rules, summaries], dim=1)).squeeze(1)
        scale = self.lateral_pfc.config.bias_scale
        bias: Tensor = scale * torch.tanh(raw / scale)
        return bias

    def candidates(self, z_world: Tensor, z_plan: Tensor) -> Trajectories:
        """Plans [K, plan_dim] in one context [1, context_dim], as E3 takes them.

        Their action objects are what sets them apart from each other.
        """
        worlds = self.worlds(z_world, z_plan)[:, None]
        apart = (z_plan - z_plan.mean(dim=0))[:, None, None]
        return Trajectories(worlds[..., :1], worlds, apart[..., :1], apart)


def _e3(config: PlanSelectionConfig) -> E3Config:
    """E3 without surprise and residue: what a plan does to the world is only known by outcomes."""
    wide = config.context_dim + config.plan_dim
    return E3Config(
        world_dim=wide,
        f_weight=0.0,
        rho=0.0,
        benefit_enabled=True,
        benefit_min_samples=config.least_outcomes,
        temperature=config.temperature,
        variance_init=0.25,
        variance_alpha=config.variance_alpha,
        affordance_mode="e3_score",
        affordance_kappa=config.kappa,
        warn_world_harm=False,
        residue=ResidueConfig(world_dim=wide, num_centres=1, hidden_dim=1),
    )


def _rule(config: PlanSelectionConfig) -> LateralPFCConfig:
    return LateralPFCConfig(
        use_lateral_pfc_analog=True,
        delta_dim=config.plan_dim,
        world_dim=config.context_dim + config.plan_dim,
        head="trained",
        bias_scale=config.bias_scale,
        bias_bound="tanh",
        candidate_summary="t1",
        persistent_rule_state=True,
    )
