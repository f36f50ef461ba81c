"""Encodes observations into latents: self, world, and slower layers above them.

self, world <- body, world observations        beta <- [self, world]
theta <- beta, delta <- theta                  then once down: delta -> theta -> beta -> both
z = alpha z_new + (1 - alpha) z_before, each layer's output times sigmoid(precision_logit)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from ..field_checks import Count, Natural, Share, check_fields
from ..layers import mlp
from ..seeded_layers import seeded_linear

__all__ = ["DepthEncoder", "LatentConfig", "LatentStack", "LatentState", "ObservationEncoder"]


@dataclass(frozen=True, slots=True)
class LatentConfig:
    """Sizes of observations and latents, and how fast each latent follows.

    alpha_self, alpha_world, alpha_shared: the share of what is new (shared: beta, theta, delta);
    the reference advises 0.9 or more for the world.
    use_harm_stream, use_affective_harm_stream: z_harm and z_harm_a; off, there is no encoder.
    harm_history: earlier values that an affective observation is given with.
    """

    body_obs_dim: Count = 12
    world_obs_dim: Count = 250
    self_dim: Count = 32
    world_dim: Count = 32
    beta_dim: Count = 64
    theta_dim: Count = 32
    delta_dim: Count = 32
    topdown_dim: Count = 16
    hidden_dim: Count = 64
    alpha_self: Share = 0.3
    alpha_world: Share = 0.3
    alpha_shared: Share = 0.3
    use_harm_stream: bool = False
    use_affective_harm_stream: bool = False
    harm_obs_dim: Count = 51
    harm_dim: Count = 32
    harm_obs_a_dim: Count = 50
    harm_history: Natural = 0
    harm_a_dim: Count = 16

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, eq=False)
class LatentState:
    """The latents of B agents, [B, size] each; z_harm and z_harm_a where their streams are on."""

    z_self: Tensor
    z_world: Tensor
    z_beta: Tensor
    z_theta: Tensor
    z_delta: Tensor
    z_harm: Tensor | None = None
    z_harm_a: Tensor | None = None

    def detach(self) -> LatentState:
        """The same numbers without a graph."""
        parts = (self.z_self, self.z_world, self.z_beta, self.z_theta, self.z_delta)
        harms = (None if it is None else it.detach() for it in (self.z_harm, self.z_harm_a))
        return LatentState(*(it.detach() for it in parts), *harms)


class ObservationEncoder(nn.Module):
    """ReLU of a square linear layer, before the stack.

    156 parameters for the body's 12 numbers, 62,750 for the world's 250.
    """

    def __init__(self, width: int, *, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.linear = seeded_linear(width, width, generator=generator)

    def forward(self, observation: Tensor) -> Tensor:
        """[B, width] from [B, width]."""
        return torch.relu(self.linear(observation))


class DepthEncoder(nn.Module):
    """One layer of the stack: (network(x) + topdown(context)) sigmoid(precision_logit)."""

    def __init__(
        self,
        inputs: int,
        hidden: int,
        outputs: int,
        topdown: int | None,
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.network = mlp(inputs, hidden, outputs, generator=generator)
        self.topdown = (
            None if topdown is None else seeded_linear(topdown, outputs, generator=generator)
        )
        self.precision_logit = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        """[B, outputs] from [B, inputs], and from above [B, topdown]."""
        return self.weighted(self.network(x), context)

    def weighted(self, risen: Tensor, context: Tensor | None = None) -> Tensor:
        """The output for a precomputed result of the network, for the top-down pass."""
        if context is not None and self.topdown is not None:
            risen = risen + self.topdown(context)
        return risen * torch.sigmoid(self.precision_logit)


class LatentStack(nn.Module):
    """Encoders of self, world, beta, theta and delta. 44,816 parameters without harm streams.

    The harm latents are encoded beside the stack and not averaged: no share of the world comes
    into z_harm, and the slowness of z_harm_a is that of its observation.
    """

    def __init__(
        self, config: LatentConfig | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        c = self.config = config or LatentConfig()
        wide, down, both = c.hidden_dim, c.topdown_dim, c.self_dim + c.world_dim
        layer = partial(DepthEncoder, generator=generator)
        self.self_encoder = layer(c.body_obs_dim, wide, c.self_dim, down)
        self.world_encoder = layer(c.world_obs_dim, wide, c.world_dim, down)
        self.beta_encoder = layer(both, wide, c.beta_dim, down)
        self.theta_encoder = layer(c.beta_dim, wide, c.theta_dim, down)
        self.delta_encoder = layer(c.theta_dim, wide, c.delta_dim, None)
        self.delta_to_theta = seeded_linear(c.delta_dim, down, generator=generator)
        self.theta_to_beta = seeded_linear(c.theta_dim, down, generator=generator)
        self.beta_to_split = seeded_linear(c.beta_dim, down, generator=generator)
        if c.use_harm_stream:
            self.harm_encoder = mlp(c.harm_obs_dim, wide, c.harm_dim, generator=generator)
        if c.use_affective_harm_stream:
            felt = c.harm_obs_a_dim + c.harm_history
            self.affective_harm_encoder = mlp(felt, wide, c.harm_a_dim, generator=generator)

    def forward(
        self,
        body: Tensor,
        world: Tensor,
        previous: LatentState | None = None,
        *,
        harm: Tensor | None = None,
        harm_a: Tensor | None = None,
    ) -> LatentState:
        """The latents after body [B, 12] and world [B, 250], as the observation encoders give them.

        previous: those of the step before, taken without a graph; None: zeros. harm: [B, 51] and
        harm_a: [B, 50 + history], not passed through an encoder before; read only where their
        stream is on. Raises ValueError for other shapes and for a stream without its observation.
        """
        c = self.config
        _expect("body", body, c.body_obs_dim, len(body))
        _expect("world", world, c.world_obs_dim, len(body))
        new = self._encoded(body, world)
        rates = (c.alpha_self, c.alpha_world, *[c.alpha_shared] * 3)
        before = _earlier(previous, new)
        latents = [_followed(a, z, old) for a, z, old in zip(rates, new, before, strict=True)]
        z_self, z_world, z_beta, z_theta, z_delta = latents
        harms = self._harms(harm, harm_a, len(body))
        return LatentState(z_self, z_world, z_beta, z_theta, z_delta, *harms)

    def _encoded(self, body: Tensor, world: Tensor) -> tuple[Tensor, ...]:
        """Up and down once: (self, world, beta, theta, delta)."""
        of_self, of_world = self.self_encoder.network(body), self.world_encoder.network(world)
        low = [self.self_encoder.weighted(of_self), self.world_encoder.weighted(of_world)]
        of_beta = self.beta_encoder.network(torch.cat(low, dim=-1))
        of_theta = self.theta_encoder.network(self.beta_encoder.weighted(of_beta))
        delta = self.delta_encoder(self.theta_encoder.weighted(of_theta))
        theta = self.theta_encoder.weighted(of_theta, self.delta_to_theta(delta))
        beta = self.beta_encoder.weighted(of_beta, self.theta_to_beta(theta))
        down = self.beta_to_split(beta)
        z_self = self.self_encoder.weighted(of_self, down)
        return z_self, self.world_encoder.weighted(of_world, down), beta, theta, delta

    def _harms(
        self, harm: Tensor | None, harm_a: Tensor | None, rows: int
    ) -> tuple[Tensor | None, Tensor | None]:
        c = self.config
        z_harm = z_harm_a = None
        if c.use_harm_stream:
            z_harm = self.harm_encoder(_expect("harm", harm, c.harm_obs_dim, rows))
        if c.use_affective_harm_stream:
            felt = c.harm_obs_a_dim + c.harm_history
            z_harm_a = self.affective_harm_encoder(_expect("harm_a", harm_a, felt, rows))
        return z_harm, z_harm_a


def _earlier(previous: LatentState | None, new: tuple[Tensor, ...]) -> tuple[Tensor | None, ...]:
    if previous is None:
        return (None,) * len(new)
    p = previous
    return p.z_self, p.z_world, p.z_beta, p.z_theta, p.z_delta


def _followed(alpha: float, new: Tensor, before: Tensor | None) -> Tensor:
    scaled = alpha * new
    return scaled if before is None else scaled + (1.0 - alpha) * before.detach().to(scaled)


def _expect(name: str, tensor: Tensor | None, wide: int, rows: int) -> Tensor:
    if tensor is None:
        raise ValueError(f"{name} must be given where its stream is on, got None")
    if tensor.ndim != 2 or tensor.shape[1] != wide or tensor.shape[0] != rows:
        raise ValueError(f"{name} must be shaped [{rows}, {wide}], got {list(tensor.shape)!r}")
    return tensor
