"""The weights of a DACCAdaptiveControl, 0 by default."""

from __future__ import annotations

from dataclasses import dataclass

from ..field_checks import finite, switch, whole, within

__all__ = ["DACCConfig"]


@dataclass(frozen=True, slots=True)
class DACCConfig:
    """Prediction error, the worth of control, and the bias made of them.

    use_dacc: off, no bias and no memory. bias_weight, interaction_weight, foraging_weight,
    suppression_weight: w, w_i, w_f and w_s of the bias; goal_weight: of goal proximity.
    bias_max_abs: bound of the bias before goal proximity; 0: none.
    effort_cost: of the prediction error, which makes control. dacc_drive_coupling: what a drive
    of 1 adds to the gain. precision_scale, precision_max: the error grows by
    min(precision / precision_scale, precision_max). pe_cap: the largest error; 0: none.
    pe_decay: of the running average of the error. saturation: whether an outcome that keeps coming
    back counts less: 1 / (1 + saturation_slope max(0, n - saturation_free)) for the n-th time among
    the last `memory`. memory: how many outcomes and actions are kept.
    """

    use_dacc: bool = False
    bias_weight: float = 0.0
    interaction_weight: float = 0.0
    foraging_weight: float = 0.0
    suppression_weight: float = 0.0
    goal_weight: float = 0.0
    bias_max_abs: float = 0.0
    effort_cost: float = 0.1
    dacc_drive_coupling: float = 0.0
    precision_scale: float = 500.0
    precision_max: float = 3.0
    pe_cap: float = 0.0
    pe_decay: float = 0.95
    saturation: bool = False
    saturation_slope: float = 0.3
    saturation_free: int = 2
    memory: int = 8

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError, naming the field."""
        switch(self, "use_dacc", "saturation")
        finite(self, "bias_weight", "interaction_weight", "foraging_weight", "suppression_weight")
        finite(self, "goal_weight", "dacc_drive_coupling", "effort_cost")
        within(self, 0, 1e9, "bias_max_abs", "pe_cap", "precision_max", "saturation_slope")
        within(self, 1e-9, 1e9, "precision_scale")
        within(self, 0, 1, "pe_decay")
        whole(self, 1, "memory")
        whole(self, 0, "saturation_free")
