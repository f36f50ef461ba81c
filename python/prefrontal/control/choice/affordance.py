"""The affordance term of a cue's action bias, and the losses that train it.

The acting path hands on a detached bias, so that nothing there can teach it. One of the two losses
here does, and only where it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, log_softmax

if TYPE_CHECKING:
    from .e2 import E2FastPredictor


def affordance_scores(action_objects: Tensor, action_bias: Tensor, kappa: float) -> Tensor:
    """-kappa cos(o_0, action_bias): the score [K, B] of first action objects, lower the better.

    action_objects: [K, B, H, 16] without the bias in them; action_bias: [B, 16] or [1, 16].
    """
    first = action_objects[:, :, 0]
    return -kappa * cosine_similarity(first, action_bias.unsqueeze(0), dim=-1)


def affordance_loss(
    action_bias: Tensor,
    e2: E2FastPredictor,
    z_world: Tensor,
    action: Tensor,
    weight: Tensor | None = None,
) -> Tensor:
    """Mean square distance of the bias from the action object of the action that was executed.

    action_bias [B, 16], z_world [B, 32], action [B, A]. weight [B], at least 0: how well each
    action turned out; the loss is their weighted mean, 0 where all weights are. E2 and z_world
    take no gradient. Raises ValueError for a weight below 0 or of another shape.
    """
    with torch.no_grad():
        wanted = e2.action_object(z_world, action)
    distances = (action_bias - wanted).square().mean(dim=-1)
    if weight is None:
        return distances.mean()
    if weight.shape != distances.shape:
        raise ValueError(
            f"weight must be shaped {list(distances.shape)!r}, got {list(weight.shape)!r}"
        )
    if bool((weight < 0).any()):
        raise ValueError(f"weight must be at least 0, got {float(weight.min())!r}")
    return (distances * weight).sum() / weight.sum().clamp(min=1e-12)


def affordance_policy_loss(
    scores: Tensor,
    action_objects: Tensor,
    action_bias: Tensor,
    chosen: int | Tensor,
    advantage: float | Tensor,
    *,
    kappa: float = 1.0,
    temperature: float = 1.0,
) -> Tensor:
    """REINFORCE through E3's affordance term: -advantage log P(chosen), for one agent.

    scores: [K] of the candidates without the term, which take no gradient; action_objects:
    [K, 1, H, 16]; action_bias: [1, 16], with its graph; chosen: the candidate that was executed;
    advantage: how much better than expected it turned out.
    """
    term = affordance_scores(action_objects.detach(), action_bias, kappa).squeeze(1)
    chances = log_softmax(-(scores.detach() + term) / temperature, dim=0)
    return -advantage * chances[chosen]
