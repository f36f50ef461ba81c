"""E3: scores the candidates and selects one.

    J = f_weight F + lambda_eff w_harm M + rho Phi - benefit_weight w_goal B - goal_weight w_goal G
    lambda_eff = lambda_ethical (1 + affective_harm_scale |z_harm_a|)

F, M, Phi, B and G are those of ops.scores; [w_harm, w_goal] is the cue's terrain weight, which
scales scores and never inputs. Lower is better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..layers import layer_tensors, mlp
from ..ops.scores import score_trajectories
from . import e3_choice
from .affordance import affordance_scores
from .e3_choice import E3Selection, TerrainOnWorldWarning
from .e3_config import E3Config
from .residue import ResidueField
from .trajectory import Trajectories, Trajectory

if TYPE_CHECKING:
    from .harm_forward import ResidualHarmForward

__all__ = ["E3Config", "E3Selection", "E3TrajectorySelector", "TerrainOnWorldWarning"]

HarmBridgeLike = Callable[[Tensor], Tensor]
Candidates = Trajectories | Sequence[Trajectory]


class E3TrajectorySelector(nn.Module):
    """Heads of harm and benefit, the residue field, and the choice. 13,924 parameters.

    `running_variance` and `benefit_samples` are part of a checkpoint and outlive episodes.
    """

    running_variance: Tensor
    benefit_samples: Tensor

    def __init__(
        self, config: E3Config | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        c = self.config = config or E3Config()
        head = partial(mlp, generator=generator)
        self.harm_eval_head = head(c.world_dim, c.hidden_dim, 1)
        self.benefit_eval_head = head(c.world_dim, c.hidden_dim, 1)
        self.harm_eval_z_harm_head = head(c.harm_dim, c.hidden_dim, 1)
        self.residue_field = ResidueField(c.residue, generator=generator)
        self.register_buffer("running_variance", torch.tensor(c.variance_init))
        self.register_buffer("benefit_samples", torch.zeros((), dtype=torch.long))
        self._warned = not c.warn_world_harm

    def harm_eval(self, z_world: Tensor) -> Tensor:
        """How harmful a world state is, in (0, 1): [...] from [..., 32]."""
        logits: Tensor = self.harm_eval_head(z_world)
        return torch.sigmoid(logits).squeeze(-1)

    def benefit_eval(self, z_world: Tensor) -> Tensor:
        """How beneficial a world state is, in (0, 1): [...] from [..., 32]."""
        logits: Tensor = self.benefit_eval_head(z_world)
        return torch.sigmoid(logits).squeeze(-1)

    def harm_eval_z_harm(self, z_harm: Tensor) -> Tensor:
        """How harmful a harm latent is, unbounded: [...] from [..., 32]."""
        harm: Tensor = self.harm_eval_z_harm_head(z_harm)
        return harm.squeeze(-1)

    def terms(
        self,
        candidates: Candidates,
        *,
        z_harm: Tensor | None = None,
        harm_bridge: HarmBridgeLike | None = None,
        harm_forward: ResidualHarmForward | None = None,
        goal: Tensor | None = None,
    ) -> Tensor:
        """F, M, Phi, B and G of each candidate [K, B, 5], unweighted.

        M is that of harm_forward's rollout where it and z_harm [B, 32] are given, else of the
        bridge over all world states where there is one, else of harm_eval. B is 0 unless it
        counts, G without a goal [32].
        """
        drawn = e3_choice.stacked(candidates)
        worlds = drawn.world_states
        columns = score_trajectories(
            worlds.flatten(0, 1),
            layer_tensors(self.harm_eval_head),
            self.residue_field.residue_parameters(),
            bandwidth=self.config.residue.bandwidth,
            benefit=layer_tensors(self.benefit_eval_head) if self.benefit_counts else None,
            goal=goal,
        ).view(*worlds.shape[:2], 5)
        harm = self._foreseen_harm(drawn, z_harm, harm_bridge, harm_forward)
        if harm is None:
            return columns
        return torch.cat([columns[..., :1], harm.unsqueeze(-1), columns[..., 2:]], dim=-1)

    def score(
        self,
        candidates: Candidates,
        *,
        terrain_weight: Tensor | None = None,
        z_harm: Tensor | None = None,
        z_harm_a: Tensor | None = None,
        goal: Tensor | None = None,
        harm_bridge: HarmBridgeLike | None = None,
        harm_forward: ResidualHarmForward | None = None,
    ) -> Tensor:
        """J of each candidate for each agent [K, B], lower the better.

        terrain_weight: [B, 2] or [1, 2], w_harm and w_goal. z_harm: [B, 32]; z_harm_a: [B, 16];
        goal: [32], where one is active. Raises ValueError for no candidates and other shapes.
        """
        drawn = e3_choice.stacked(candidates)
        terms = self.terms(
            drawn, z_harm=z_harm, harm_bridge=harm_bridge, harm_forward=harm_forward, goal=goal
        )
        from_world = harm_bridge is None and (harm_forward is None or z_harm is None)
        if terrain_weight is not None and from_world and not self._warned:
            self._warned = e3_choice.warn_of_world_harm()
        return e3_choice.weighted(terms, self.config, terrain_weight, z_harm_a)

    def select(
        self,
        candidates: Candidates,
        *,
        temperature: float | None = None,
        terrain_weight: Tensor | None = None,
        score_bias: Tensor | None = None,
        score_gain: Tensor | None = None,
        z_harm: Tensor | None = None,
        z_harm_a: Tensor | None = None,
        goal: Tensor | None = None,
        harm_bridge: HarmBridgeLike | None = None,
        harm_forward: ResidualHarmForward | None = None,
        action_bias: Tensor | None = None,
        breath_sweep: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> E3Selection:
        """The candidate to follow: the best once committed, else drawn from softmax(-score / T).

        score_gain [K] multiplies and score_bias [K] is added to the scores, means over the
        agents. action_bias [B, 16] counts in the modes "e3_score" and "both" alone.
        breath_sweep: by what part the threshold is lowered now, 0 to 1. The rest: `score`.
        Raises ValueError for no candidates, other shapes, and scores that are not numbers.
        """
        drawn = e3_choice.stacked(candidates)
        costs = self.score(
            drawn,
            terrain_weight=terrain_weight,
            z_harm=z_harm,
            z_harm_a=z_harm_a,
            goal=goal,
            harm_bridge=harm_bridge,
            harm_forward=harm_forward,
        )
        if action_bias is not None and self.config.affordance_mode != "proposal":
            objects = drawn.action_objects
            costs = costs + affordance_scores(objects, action_bias, self.config.affordance_kappa)
        scores = e3_choice.biased(costs, score_gain, score_bias)
        variance = float(self.running_variance)
        committed = variance < self.threshold(z_harm_a, breath_sweep)
        heat = self.config.temperature if temperature is None else temperature
        return e3_choice.choose(drawn, scores, committed, heat, variance, generator)

    def threshold(self, z_harm_a: Tensor | None = None, breath_sweep: float = 0.0) -> float:
        """The running variance below which E3 commits, now.

        Raises ValueError for a breath_sweep outside 0..1, NaN included.
        """
        if not 0.0 <= breath_sweep <= 1.0:
            raise ValueError(f"breath_sweep must be between 0 and 1, got {breath_sweep!r}")
        threshold = self.config.commitment_threshold * (1.0 - breath_sweep)
        if z_harm_a is not None and self.config.urgency_weight > 0.0:
            felt = float(z_harm_a.detach().norm(dim=-1).mean())
            if not math.isfinite(felt):
                raise ValueError(f"z_harm_a must be finite, got one of length {felt!r}")
            urgency = self.config.urgency_weight * felt
            threshold *= 1.0 - min(urgency, 0.5)
        return threshold

    @property
    def precision(self) -> float:
        """1 / (running variance + 1e-6)."""
        return 1.0 / (float(self.running_variance) + 1e-6)

    @torch.no_grad()
    def update_running_variance(self, z_world: Tensor, predicted: Tensor) -> float:
        """Update the running variance by the error of `predicted`; returns the new variance.

        predicted: `world_states[:, 1]` of the trajectory that was followed. Raises ValueError
        for unequal shapes and for an error that is not finite; then nothing has changed.
        """
        if z_world.shape != predicted.shape:
            raise ValueError(
                f"predicted must be shaped {list(z_world.shape)!r}, got {list(predicted.shape)!r}"
            )
        error = (z_world - predicted).square().mean()
        if not bool(torch.isfinite(error)):
            raise ValueError(f"z_world must be finite and near predicted, got {float(error)!r}")
        self.running_variance.lerp_(error.to(self.running_variance), self.config.variance_alpha)
        return float(self.running_variance)

    def record_benefit_samples(self, samples: int = 1) -> None:
        """Count training samples of the benefit head, used from `benefit_min_samples` on."""
        if samples < 0:
            raise ValueError(f"samples must be at least 0, got {samples!r}")
        self.benefit_samples += samples

    @property
    def benefit_counts(self) -> bool:
        """Whether B is part of the score: enabled, weighted, and trained on enough samples."""
        c = self.config
        if not (c.benefit_enabled and c.benefit_weight > 0.0):
            return False
        return int(self.benefit_samples) >= c.benefit_min_samples

    def _foreseen_harm(
        self,
        drawn: Trajectories,
        z_harm: Tensor | None,
        bridge: HarmBridgeLike | None,
        forward: ResidualHarmForward | None,
    ) -> Tensor | None:
        """M [K, B] of the harm stream; None where it comes from z_world."""
        if forward is not None and z_harm is not None:
            agents = drawn.batch
            if z_harm.ndim != 2 or z_harm.shape[0] not in (1, agents):
                raise ValueError(f"z_harm must have 1 or {agents} rows, got {list(z_harm.shape)}")
            starts = z_harm.expand(len(drawn), agents, -1).flatten(0, 1)
            felt = forward.rollout(starts, drawn.actions.flatten(0, 1))
            return self.harm_eval_z_harm(felt).sum(1).view(len(drawn), agents)
        if bridge is not None:
            return self.harm_eval_z_harm(bridge(drawn.world_states)).sum(2)
        return None
