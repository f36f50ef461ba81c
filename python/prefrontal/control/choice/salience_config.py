"""The operating modes, their signals, and the memories that each may write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..field_checks import Amount, Positive, check_fields

__all__ = ["AFFINITIES", "MODES", "WRITE_WEIGHTS", "SalienceConfig"]

Table = Mapping[str, Mapping[str, float]]

MODES = ("external_task", "internal_planning", "internal_replay", "offline_consolidation")

AFFINITIES: Table = {
    "dacc_pe": {"internal_planning": 1.0, "internal_replay": 0.5},
    "dacc_foraging": {"internal_planning": 1.0, "internal_replay": 0.3},
    "dacc_difficulty": {"internal_planning": 0.5},
    "drive_level": {"external_task": 1.0},
    "is_offline": {"offline_consolidation": 5.0},
    "is_replay": {"internal_replay": 5.0},
    "aic_salience": {"internal_planning": 1.0},
    "pcc_stability": {},
    "pacc_autonomic": {"external_task": 0.3},
}
"""Signal -> mode -> how much a unit of it adds to the mode's logit."""

WRITE_WEIGHTS: Table = {
    target: dict(zip(MODES, weights, strict=True))
    for target, weights in {
        "sd_033a": (1.0, 1.0, 0.05, 0.3),
        "sd_033b": (1.0, 0.5, 0.05, 0.3),
        "sd_033c": (1.0, 0.5, 0.5, 0.3),
        "sd_033d": (1.0, 1.0, 0.05, 0.3),
        "hc_viability": (1.0, 0.5, 1.0, 0.3),
        "sensory_buffer": (0.3, 0.3, 1.0, 1.0),
        "autonomic": (1.0, 0.3, 0.3, 0.3),
        "e3_policy": (1.0, 0.5, 0.05, 0.3),
    }.items()
}
"""Target -> mode -> how open its gate is in that mode.

sd_033a: lateral PFC; b: OFC; c: ventromedial PFC; d: premotor and supplementary motor area.
"""


@dataclass(frozen=True, slots=True)
class SalienceConfig:
    """Modes, their logits, switches between them, and the gates of their writes.

        logit_m = [m is default_mode] default_logit + sum over signals of value affinity[signal][m]
        p = softmax(logit / (temperature exp(clip(aic_gain aic - pcc_gain pcc, -4, 4))))
        salience = sum over signals of value salience_weights[signal]

    A switch to the mode of the largest p takes a salience above its enter threshold x
    (1 + stability_scaling pcc_stability), and a p of the present mode below its exit threshold.
    enter_thresholds, exit_thresholds: for single modes, in place of switch_threshold and
    exit_threshold; together a Schmitt trigger. affinity_input_cap: the largest value, either way,
    with which a signal enters the logits (not the salience); None: none.
    stability_scaling's default is this project's choice: the source names no number.
    """

    modes: tuple[str, ...] = MODES
    default_mode: str = "external_task"
    default_logit: float = 1.0
    temperature: Positive = 1.0
    aic_gain: float = 0.0
    pcc_gain: float = 0.0
    affinity_input_cap: Amount | None = None
    switch_threshold: float = 1.0
    exit_threshold: float = 1.0
    stability_scaling: float = 1.0
    enter_thresholds: Mapping[str, float] = field(default_factory=dict)
    exit_thresholds: Mapping[str, float] = field(default_factory=dict)
    salience_weights: Mapping[str, float] = field(
        default_factory=lambda: {"dacc_pe": 1.0, "aic_salience": 1.0}
    )
    affinities: Table = field(default_factory=lambda: AFFINITIES)
    write_weights: Table = field(default_factory=lambda: WRITE_WEIGHTS)

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError, naming the field."""
        if not isinstance(self.modes, tuple) or not all(isinstance(it, str) for it in self.modes):
            raise TypeError(f"modes must be a tuple of names, got {self.modes!r}")
        if not self.modes or len(set(self.modes)) < len(self.modes):
            raise ValueError(f"modes must be different names, at least one, got {self.modes!r}")
        if self.default_mode not in self.modes:
            known = ", ".join(self.modes)
            raise ValueError(f"default_mode must be one of {known}, got {self.default_mode!r}")
        check_fields(self)
        for name in ("affinities", "write_weights"):
            for key, row in getattr(self, name).items():
                if not isinstance(row, Mapping):
                    raise TypeError(f"{name}[{key!r}] must be a Mapping, got {row!r}")

    @classmethod
    def for_agent(cls) -> SalienceConfig:
        """The configuration of an agent: foraging adds half of itself to the salience."""
        weights = {"dacc_pe": 1.0, "dacc_foraging": 0.5, "aic_salience": 1.0}
        return cls(salience_weights=weights)
