"""Predicts for E3 the harm that is sensed after an action."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, mse_loss

from ..layers import layer_tensors, mlp


class ResidualHarmForward(nn.Module):
    """z_harm' = z_harm + network([z_harm, a]): what an action does to the harm that is sensed."""

    def __init__(
        self,
        harm_dim: int = 32,
        action_dim: int = 5,
        hidden_dim: int = 64,
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.network = mlp(harm_dim + action_dim, hidden_dim, harm_dim, generator=generator)

    def forward(self, z_harm: Tensor, action: Tensor) -> Tensor:
        """z_harm [..., 32] after the action [..., A]."""
        moved: Tensor = z_harm + self.network(torch.cat([z_harm, action], dim=-1))
        return moved

    def rollout(self, z_harm: Tensor, actions: Tensor) -> Tensor:
        """z_harm after each action: [N, H, 32] from z_harm [N, 32] and actions [N, H, A].

        The first layer meets the actions of all steps at once: half the work of calling the
        module step by step.
        """
        first, bias, second, last = layer_tensors(self.network)
        felt, back = first[:, : z_harm.shape[1]].t(), second.t()
        of_actions = linear(actions, first[:, z_harm.shape[1] :], bias)
        states = []
        for step in of_actions.unbind(1):
            hidden = torch.addmm(step, z_harm, felt).relu_()
            z_harm = torch.addmm(last, hidden, back) + z_harm
            states.append(z_harm)
        return torch.stack(states, dim=1)

    def prediction_loss(self, z_harm: Tensor, action: Tensor, next_z_harm: Tensor) -> Tensor:
        """Mean square error of the next z_harm, towards a target that takes no gradient."""
        return mse_loss(self(z_harm, action), next_z_harm.detach())
