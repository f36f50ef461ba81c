"""E3's weights, its commitment, and where the cue's action bias applies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..field_checks import Amount, Count, Natural, Positive, Share, check_fields
from .residue import ResidueConfig

AffordanceMode = Literal["proposal", "e3_score", "both"]
"""Where the cue's action bias acts: on the proposals (as specified), on the scores, or on both."""


@dataclass(frozen=True, slots=True)
class E3Config:
    """The weights of a trajectory's score, which is lower the better.

    lambda_ethical, rho, f_weight: of harm M, residue Phi and surprise F. affective_harm_scale:
    how much |z_harm_a| raises lambda. benefit_enabled, benefit_weight: of B, from
    `benefit_min_samples` samples on. goal_weight: of G, where a goal is given.
    commitment_threshold: of the running variance, below which the best candidate is taken;
    urgency_weight lowers it with |z_harm_a|, by at most half. temperature: of the choice until
    then. variance_init, variance_alpha: of the running variance.
    affordance_mode, affordance_kappa: e3_score adds -kappa cos(o_0, action_bias) to a score.
    warn_world_harm: warn once when terrain weights a harm that was read off z_world.
    """

    world_dim: Count = 32
    harm_dim: Count = 32
    hidden_dim: Count = 64
    lambda_ethical: float = 1.0
    rho: float = 0.5
    f_weight: float = 1.0
    affective_harm_scale: Amount = 0.0
    benefit_enabled: bool = False
    benefit_weight: float = 1.0
    benefit_min_samples: Natural = 50
    goal_weight: float = 0.0
    commitment_threshold: Amount = 0.4
    urgency_weight: Amount = 0.0
    temperature: Positive = 1.0
    variance_init: Amount = 0.5
    variance_alpha: Share = 0.05
    affordance_mode: AffordanceMode = "proposal"
    affordance_kappa: float = 1.0
    warn_world_harm: bool = True
    residue: ResidueConfig = field(default_factory=ResidueConfig)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.residue.world_dim != self.world_dim:
            raise ValueError(
                f"residue.world_dim must be world_dim ({self.world_dim}), "
                f"got {self.residue.world_dim!r}"
            )
