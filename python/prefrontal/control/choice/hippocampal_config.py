"""Sizes and numbers of the proposals."""

from __future__ import annotations

from dataclasses import dataclass

from .. import field_checks


@dataclass(frozen=True, slots=True)
class HippocampalConfig:
    """How many candidates are proposed, how long, and in how many iterations.

    horizon: actions of a candidate; an agent's preset has 30, more than E1 predicts ahead.
    elite_fraction: of the candidates, the share that is refitted on, but at least two.
    soft_temperature: of the weights that stand for elites in the differentiable form.
    """

    world_dim: int = 32
    action_dim: int = 4
    action_object_dim: int = 16
    hidden_dim: int = 128
    horizon: int = 10
    num_candidates: int = 32
    num_cem_iterations: int = 3
    elite_fraction: float = 0.2
    soft_temperature: float = 1.0

    def __post_init__(self) -> None:
        field_checks.whole(self, 1, "world_dim", "action_dim", "action_object_dim", "hidden_dim")
        field_checks.whole(self, 1, "horizon", "num_cem_iterations")
        field_checks.whole(self, 2, "num_candidates")
        field_checks.above(self, 0.0, "soft_temperature")
        field_checks.within(self, 0.0, 1.0, "elite_fraction")

    @property
    def n_elite(self) -> int:
        """How many candidates are refitted on."""
        return max(2, int(self.num_candidates * self.elite_fraction))
