"""Sizes and rates of the latents."""

from __future__ import annotations

from dataclasses import dataclass

from .. import field_checks


@dataclass(frozen=True, slots=True)
class LatentConfig:
    """Sizes of observations and latents, and how fast each latent follows.

    alpha_self, alpha_world, alpha_shared: the share of what is new (shared: beta, theta, delta);
    the reference advises 0.9 or more for the world.
    use_harm_stream, use_affective_harm_stream: z_harm and z_harm_a; off, there is no encoder.
    harm_history: earlier values that an affective observation is given with.
    """

    body_obs_dim: int = 12
    world_obs_dim: int = 250
    self_dim: int = 32
    world_dim: int = 32
    beta_dim: int = 64
    theta_dim: int = 32
    delta_dim: int = 32
    topdown_dim: int = 16
    hidden_dim: int = 64
    alpha_self: float = 0.3
    alpha_world: float = 0.3
    alpha_shared: float = 0.3
    use_harm_stream: bool = False
    use_affective_harm_stream: bool = False
    harm_obs_dim: int = 51
    harm_dim: int = 32
    harm_obs_a_dim: int = 50
    harm_history: int = 0
    harm_a_dim: int = 16

    def __post_init__(self) -> None:
        field_checks.whole(self, 1, "body_obs_dim", "world_obs_dim", "self_dim", "world_dim")
        field_checks.whole(self, 1, "beta_dim", "theta_dim", "delta_dim", "topdown_dim")
        field_checks.whole(self, 1, "hidden_dim", "harm_obs_dim", "harm_dim", "harm_obs_a_dim")
        field_checks.whole(self, 1, "harm_a_dim")
        field_checks.whole(self, 0, "harm_history")
        field_checks.within(self, 0.0, 1.0, "alpha_self", "alpha_world", "alpha_shared")
        field_checks.switch(self, "use_harm_stream", "use_affective_harm_stream")
