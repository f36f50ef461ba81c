"""E2: fast forward models of self and world, and action objects.

z_self'  = z_self  + self_transition([z_self, self_action_encoder a])
z_world' = z_world + world_transition([z_world, world_action_encoder a])
o        = action_object_head([z_world, a]) + action_bias
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from ..field_checks import Count, Positive, check_fields
from ..layers import layer_tensors, mlp
from ..ops.rollouts import rollout
from ..seeded_layers import seeded_linear
from .trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class E2Config:
    """Sizes of E2. An agent takes `action_dim` from its environment (5 in the grid world).

    rollout_horizon: of the agent's preset. output_norm_clamp: the world states of a rollout stay
    within this many times the norm of the first; None: they are free.
    """

    self_dim: Count = 32
    world_dim: Count = 32
    action_dim: Count = 4
    hidden_dim: Count = 128
    action_object_dim: Count = 16
    rollout_horizon: Count = 30
    output_norm_clamp: Positive | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class E2FastPredictor(nn.Module):
    """Fast forward models of self and world. 41,484 parameters at an action_dim of 5.

    Latents are [B, 32], actions [B, A] (one-hot or graded), biases [B, 16] or [1, 16].
    """

    def __init__(
        self, config: E2Config | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        c = self.config = config or E2Config()
        wide, actions = c.hidden_dim, c.action_dim
        network = partial(mlp, generator=generator)
        self.self_action_encoder = seeded_linear(actions, actions, generator=generator)
        self.self_transition = network(c.self_dim + actions, wide, wide, c.self_dim)
        self.world_action_encoder = seeded_linear(actions, actions, generator=generator)
        self.world_transition = network(c.world_dim + actions, wide, c.world_dim)
        self.action_object_head = network(c.world_dim + actions, wide, c.action_object_dim)

    def forward(self, z_self: Tensor, z_world: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        """Both latents after the action."""
        return self.predict_next_self(z_self, action), self.world_forward(z_world, action)

    def predict_next_self(self, z_self: Tensor, action: Tensor) -> Tensor:
        """z_self after the action."""
        encoded = self.self_action_encoder(action)
        moved: Tensor = self.self_transition(torch.cat([z_self, encoded], dim=-1))
        return z_self + moved

    def world_forward(self, z_world: Tensor, action: Tensor) -> Tensor:
        """z_world after the action."""
        encoded = self.world_action_encoder(action)
        moved: Tensor = self.world_transition(torch.cat([z_world, encoded], dim=-1))
        return z_world + moved

    def action_object(
        self, z_world: Tensor, action: Tensor, action_bias: Tensor | None = None
    ) -> Tensor:
        """The action as an object of choice in this world [B, 16].

        action_bias is added after the head; None is the same, to the bit, as no such argument.
        """
        encoded: Tensor = self.action_object_head(torch.cat([z_world, action], dim=-1))
        return encoded if action_bias is None else encoded + action_bias

    def rollout_with_world(
        self,
        z_self: Tensor,
        z_world: Tensor,
        actions: Tensor,
        action_bias: Tensor | None = None,
    ) -> Trajectory:
        """The trajectory of actions [B, H, A] from the latents [B, 32].

        Each action object is that of the world state before its action. Raises ValueError where
        shapes do not fit.
        """
        if self.config.output_norm_clamp is not None:
            return self._clamped_rollout(z_self, z_world, actions, action_bias)
        states, world_states, objects = rollout(
            z_self, z_world, actions, self.rollout_parameters(), action_bias
        )
        return Trajectory(states, world_states, actions, objects)

    def rollout_parameters(self) -> list[Tensor]:
        """The 18 tensors that the rollout and proposal operators take, in their order."""
        return [
            *layer_tensors(self.self_action_encoder),
            *layer_tensors(self.self_transition),
            *layer_tensors(self.world_action_encoder),
            *layer_tensors(self.world_transition),
            *layer_tensors(self.action_object_head),
        ]

    def prediction_loss(self, z_self: Tensor, action: Tensor, next_z_self: Tensor) -> Tensor:
        """Mean square error of the next z_self, the loss E2 learns from."""
        return mse_loss(self.predict_next_self(z_self, action), next_z_self)

    def _clamped_rollout(
        self, z_self: Tensor, z_world: Tensor, actions: Tensor, action_bias: Tensor | None
    ) -> Trajectory:
        selves, worlds, objects = [z_self], [z_world], []
        longest = z_world.norm(dim=-1, keepdim=True) * (self.config.output_norm_clamp or inf)
        for action in actions.unbind(1):
            objects.append(self.action_object(worlds[-1], action, action_bias))
            selves.append(self.predict_next_self(selves[-1], action))
            moved = self.world_forward(worlds[-1], action)
            worlds.append(moved * (longest / moved.norm(dim=-1, keepdim=True)).clamp(max=1.0))
        return Trajectory(
            torch.stack(selves, 1), torch.stack(worlds, 1), actions, torch.stack(objects, 1)
        )
