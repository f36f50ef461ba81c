"""Small calls of the operators that read the context memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from prefrontal.control.ops import CueHeads, MemoryWeights, TerrainWeights, cue

from .operator_cases import drawn, linear
from .operator_contract import Case, Tensors

READ = 9  # tensors of a read without the optional ones: x and eight parameters


def read_tensors(rows: int, inputs: int, depth: int, context: int) -> list[Tensor]:
    return [
        drawn(rows, inputs, seed=1),
        drawn(16, depth, seed=2),
        *linear(depth, inputs, 3),
        linear(depth, depth, 5)[0],
        *linear(depth, depth, 7),
        *linear(context, depth, 9),
    ]


def optional_tensors(depth: int, key_bias: bool, log_tau: bool) -> list[Tensor]:
    return [drawn(depth, seed=11)] * key_bias + [torch.tensor([1.2])] * log_tau


def optional_of(
    rest: Tensors, key_bias: bool, log_tau: bool
) -> tuple[Tensor | None, Tensor | None]:
    """The key bias and log_tau of what follows the other tensors of a call."""
    bias = rest[0] if key_bias else None
    return bias, rest[-1] if log_tau else None


def read_of(function: Any, x: Tensor, *tensors: Tensor, cosine: bool = False, **rest: Any) -> Any:
    """A read with the parameters one by one."""
    return function(x, MemoryWeights(*tensors, **rest), cosine=cosine)


def cue_of(function: Any, z: Tensor, *tensors: Tensor, cosine: bool = False, **rest: Any) -> Any:
    """A cue with the parameters one by one."""
    memory, heads = MemoryWeights(*tensors[:8], **rest), CueHeads(*tensors[8:12])
    return function(z, memory, heads, cosine=cosine)


def terrain_weights(
    tensors: Tensors, key_bias: Tensor | None = None, log_tau: Tensor | None = None
) -> TerrainWeights:
    """Of the eight of the memory, the terrain head's weight and bias."""
    memory = MemoryWeights._make([*tensors[:8], key_bias, log_tau])
    return TerrainWeights(memory, *tensors[8:10])


def read_case(
    rows: int = 3,
    *,
    inputs: int = 32,
    depth: int = 16,
    context: int = 16,
    cosine: bool = False,
    key_bias: bool = False,
    log_tau: bool = False,
) -> Case:
    tensors = read_tensors(rows, inputs, depth, context)
    tensors += optional_tensors(depth, key_bias, log_tau)

    def optional(given: Tensors) -> tuple[Tensor | None, Tensor | None]:
        return optional_of(given[READ:], key_bias, log_tau)

    def arguments(given: Tensors) -> tuple[Any, ...]:
        return *given[:READ], *optional(given), cosine

    def called(function: Any, *given: Tensor) -> Any:
        memory = MemoryWeights._make([*given[1:READ], *optional(given)])
        return function(given[0], memory, cosine=cosine)

    return Case(
        "context_read",
        tensors,
        partial(called, cue.context_read),
        partial(called, cue.plain_context_read),
        arguments,
    )


def cue_case(
    rows: int = 3,
    *,
    inputs: int = 32,
    depth: int = 16,
    context: int = 16,
    actions: int = 16,
    world: bool = False,
    cosine: bool = False,
    key_bias: bool = False,
    log_tau: bool = False,
) -> Case:
    """`world`: the action head reads the cue beside the context."""
    seen = context + inputs if world else context
    tensors = read_tensors(rows, inputs, depth, context)
    tensors += [*linear(actions, seen, 20), *linear(2, context, 22)]
    tensors += optional_tensors(depth, key_bias, log_tau)
    last = READ + 4

    def optional(given: Tensors) -> tuple[Tensor | None, Tensor | None]:
        return optional_of(given[last:], key_bias, log_tau)

    def arguments(given: Tensors) -> tuple[Any, ...]:
        return *given[:last], *optional(given), cosine

    def called(function: Any, *given: Tensor) -> Any:
        memory = MemoryWeights._make([*given[1:READ], *optional(given)])
        return function(given[0], memory, CueHeads(*given[READ:last]), cosine=cosine)

    return Case(
        "cue_context",
        tensors,
        partial(called, cue.cue_context),
        partial(called, cue.plain_cue_context),
        arguments,
    )


def same_bits_cases() -> list[Case]:
    """Calls whose results must not depend on the instruction set."""
    made = []
    for rows in (1, 3, 8, 67):
        for cosine in (False, True):
            sizes: dict[str, Any] = {"depth": 128, "context": 64}
            made.append(read_case(rows, inputs=64, cosine=cosine, **sizes))
            made.append(cue_case(rows, world=True, cosine=cosine, key_bias=True, **sizes))
            made.append(cue_case(rows, cosine=cosine, log_tau=True))
    return made
