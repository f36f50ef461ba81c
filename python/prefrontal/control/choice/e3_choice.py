"""Weights and biases scores, and chooses a candidate."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from .trajectory import Trajectories, Trajectory

if TYPE_CHECKING:
    from .e3_config import E3Config


class TerrainOnWorldWarning(UserWarning):
    """Terrain weights a harm that was predicted from z_world, not from the harm stream."""


@dataclass(frozen=True, slots=True, eq=False)
class E3Selection:
    """The choice.

    scores: [K], lower the better; index and trajectory: the chosen candidate; action: its first
    [B, A]; log_prob: of the choice under softmax(-scores / T), with its graph; committed: whether
    the best was taken rather than drawn; precision: 1 / (running variance + 1e-6).
    """

    scores: Tensor
    index: int
    trajectory: Trajectory
    action: Tensor
    precision: float
    log_prob: Tensor
    committed: bool

    def detach(self) -> E3Selection:
        """The same choice without a graph."""
        return replace(
            self,
            scores=self.scores.detach(),
            trajectory=self.trajectory.detach(),
            action=self.action.detach(),
            log_prob=self.log_prob.detach(),
        )


def stacked(candidates: Trajectories | Sequence[Trajectory]) -> Trajectories:
    """The candidates in one set of tensors. Raises ValueError where there is none."""
    trajectories = candidates
    if not isinstance(trajectories, Trajectories):
        trajectories = Trajectories.stack(trajectories)
    if len(trajectories) == 0:
        raise ValueError("candidates must hold at least one trajectory, got 0")
    return trajectories


def weighted(
    terms: Tensor, config: E3Config, terrain_weight: Tensor | None, z_harm_a: Tensor | None
) -> Tensor:
    """J [K, B] from F, M, Phi, B, G [K, B, 5].

    Raises ValueError for a terrain_weight that is neither [B, 2] nor [1, 2].
    """
    agents = terms.shape[1]
    c = config
    weights = terms.new_tensor(
        [c.f_weight, c.lambda_ethical, c.rho, -c.benefit_weight, -c.goal_weight]
    )
    if terrain_weight is not None:
        if terrain_weight.ndim != 2 or terrain_weight.shape[1] != 2:
            shape = list(terrain_weight.shape)
            raise ValueError(f"terrain_weight must be shaped [{agents}, 2] or [1, 2], got {shape}")
        _expect_agents("terrain_weight", terrain_weight, agents)
        harm, goal = terrain_weight.to(terms).unbind(1)
        plain = torch.ones_like(harm)
        weights = weights * torch.stack([plain, harm, plain, goal, goal], dim=1)
    if z_harm_a is not None and c.affective_harm_scale > 0.0:
        _expect_agents("z_harm_a", z_harm_a, agents)
        raised = 1.0 + c.affective_harm_scale * z_harm_a.to(terms).norm(dim=-1)
        plain = torch.ones_like(raised)
        weights = weights * torch.stack([plain, raised, plain, plain, plain], dim=1)
    return (terms * weights).sum(-1)


def biased(scores: Tensor, gain: Tensor | None, bias: Tensor | None) -> Tensor:
    """Mean over the agents of scores [K, B], times gain [K], plus bias [K].

    Raises ValueError for a gain or bias of another shape.
    """
    means = scores.squeeze(1) if scores.shape[1] == 1 else scores.mean(dim=1)
    for name, change in (("score_gain", gain), ("score_bias", bias)):
        if change is not None and change.shape != means.shape:
            wanted, got = list(means.shape), list(change.shape)
            raise ValueError(f"{name} must be shaped {wanted} as the candidates are, got {got}")
    if gain is not None:
        means = means * gain.to(means)
    return means if bias is None else means + bias.to(means)


def choose(
    candidates: Trajectories,
    scores: Tensor,
    committed: bool,
    temperature: float,
    variance: float,
    generator: torch.Generator | None,
) -> E3Selection:
    """The best candidate if committed, else one drawn. Raises ValueError for scores not finite."""
    if not (math.isfinite(temperature) and temperature > 0.0):
        raise ValueError(f"temperature must be finite and above 0, got {temperature!r}")
    values = scores.detach().tolist()
    if not all(map(math.isfinite, values)):
        raise ValueError(f"scores must be finite, got {values!r}")
    coldest = max(temperature, torch.finfo(scores.dtype).tiny)
    chances = log_softmax((scores - scores.detach().amin()) / -coldest, dim=0)
    if committed:
        index = values.index(min(values))
    else:
        index = int(torch.multinomial(chances.detach().exp(), 1, generator=generator))
    followed = candidates[index]
    action, precision = followed.actions[:, 0], 1.0 / (variance + 1e-6)
    return E3Selection(scores, index, followed, action, precision, chances[index], committed)


def warn_of_world_harm() -> bool:
    """Warn where the weighted harm comes from; always True."""
    text = (
        "terrain_weight scales a harm that was read off z_world; give harm_bridge, or harm_forward "
        "and z_harm, for one of the harm stream (E3Config.warn_world_harm=False: say nothing)"
    )
    warnings.warn(text, TerrainOnWorldWarning, stacklevel=4)
    return True


def _expect_agents(name: str, rows: Tensor, agents: int) -> None:
    if rows.shape[0] not in (1, agents):
        raise ValueError(f"{name} must have 1 or {agents} rows, got {rows.shape[0]!r}")
