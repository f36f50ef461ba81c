"""Small calls of the operators that read the context memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from prefrontal.control.ops import cue

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

    def arguments(given: Tensors) -> tuple[Any, ...]:
        rest = list(given[READ:])
        bias = rest.pop(0) if key_bias else None
        return *given[:READ], bias, rest.pop(0) if log_tau else None, cosine

    def called(function: Any, *given: Tensor) -> Any:
        *tensors, _ = arguments(given)
        return function(*tensors, cosine=cosine)

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

    def arguments(given: Tensors) -> tuple[Any, ...]:
        rest = list(given[last:])
        bias = rest.pop(0) if key_bias else None
        return *given[:last], bias, rest.pop(0) if log_tau else None, cosine

    def called(function: Any, *given: Tensor) -> Any:
        *tensors, _ = arguments(given)
        return function(*tensors, cosine=cosine)

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
