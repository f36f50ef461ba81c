"""What CueReader, ContextReader and RuleState compute, in plain NumPy and double precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Parameters = dict[str, Floats]

SLOTS, WORLD, CONTEXT, ACTIONS, TERRAIN, RULE, HIDDEN = 16, 32, 64, 16, 2, 16, 32


def linear(
    rng: np.random.Generator, name: str, into: int, out: int, bias: bool = True
) -> Parameters:
    """Weights as torch draws them for a Linear: uniform within 1 / sqrt(inputs)."""
    bound = into**-0.5
    drawn = {f"{name}.weight": rng.uniform(-bound, bound, (out, into)).astype(np.float32)}
    if bias:
        drawn[f"{name}.bias"] = rng.uniform(-bound, bound, out).astype(np.float32)
    return drawn


def memory_parameters(
    rng: np.random.Generator, inputs: int, *, memory_dim: int = 128, scale: float = 1.0
) -> Parameters:
    """Those that both readers share; `scale`: of the slots (0.01 at the seed's initialisation)."""
    query = "world_query_proj" if inputs == WORLD else "query_proj"
    return {
        "memory": (scale * rng.standard_normal((SLOTS, memory_dim))).astype(np.float32),
        **linear(rng, query, inputs, memory_dim),
        **linear(rng, "key_proj", memory_dim, memory_dim, bias=False),
        **linear(rng, "value_proj", memory_dim, memory_dim),
        **linear(rng, "output_proj", memory_dim, CONTEXT),
    }


def cue_parameters(seed: int = 0, *, world: bool = False, **options: float) -> Parameters:
    rng = np.random.default_rng(seed)
    memory_dim = int(options.pop("memory_dim", 128))
    return {
        **memory_parameters(rng, WORLD, memory_dim=memory_dim, **options),
        **linear(rng, "cue_action_proj", CONTEXT + WORLD if world else CONTEXT, ACTIONS),
        **linear(rng, "cue_terrain_proj", CONTEXT, TERRAIN),
    }


def context_parameters(seed: int = 0, **options: float) -> Parameters:
    return memory_parameters(np.random.default_rng(seed), CONTEXT, **options)  # type: ignore[arg-type]


def rule_parameters(seed: int = 0, *, uniform: bool = False) -> Parameters:
    rng = np.random.default_rng(seed)
    return {
        **linear(rng, "delta_proj", WORLD, RULE),
        **linear(rng, "world_proj", WORLD, RULE),
        **linear(rng, "rule_bias_head.0", RULE if uniform else RULE + WORLD, HIDDEN),
        **linear(rng, "rule_bias_head.2", HIDDEN, 1),
    }


class Read(NamedTuple):
    weights: Doubles
    context: Doubles
    action_bias: Doubles
    terrain_weight: Doubles


def apply(parameters: Mapping[str, Floats], name: str, x: Doubles) -> Doubles:
    out: Doubles = x @ parameters[f"{name}.weight"].astype(np.float64).T
    bias = parameters.get(f"{name}.bias")
    return out if bias is None else out + bias.astype(np.float64)


def attend(
    parameters: Mapping[str, Floats], x: Floats, *, cosine: bool = False
) -> tuple[Doubles, Doubles]:
    """(weights [B, 16], what was read [B, 64]) as section 1.2 of the specification writes it."""
    query_name = "world_query_proj" if "world_query_proj.weight" in parameters else "query_proj"
    memory = parameters["memory"].astype(np.float64)
    query = apply(parameters, query_name, np.atleast_2d(x).astype(np.float64))
    key, value = apply(parameters, "key_proj", memory), apply(parameters, "value_proj", memory)
    if "log_tau" in parameters:
        temperature = float(np.exp(parameters["log_tau"].astype(np.float64)).item()) + 1e-3
    else:
        temperature = memory.shape[1] ** 0.5
    scores = query @ key.T
    if cosine:
        lengths = [np.linalg.norm(each, axis=1).clip(min=1e-12) for each in (query, key)]
        scores *= memory.shape[1] / np.multiply.outer(*lengths)
    shares = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    weights = shares / shares.sum(axis=1, keepdims=True)
    return weights, apply(parameters, "output_proj", weights @ value)


def cue(
    parameters: Mapping[str, Floats], z: Floats, *, cosine: bool = False, world: bool = False
) -> Read:
    """extract_cue_context of section 1.3."""
    weights, context = attend(parameters, z, cosine=cosine)
    heads = np.concatenate([context, np.atleast_2d(z)], axis=1) if world else context
    logits = apply(parameters, "cue_terrain_proj", context)
    action = apply(parameters, "cue_action_proj", heads)
    return Read(weights, context, action, 1 / (1 + np.exp(-logits)))


def updated(
    parameters: Mapping[str, Floats],
    rule: Doubles,
    z_delta: Floats,
    z_world: Floats,
    gate: float,
    *,
    eta: float = 0.05,
    pool: float = 0.5,
    forced: float = 0.0,
) -> Doubles:
    """The rule after one update of section 1.8; `forced`: gain times override."""
    e = eta * min(max(gate, 0.0), 1.0) * (1 + forced)
    delta = apply(parameters, "delta_proj", np.atleast_2d(z_delta).astype(np.float64)).mean(axis=0)
    world = apply(parameters, "world_proj", np.atleast_2d(z_world).astype(np.float64)).mean(axis=0)
    moved: Doubles = (1 - e) * rule + e * (delta + pool * world)
    return moved


def raw_bias(parameters: Mapping[str, Floats], rule: Doubles, summaries: Floats) -> Doubles:
    """head([rule, S_k]) for each candidate, not bounded."""
    same = np.broadcast_to(rule, (len(summaries), RULE))
    hidden = apply(parameters, "rule_bias_head.0", np.concatenate([same, summaries], axis=1))
    raw: Doubles = apply(parameters, "rule_bias_head.2", np.maximum(hidden, 0))[:, 0]
    return raw
