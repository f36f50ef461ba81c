"""A ControlAgent in a file: its configuration, its parameters, and what outlives an episode.

Experience, optimizers and the current episode are not saved. Loading a file runs nothing from it.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import struct
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...storage.files import write_atomic
from ..choice.allostasis import AllostaticCoupling
from ..memory.context_clusters import ContextClusters, ContextClustersConfig
from ..memory.context_memory import REMEMBERED
from ..memory.social import SocialConfig
from .agent import ControlAgent
from .control_config import ControlConfig

if TYPE_CHECKING:
    from ..profiles import Profile

FORMAT = 2
_KEYS = {"profile", "config", "state", "hazards_seen", "rule_state", "contexts"}
_OPTIONAL = {
    "social": SocialConfig,
    "allostasis": AllostaticCoupling,
    "contexts": ContextClustersConfig,
}
"""Fields that are None or of this class."""


UNREADABLE = (
    *(pickle.UnpicklingError, struct.error, EOFError, RuntimeError, ArithmeticError),
    *(ValueError, TypeError, LookupError, AttributeError, AssertionError),
)
"""What torch raises for bytes that are no checkpoint."""
_DROPPED = (
    "reality_scorer.",
    "harm_cost_fallback_scorer.",
    "fused_encoder.",
    "discriminator_proj.",
)
"""Parameters of format 1 that nothing read."""


def save(agent: ControlAgent, path: str | PathLike[str], *, with_rule: bool = False) -> None:
    """Save the agent atomically.

    with_rule: its rule state too, which otherwise begins at 0. Raises SourceError naming the path
    where it cannot be written.
    """
    rule = agent.lateral_pfc.get_rule_state() if with_rule and agent.lateral_pfc else None
    content = BytesIO()
    held = {
        "format": FORMAT,
        "profile": agent.config.profile,
        "config": dataclasses.asdict(agent.config),
        "state": agent.state_dict(),
        "hazards_seen": agent.e1.terrain_targets.get_seen(),
        "rule_state": rule,
        "contexts": _contexts(agent.contexts),
    }
    torch.save(held, content)
    write_atomic(path, content.getvalue())


def load(path: str | PathLike[str], *, profile: Profile | None = None) -> ControlAgent:
    """The agent of a file, at the beginning of an episode.

    profile: the one it must be of; None: any. Raises ValueError for another profile and for a file
    that is not a checkpoint, FileNotFoundError where there is none.
    """
    held = _read(path)
    if profile is not None and held["profile"] != profile:
        raise ValueError(
            f"path must be a checkpoint of {profile!r}, got one of {held['profile']!r}"
        )
    config = _configuration(path, held["config"])
    if config.profile != held["profile"]:
        raise ValueError(
            f"path must hold one profile, got {held['profile']!r} and {config.profile!r} in {path}"
        )
    agent = ControlAgent(config, generator=torch.Generator())
    _fill(agent.to(_dtype(held["state"])), held, path)
    return agent


def load_into(agent: ControlAgent, path: str | PathLike[str]) -> None:
    """Load the parameters of a file into the agent and end its episode.

    Raises ValueError as `load`, where the profile is another than the agent's, and where a
    parameter is missing, new or of another shape; the agent is unchanged then.
    """
    held = _read(path)
    if held["profile"] != agent.config.profile:
        mine = agent.config.profile
        raise ValueError(f"path must be a checkpoint of {mine!r}, got one of {held['profile']!r}")
    _fill(agent, held, path)


def _read(path: str | PathLike[str]) -> dict[str, Any]:
    try:
        held = torch.load(Path(path), weights_only=True, map_location="cpu")
    except UNREADABLE as error:
        raise ValueError(f"path must be a checkpoint of an agent, got {str(path)!r}") from error
    version = held.get("format") if isinstance(held, dict) else type(held).__name__
    if not isinstance(held, dict) or not isinstance(version, int) or version not in (1, FORMAT):
        raise ValueError(f"path must be a checkpoint of format 1 or {FORMAT}, got {version!r}")
    if _KEYS - held.keys():
        missing = ", ".join(sorted(_KEYS - held.keys()))
        raise ValueError(f"path must be a checkpoint of an agent, got {str(path)!r}: no {missing}")
    if version == 1:
        try:
            _upgrade(held)
        except UNREADABLE as error:
            raise ValueError(
                f"path must be a checkpoint of format 1, got {path}: {error}"
            ) from error
    return held


def _upgrade(held: dict[str, Any]) -> None:
    """Turn a checkpoint of format 1 into one of format 2: the write history of the memories was
    beside their parameters, and there were parameters and options that nothing read."""
    state, config = held["state"], held["config"]
    for name in [name for name in state if any(part in name for part in _DROPPED)]:
        del state[name]
    for part, option in (("latent", "fused_latent"), ("lateral_pfc", "discriminator_proj")):
        config.get(part, {}).pop(option, None)
    for name, (counts, recent) in held.pop("slot_writes").items():
        slots = [-1] * REMEMBERED + [int(slot) for slot in recent]
        state[f"{name}.slot_write_counts"] = counts
        state[f"{name}.recent_slots"] = torch.tensor(slots[-REMEMBERED:])


def _fill(agent: ControlAgent, held: dict[str, Any], path: str | PathLike[str]) -> None:
    """Raises ValueError for invalid contents and leaves the agent unchanged."""
    own, theirs = agent.state_dict(), held["state"]
    if not isinstance(theirs, dict) or not all(isinstance(it, Tensor) for it in theirs.values()):
        raise ValueError(f"path must hold parameters, got {type(theirs).__name__} in {path}")
    wrong = sorted(own.keys() ^ theirs.keys())
    wrong += sorted(k for k in own.keys() & theirs.keys() if own[k].shape != theirs[k].shape)
    if wrong:
        some = ", ".join(wrong[:3]) + (", ..." if len(wrong) > 3 else "")
        raise ValueError(f"path must hold the agent's parameters, got others in {path}: {some}")
    try:
        _take_over(copy.deepcopy(agent), held)
    except (ValueError, TypeError, AttributeError, LookupError, RuntimeError) as error:
        raise ValueError(f"path must hold what an agent keeps, got {path}: {error}") from error
    _take_over(agent, held)


def _take_over(agent: ControlAgent, held: dict[str, Any]) -> None:
    agent.load_state_dict(held["state"])
    agent.e1.terrain_targets.set_seen(held["hazards_seen"])
    agent.reset()
    if held["contexts"] is not None and agent.contexts is not None:
        for name, tensor in (_contexts(agent.contexts) or {}).items():
            tensor.copy_(held["contexts"][name])
    if held["rule_state"] is not None and agent.lateral_pfc is not None:
        agent.lateral_pfc.set_rule_state(held["rule_state"])


def _contexts(contexts: ContextClusters | None) -> dict[str, torch.Tensor] | None:
    names = ("centres", "counts", "outcomes", "outcome_counts")
    return None if contexts is None else {name: getattr(contexts, name) for name in names}


def _dtype(state: object) -> torch.dtype:
    """The dtype of the parameters if it is a floating one, else the default."""
    weights = state.get("e3.residue_field.weights") if isinstance(state, dict) else None
    floating = isinstance(weights, Tensor) and weights.is_floating_point()
    return weights.dtype if isinstance(weights, Tensor) and floating else torch.get_default_dtype()


def _configuration(path: str | PathLike[str], fields: object) -> ControlConfig:
    if not isinstance(fields, dict):
        raise ValueError(f"path must hold a known configuration, got {path}: {fields!r}")
    try:
        built: ControlConfig = _rebuilt(ControlConfig.from_dims(), fields)
    except (TypeError, ValueError) as error:
        raise ValueError(f"path must hold a known configuration, got {path}: {error}") from error
    return built


def _rebuilt(default: Any, fields: dict[str, Any]) -> Any:
    """A dataclass like `default` with these fields; those that are dataclasses are rebuilt, too."""
    rebuilt: dict[str, Any] = {}
    for name, value in fields.items():
        example = getattr(default, name, None)
        if dataclasses.is_dataclass(example) and isinstance(value, dict):
            rebuilt[name] = _rebuilt(example, value)
        elif name in _OPTIONAL and isinstance(value, dict):
            rebuilt[name] = _OPTIONAL[name](**value)
        else:
            rebuilt[name] = value
    return type(default)(**rebuilt)
