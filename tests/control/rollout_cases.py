"""Arguments for the operators rollout, propose and lstm_rollout, and NumPy twins of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prefrontal.control.ops import lstm_rollout, propose, rollout
from prefrontal.control.ops.proposal import plain_propose
from prefrontal.control.ops.rollouts import plain_rollout
from prefrontal.control.ops.sequence import plain_lstm_rollout

from .operator_contract import Case, Tensors

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sizes:
    self: int = 32
    world: int = 32
    action: int = 5
    object: int = 16
    hidden: int = 128


SMALL = Sizes(self=3, world=4, action=2, object=3, hidden=5)


class Source:
    """Draws tensors, each list as torch's Linear keeps it: within 1 / sqrt(inputs)."""

    def __init__(self, seed: int, dtype: torch.dtype = torch.float32) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.dtype = dtype

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.generator, dtype=self.dtype)

    def linear(self, *sizes: int) -> list[Tensor]:
        found = []
        for inputs, outputs in pairwise(sizes):
            for shape in ((outputs, inputs), (outputs,)):
                uniform = torch.rand(shape, generator=self.generator, dtype=self.dtype)
                found.append((2.0 * uniform - 1.0) * inputs**-0.5)
        return found

    def e2(self, sizes: Sizes) -> list[Tensor]:
        coded, hidden = sizes.action, sizes.hidden
        return [
            *self.linear(sizes.action, coded),
            *self.linear(sizes.self + coded, hidden, hidden, sizes.self),
            *self.linear(sizes.action, coded),
            *self.linear(sizes.world + coded, hidden, sizes.world),
            *self.linear(sizes.world + sizes.action, hidden, sizes.object),
        ]

    def residue(self, world: int, places: int = 32, hidden: int = 64) -> list[Tensor]:
        centres = [self.normal(places, world), self.normal(places).abs()]
        return centres + self.linear(world, hidden, hidden, 1)


def rollout_arguments(
    rows: int, steps: int, sizes: Sizes = Sizes(), *, seed: int = 0, dtype: Any = torch.float32
) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
    draw = Source(seed, dtype)
    states = draw.normal(rows, sizes.self), draw.normal(rows, sizes.world)
    return *states, draw.normal(rows, steps, sizes.action), draw.e2(sizes)


def propose_arguments(
    iterations: int,
    candidates: int,
    steps: int,
    sizes: Sizes = Sizes(),
    *,
    seed: int = 0,
    dtype: Any = torch.float32,
    places: int = 32,
    hidden: int = 64,
) -> tuple[Any, ...]:
    draw = Source(seed, dtype)
    return (
        draw.normal(1, sizes.self),
        draw.normal(1, sizes.world),
        draw.normal(steps, sizes.object),
        draw.normal(iterations, candidates, steps, sizes.object),
        draw.linear(sizes.object, sizes.hidden, sizes.action),
        draw.e2(sizes),
        draw.residue(sizes.world, places, hidden),
    )


def lstm_arguments(
    rows: int,
    *,
    inputs: int = 64,
    cells: int = 128,
    layers: int = 3,
    hidden: int = 128,
    seed: int = 0,
    dtype: Any = torch.float32,
) -> tuple[Any, ...]:
    draw = Source(seed, dtype)
    lstm = []
    for layer in range(layers):
        w_ih, b_ih = draw.linear(cells if layer else inputs, 4 * cells)
        w_hh, b_hh = draw.linear(cells, 4 * cells)
        lstm += [w_ih, w_hh, b_ih, b_hh]
    h, c = draw.normal(layers, rows, cells), draw.normal(layers, rows, cells)
    return draw.normal(rows, inputs), h, c, lstm, draw.linear(cells, hidden, inputs)


def _case(name: str, given: Sequence[Any], public: Any, plain: Any, arguments: Any) -> Case:
    """`given` are tensors and lists of them; the functions take them so."""

    def grouped(tensors: Tensors) -> list[Any]:
        left = iter(tensors)
        return [
            next(left) if isinstance(each, Tensor) else [next(left) for _ in each] for each in given
        ]

    return Case(
        name,
        [tensor for each in given for tensor in ([each] if isinstance(each, Tensor) else each)],
        lambda *tensors: public(*grouped(tensors)),
        lambda *tensors: plain(*grouped(tensors)),
        lambda tensors: arguments(*grouped(tensors)),
    )


def rollout_case(rows: int, steps: int, sizes: Sizes = Sizes(), *, biases: int = 0) -> Case:
    given = rollout_arguments(rows, steps, sizes)
    bias = [Source(1).normal(biases, sizes.object)] if biases else []
    return _case("rollout", [*given, *bias], rollout, plain_rollout, lambda *a: a)


def propose_case(
    iterations: int, candidates: int, steps: int, sizes: Sizes = Sizes(), *, elites: int = 2
) -> Case:
    small = {"places": 3, "hidden": 4} if sizes is SMALL else {}
    given = propose_arguments(iterations, candidates, steps, sizes, **small)

    def with_bias(function: Any) -> Any:
        more = {"n_elite": elites, "bandwidth": 2.0}
        return lambda *given: function(*given[:-1], bias=given[-1], **more)

    return _case(
        "propose",
        [*given, Source(1).normal(1, sizes.object)],
        with_bias(propose),
        with_bias(plain_propose),
        lambda *given: (*given[:-1], elites, given[-1], 2.0),
    )


def lstm_case(rows: int, steps: int, **sizes: int) -> Case:
    return _case(
        "lstm_rollout",
        lstm_arguments(rows, **sizes),
        partial(lstm_rollout, steps=steps),
        partial(plain_lstm_rollout, steps=steps),
        lambda *given: (*given, steps),
    )


def same_bits_cases() -> list[Case]:
    """Calls whose results must not depend on the instruction set."""
    rolled = [rollout_case(rows, 3, biases=rows) for rows in (1, 15, 16, 17, 40)]
    other = Sizes(self=7, world=32, action=3, object=9, hidden=45)
    proposed = [propose_case(3, 32, 4, elites=6), propose_case(2, 5, 3, other)]
    sequences = [lstm_case(rows, 3) for rows in (1, 2, 5, 18)]
    small = lstm_case(3, 2, inputs=16, cells=32, layers=1, hidden=48)
    return [*rolled, rollout_case(3, 2, other), *proposed, *sequences, small]


def doubles(tensors: Sequence[Tensor]) -> list[Doubles]:
    return [tensor.double().numpy() for tensor in tensors]


def mlp_twin(x: Doubles, layers: Sequence[Doubles]) -> Doubles:
    for at in range(0, len(layers), 2):
        x = layers[at] @ x + layers[at + 1]
        if at + 2 < len(layers):
            x = np.maximum(x, 0.0)
    return x
