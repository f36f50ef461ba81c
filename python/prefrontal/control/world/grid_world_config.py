"""The configuration of CausalGridWorldV2, and its presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

Profile = Literal["upstream", "fixed"]
"""upstream keeps the quirks of the reference, fixed repairs them (the table: docs/control.md)."""

TRANSITIONS = (
    "none",
    "env_caused_hazard",
    "agent_caused_hazard",
    "resource",
    "hazard_approach",
    "benefit_approach",
)
"""What a step can lead to, by the codes of the compiled core."""

DONE_CAUSES = (None, "health", "steps")
"""Why an episode ended, by the codes of the compiled core."""


@dataclass(frozen=True, slots=True)
class GridWorldConfig:
    """The numbers of the world; the defaults are those of the reference.

    size: rows and columns, the border of walls included, 3 to 128.
    decay: of the fields, per cell of Manhattan distance.
    drift_prob: that a hazard moves, each `drift_interval` steps.
    harm_scale, benefit_scale: of the fields, at contact and near by (`approach_threshold`).
    restoration: what a resource gives to health and energy, as a part of `resource_benefit`.
    contamination_spread: what the agent leaves on a cell; at `contamination_threshold` it harms.
    exposure_alpha, harm_ema_alpha: of the averages in `body` and `harm`, and in `harm_a`.
    persist_harm_ema: whether `harm_a` outlives a reset; None: as the profile says.

    Values are checked where a world is made of them, which raises ValueError naming the field.
    """

    size: int = 10
    num_hazards: int = 3
    num_resources: int = 5
    max_steps: int = 500
    drift_interval: int = 5
    drift_prob: float = 0.3
    decay: float = 0.5
    hazard_harm: float = 0.5
    contaminated_harm: float = 0.4
    resource_benefit: float = 0.3
    harm_scale: float = 0.05
    benefit_scale: float = 0.03
    approach_threshold: float = 0.15
    restoration: float = 0.5
    energy_decay: float = 0.01
    contamination_spread: float = 0.5
    contamination_threshold: float = 2.0
    exposure_alpha: float = 0.1
    harm_ema_alpha: float = 0.05
    resource_respawn_on_consume: bool = False
    persist_harm_ema: bool | None = None
    profile: Profile = "upstream"

    @classmethod
    def preset(cls, name: str, **changes: Any) -> GridWorldConfig:
        """A preset, with some fields changed: "default" or "contrast14".

        contrast14 is the world of the experiments: large and with one hazard, so that both safe
        and dangerous places are met often. Raises ValueError for an unknown name.
        """
        if name not in _PRESETS:
            raise ValueError(f"preset must be one of {', '.join(_PRESETS)}, got {name!r}")
        return cls(**{**_PRESETS[name], **changes})

    def core_options(self) -> dict[str, Any]:
        """The fields as the compiled core takes them."""
        options = dataclasses.asdict(self)
        if self.persist_harm_ema is None:
            del options["persist_harm_ema"]
        return options


_PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "contrast14": {
        "size": 14,
        "num_hazards": 1,
        "num_resources": 3,
        "resource_respawn_on_consume": True,
        "drift_prob": 0.3,
        "contamination_spread": 0.0,
        "decay": 0.5,
    },
}


def configured(config: GridWorldConfig | str | None, changes: dict[str, Any]) -> GridWorldConfig:
    """The configuration from the arguments of an environment's constructor.

    config: one, the name of a preset, or None for the defaults. Raises TypeError for a field that
    does not exist.
    """
    names = {field.name for field in dataclasses.fields(GridWorldConfig)}
    for name in changes:
        if name not in names:
            raise TypeError(f"option must be a field of GridWorldConfig, got {name!r}")
    if isinstance(config, str):
        return GridWorldConfig.preset(config, **changes)
    return dataclasses.replace(config or GridWorldConfig(), **changes)
