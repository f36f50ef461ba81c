"""Reads the saved weights of the reference implementation, of an agent or of one part.

Loading a file runs nothing from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import torch
from torch import Tensor

from .agent import ControlAgent
from .checkpoint import UNREADABLE
from .control_config import HORIZON, ControlConfig

Weights = dict[str, Tensor]

_WRAPPERS = ("state_dict", "model_state_dict", "agent_state_dict", "agent", "model")
_FEATURES = dict.fromkeys(("sd016_enabled", "use_lateral_pfc_analog", "use_harm"), True)
_PLACES = (
    *("", "e1.", "e2.", "e3.", "hippocampal.", "lateral_pfc.", "latent_stack."),
    *("e1.context_memory.", "e3.residue_field."),
)
"""Where a file of one part belongs in the agent."""
_RENAMED = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"^residue_field\.", "e3.residue_field."),
        (r"_obs_encoder\.0\.", "_obs_encoder.linear."),
        (r"split_encoder\.(self|world)_precision_logit$", r"\1_encoder.precision_logit"),
        (r"split_encoder\.(self|world)_encoder\.", r"\1_encoder.network."),
        (r"split_encoder\.(self|world)_topdown\.", r"\1_encoder.topdown."),
        (r"(beta|theta|delta)_encoder\.encoder\.", r"\1_encoder.network."),
        (r"(beta|theta)_encoder\.topdown_proj\.", r"\1_encoder.topdown."),
        (r"\bwrite_gate\.0\.", "write_gate."),
        (r"\brbf_field\.centers$", "centres"),
        (r"\brbf_field\.weights$", "weights"),
        (r"\brbf_field\.next_center_idx$", "accumulated"),
        (r"\bneural_field\.", "network."),
    )
)
"""A pattern in a name of the reference -> what stands there here."""


@dataclass(frozen=True, slots=True)
class ReferenceImport:
    """An agent with the weights of a file.

    taken: names in the file that went into it. left_out: names that have no place here.
    drawn: names of the agent that the file lacks; they are as a new agent's.
    """

    agent: ControlAgent
    taken: tuple[str, ...]
    left_out: tuple[str, ...]
    drawn: tuple[str, ...]


def import_reference(path: str | PathLike[str], *, seed: int = 0) -> ReferenceImport:
    """The weights of a file in an agent of the profile upstream, whose sizes the file tells.

    The file holds a state_dict, of an agent or of one part, alone or under "state_dict" or a like
    key. seed: of what the file lacks. Raises ValueError for a file with no weight of the
    reference and for shapes that fit no agent, FileNotFoundError where there is none.
    """
    weights = _read(path)
    whole = ControlAgent(ControlConfig.from_dims(profile="upstream", **_FEATURES))
    names = whole.state_dict().keys()
    places = [{name: _renamed(place + name) for name in weights} for place in _PLACES]
    ours = max(places, key=lambda it: len(names & it.values()))
    if not names & ours.values():
        raise ValueError(f"path must hold weights of the reference, got none in {str(path)!r}")
    tensors = {name: weights[source] for source, name in ours.items()}
    generator = torch.Generator().manual_seed(seed)
    agent = ControlAgent(_configuration(path, tensors), generator=generator)
    own = agent.state_dict()
    shared = [name for name in own if name in tensors]
    for name in shared:
        if own[name].shape != tensors[name].shape:
            wanted, got = list(own[name].shape), list(tensors[name].shape)
            source = next(it for it, its in ours.items() if its == name)
            raise ValueError(f"{source} must be of shape {wanted} as others say, got {got}")
    with torch.no_grad():
        for name in shared:  # in place, since parts are shared
            own[name].copy_(tensors[name])
        _activate(agent, tensors)
    places_taken = {own[name].data_ptr() for name in shared if own[name].numel()}
    drawn = [name for name in own if own[name].data_ptr() not in places_taken]
    used = {source for source, name in ours.items() if name in own}
    return ReferenceImport(
        agent, tuple(sorted(used)), tuple(sorted(weights.keys() - used)), tuple(sorted(drawn))
    )


def _read(path: str | PathLike[str]) -> Weights:
    try:
        content = torch.load(Path(path), weights_only=True, map_location="cpu")
    except UNREADABLE as error:
        raise ValueError(f"path must hold saved weights, got {str(path)!r}") from error
    for key in _WRAPPERS:
        if isinstance(content, Mapping) and isinstance(content.get(key), Mapping):
            content = content[key]
    if not isinstance(content, Mapping):
        raise ValueError(f"path must hold a state_dict, got {type(content).__name__} in {path}")
    return {str(name): it for name, it in content.items() if isinstance(it, Tensor)}


def _renamed(name: str) -> str:
    for pattern, ours in _RENAMED:
        name = pattern.sub(ours, name)
    return name


def _configuration(path: str | PathLike[str], tensors: Weights) -> ControlConfig:
    """The sizes and features that the shapes tell; the rest as the profile has it."""

    def size(name: str, axis: int, otherwise: int) -> int:
        tensor = tensors.get(name)
        return otherwise if tensor is None or tensor.dim() <= axis else tensor.shape[axis]

    def sizes(part: str, **places: tuple[str, int]) -> dict[str, int]:
        known = {name: size(f"{part}.{at}", axis, 0) for name, (at, axis) in places.items()}
        return {name: value for name, value in known.items() if value}

    actions = size("e2.self_action_encoder.weight", 0, 5)
    objects = size("hippocampal.action_object_decoder.0.weight", 1, 16)
    objects = size("e2.action_object_head.2.weight", 0, objects)
    horizon = size("hippocampal.terrain_prior.2.weight", 0, HORIZON * objects) // objects
    memory = size("e1.context_memory.query_proj.weight", 1, 64)
    cue = size("e1.cue_action_proj.weight", 1, memory + 1)
    try:
        return ControlConfig.from_dims(
            size("body_obs_encoder.linear.weight", 0, 12),
            size("world_obs_encoder.linear.weight", 0, 250),
            actions,
            profile="upstream",
            sd016_enabled="e1.world_query_proj.weight" in tensors,
            use_lateral_pfc_analog="lateral_pfc.delta_proj.weight" in tensors,
            latent=sizes(
                "latent_stack",
                self_dim=("self_encoder.precision_logit", 0),
                world_dim=("world_encoder.precision_logit", 0),
                delta_dim=("delta_encoder.precision_logit", 0),
            ),
            e1={
                "prediction_horizon": max(1, min(20, horizon - 1)),
                "cue_action_input": "context+world" if cue > memory else "context",
            }
            | sizes("e1", hidden_dim=("context_memory.memory", 1)),
            memory=sizes("e1.context_memory", num_slots=("memory", 0)),
            e2={"rollout_horizon": max(2, horizon), "action_object_dim": objects},
            hippocampal={"horizon": max(1, horizon)},
        )
    except ValueError as error:
        sentence = f"path must hold weights that fit together, got {path}: {error}"
        raise ValueError(sentence) from error


def _activate(agent: ControlAgent, tensors: Weights) -> None:
    """The residue: a place that is not active holds nothing, and a full ring has gone round."""
    for part in ("e3.residue_field", "hippocampal.residue_field"):
        active = tensors.get(f"{part}.rbf_field.active_mask")
        if active is not None and active.shape == agent.e3.residue_field.weights.shape:
            field, holds = agent.e3.residue_field, active.bool()
            field.weights[~holds] = 0
            if bool(holds.all()) and int(field.accumulated) < len(holds):
                field.accumulated += len(holds)
            return
