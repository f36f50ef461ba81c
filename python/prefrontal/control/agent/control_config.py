"""The configuration of an agent: of its parts, and which features are on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..choice.allostasis import AllostaticCoupling
from ..choice.dacc import DACCConfig
from ..choice.e2 import E2Config
from ..choice.e3_config import E3Config
from ..choice.goal import GoalConfig
from ..choice.hippocampal import HippocampalConfig
from ..choice.multirate_clock import MultirateClockConfig
from ..choice.residue import ResidueConfig
from ..choice.salience_config import SalienceConfig
from ..field_checks import Amount, Count, check_fields
from ..latent.latent import LatentConfig
from ..memory.context_clusters import ContextClustersConfig
from ..memory.e1_config import E1Config
from ..profiles import Profile, check_profile, profile_values
from ..rule.lateral_pfc_config import LateralPFCConfig
from ..world.grid_world_config import GridWorldConfig

BetweenTicks = Literal["hold", "follow"]

HORIZON = 30
"""Actions of a candidate in an agent's preset."""
FEATURES = {
    "sd016_enabled": ("e1", "sd016_enabled"),
    "use_lateral_pfc_analog": ("lateral_pfc", "use_lateral_pfc_analog"),
    "use_harm": ("latent", "use_harm_stream"),
    "use_affective_harm": ("latent", "use_affective_harm_stream"),
    "use_dacc": ("dacc", "use_dacc"),
}
"""Flag of `from_dims` -> the part that has it, and its name there."""
ALL_FEATURES: dict[str, Any] = {
    **dict.fromkeys(FEATURES, True),
    "use_salience": True,
    "use_goal": True,
    "use_harm_forward": True,
}
"""Every feature on: `ControlConfig.from_dims(**ALL_FEATURES)`."""


@dataclass(frozen=True, slots=True)
class LearningConfig:
    """How the parts learn from experience. The defaults are those of the specification.

    e2_learning_rate: of Adam; E1 has its own in E1Config. e2_world_weight: of the error of the next
    z_world beside that of the next z_self. At 0, the default, these stay as they were drawn:
    decoder_learning_rate: of the decoder of action objects, taught to invert E2.
    harm_learning_rate: of E3's heads of harm and benefit and of the harm forward model.
    e2_batch, cue_batch: transitions, and cues of the terrain loss, in a step of learning.
    buffer_size: of both; kept when an episode ends.
    """

    e2_learning_rate: Amount = 3e-4
    e2_world_weight: Amount = 0.0
    decoder_learning_rate: Amount = 0.0
    harm_learning_rate: Amount = 0.0
    e2_batch: Count = 16
    cue_batch: Count = 32
    buffer_size: Count = 1000

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class ControlConfig:
    """The parts of a ControlAgent. Use `from_dims`: it fits them together for a profile.

    use_salience, use_goal, use_harm_forward: whether the agent has a coordinator and a goal, and
    foresees harm in the harm stream. Its dACC (dacc.use_dacc) needs the affective harm stream.
    allostasis: the coupling of w_goal to the drive, or None. contexts: learned contexts, whose harm
    and benefit the terrain loss takes in place of the hazard in view, or None.
    double_residue: a committed step that harmed leaves 1.0 besides the harm itself, as upstream.
    apply_gate_to_dacc: multiply dACC's bias by the coordinator's gate "e3_policy".
    between_ticks: what is done in the steps between ticks of E3: the last action again ("hold") or
    the next one of the chosen candidate ("follow").
    """

    profile: Profile = "seed"
    latent: LatentConfig = field(default_factory=LatentConfig)
    e1: E1Config = field(default_factory=E1Config)
    e2: E2Config = field(default_factory=E2Config)
    e3: E3Config = field(default_factory=E3Config)
    hippocampal: HippocampalConfig = field(default_factory=HippocampalConfig)
    lateral_pfc: LateralPFCConfig = field(default_factory=LateralPFCConfig)
    salience: SalienceConfig = field(default_factory=SalienceConfig.for_agent)
    dacc: DACCConfig = field(default_factory=DACCConfig)
    goal: GoalConfig = field(default_factory=GoalConfig)
    clock: MultirateClockConfig = field(default_factory=MultirateClockConfig)
    learning: LearningConfig = field(default_factory=LearningConfig)
    use_salience: bool = False
    use_goal: bool = False
    use_harm_forward: bool = False
    allostasis: AllostaticCoupling | None = None
    contexts: ContextClustersConfig | None = None
    double_residue: bool = False
    apply_gate_to_dacc: bool = False
    between_ticks: BetweenTicks = "hold"
    theta_size: Count = 10

    def __post_init__(self) -> None:
        """Raises ValueError and TypeError naming the field."""
        check_fields(self)
        if self.dacc.use_dacc and not self.latent.use_affective_harm_stream:
            raise ValueError("use_dacc must stand with use_affective_harm, got it without")
        if self.use_harm_forward and not self.latent.use_harm_stream:
            raise ValueError("use_harm_forward must stand with use_harm, got it without")
        for name in ("allostasis", "contexts"):
            if getattr(self, name) is not None and not self.e1.sd016_enabled:
                raise ValueError(f"{name} must stand with sd016_enabled, got it without")
        self._check_widths()

    def _check_widths(self) -> None:
        latent, pfc = self.latent, self.lateral_pfc
        known = self.contexts.world_dim if self.contexts else latent.world_dim
        for name, value, wanted in (
            ("contexts.world_dim", known, latent.world_dim),
            ("e1.self_dim", self.e1.self_dim, latent.self_dim),
            ("e1.world_dim", self.e1.world_dim, latent.world_dim),
            ("e2.self_dim", self.e2.self_dim, latent.self_dim),
            ("e2.world_dim", self.e2.world_dim, latent.world_dim),
            ("e3.world_dim", self.e3.world_dim, latent.world_dim),
            ("e3.harm_dim", self.e3.harm_dim, latent.harm_dim),
            ("hippocampal.world_dim", self.hippocampal.world_dim, latent.world_dim),
            ("hippocampal.action_dim", self.hippocampal.action_dim, self.e2.action_dim),
            ("goal.world_dim", self.goal.world_dim, latent.world_dim),
            ("lateral_pfc.delta_dim", pfc.delta_dim, latent.delta_dim),
            ("lateral_pfc.world_dim", pfc.world_dim, latent.world_dim),
            ("e1.action_object_dim", self.e1.action_object_dim, self.e2.action_object_dim),
        ):
            if value != wanted:
                raise ValueError(f"{name} must be {wanted} as its neighbour's, got {value!r}")
        if self.e2.rollout_horizon <= self.e1.prediction_horizon:
            raise ValueError(
                f"e2.rollout_horizon must be above e1.prediction_horizon "
                f"({self.e1.prediction_horizon}), got {self.e2.rollout_horizon!r}"
            )

    @classmethod
    def from_dims(
        cls,
        body_obs_dim: int = 12,
        world_obs_dim: int = 250,
        action_dim: int = 5,
        *,
        profile: Profile = "seed",
        **changes: Any,
    ) -> ControlConfig:
        """The configuration of an agent for an environment of these sizes.

        changes: flags (FEATURES and the `use_` fields), other fields of this class, or a part's
        name with a mapping of its fields: e1={"prediction_horizon": 10}, memory={...},
        terrain={...}. They go before the profile's. Raises ValueError and TypeError.
        """
        parts: dict[str, dict[str, Any]] = {
            "latent": {"body_obs_dim": body_obs_dim, "world_obs_dim": world_obs_dim},
            "e2": {"action_dim": action_dim, "rollout_horizon": HORIZON},
            "hippocampal": {"action_dim": action_dim, "horizon": HORIZON},
            "salience": {"salience_weights": SalienceConfig.for_agent().salience_weights},
        }
        for name in ("memory", "terrain", "e1", "lateral_pfc"):
            parts[name] = profile_values(profile, name)
        own = profile_values(profile, "agent")
        for name, value in changes.items():
            _sort(name, value, parts, own)
        _spread_sizes(parts)
        _nest(parts, "e1", "memory")
        _nest(parts, "e1", "terrain")
        built = {name: _PARTS[name](**fields) for name, fields in parts.items()}
        return cls(profile=check_profile(profile), **built, **own)

    def world(self, preset: str = "default", **changes: Any) -> GridWorldConfig:
        """The world that goes with the profile, for CausalGridWorldV2."""
        return GridWorldConfig.preset(preset, **(profile_values(self.profile, "world") | changes))


_PARTS: dict[str, Any] = {
    "latent": LatentConfig,
    "e1": E1Config,
    "e2": E2Config,
    "e3": E3Config,
    "hippocampal": HippocampalConfig,
    "lateral_pfc": LateralPFCConfig,
    "salience": SalienceConfig,
    "dacc": DACCConfig,
    "goal": GoalConfig,
    "clock": MultirateClockConfig,
    "learning": LearningConfig,
}


_SIZES = {
    ("latent", "self_dim"): ("e1", "e2"),
    ("latent", "world_dim"): ("e1", "e2", "e3", "hippocampal", "goal", "lateral_pfc"),
    ("latent", "harm_dim"): ("e3",),
    ("latent", "delta_dim"): ("lateral_pfc",),
    ("e2", "action_object_dim"): ("e1", "hippocampal"),
}
"""(part, size) -> the parts that have it too, under the same name."""


def _spread_sizes(parts: dict[str, dict[str, Any]]) -> None:
    """Give sizes to the neighbours that were not given their own."""
    for (part, size), neighbours in _SIZES.items():
        value = _field(parts, part, size)
        for neighbour in neighbours:
            parts.setdefault(neighbour, {}).setdefault(size, value)
    e1 = parts["e1"]
    widths = e1["self_dim"] + e1["world_dim"]
    parts["memory"].setdefault("latent_dim", widths)
    parts["memory"].setdefault("memory_dim", _field(parts, "e1", "hidden_dim"))
    parts["e3"].setdefault("residue", ResidueConfig(world_dim=parts["e3"]["world_dim"]))


def _field(parts: dict[str, dict[str, Any]], part: str, name: str) -> Any:
    """The field of a part as given, or its default."""
    values = parts.get(part, {})
    return values[name] if name in values else _PARTS[part].__dataclass_fields__[name].default


def _sort(name: str, value: Any, parts: dict[str, dict[str, Any]], own: dict[str, Any]) -> None:
    """Assign a change to its part."""
    if name in FEATURES:
        part, flag = FEATURES[name]
        parts.setdefault(part, {})[flag] = value
    elif name in _PARTS or name in ("memory", "terrain"):
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a mapping of its fields, got {value!r}")
        parts.setdefault(name, {}).update(value)
    elif name in {it.name for it in dataclasses.fields(ControlConfig)} - {"profile"}:
        own[name] = value
    else:
        known = ", ".join([*FEATURES, *_PARTS, "memory", "terrain"])
        raise TypeError(f"option must be a field of ControlConfig or one of {known}, got {name!r}")


def _nest(parts: dict[str, dict[str, Any]], outer: str, inner: str) -> None:
    """Set the inner configuration of the outer one."""
    fields, kind = parts.pop(inner), E1Config.__dataclass_fields__[inner].default_factory
    assert callable(kind)
    parts[outer][inner] = dataclasses.replace(kind(), **fields)
