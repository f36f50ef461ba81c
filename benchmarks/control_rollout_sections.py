"""The rollouts and the proposal for bench_control.py, each beside its plain torch form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from control_sections import Section
from prefrontal.control.ops import lstm_rollout, propose, rollout
from prefrontal.control.ops.proposal import plain_propose
from prefrontal.control.ops.rollouts import plain_rollout
from prefrontal.control.ops.scores import plain_residue
from prefrontal.control.ops.sequence import plain_lstm_rollout

PLAIN = "plain torch"
ONE_BY_ONE = "plain torch, candidate by candidate"
ACTIONS, OBJECTS, STATE, HIDDEN = 5, 16, 32, 128
ITERATIONS, CANDIDATES, ELITES = 3, 32, 6

Entry = Callable[[], object]
Floats = NDArray[Any]


def sections() -> list[Section]:
    rolled = [rolling(1, None), rolling(32, None), rolling(96, 0.5e-3)]
    return [proposal(10, 3e-3), proposal(30, 6e-3), *rolled, sequence(1, 1e-3), sequence(8, None)]


def linear(*sizes: int) -> list[Tensor]:
    found = []
    for inputs, outputs in pairwise(sizes):
        bound = inputs**-0.5
        found += [(2 * torch.rand(outputs, *rest) - 1) * bound for rest in ((inputs,), ())]
    return found


def e2() -> list[Tensor]:
    coded = STATE + ACTIONS
    return [
        *linear(ACTIONS, ACTIONS),
        *linear(coded, HIDDEN, HIDDEN, STATE),
        *linear(ACTIONS, ACTIONS),
        *linear(coded, HIDDEN, STATE),
        *linear(coded, HIDDEN, OBJECTS),
    ]


def proposal(steps: int, target_s: float) -> Section:
    torch.manual_seed(steps)
    states = torch.randn(1, STATE), torch.randn(1, STATE)
    draws = torch.randn(steps, OBJECTS), torch.randn(ITERATIONS, CANDIDATES, steps, OBJECTS)
    decoder, parameters = linear(OBJECTS, HIDDEN, ACTIONS), e2()
    field = [torch.randn(32, STATE), torch.rand(32), *linear(STATE, 64, 64, 1)]
    given = (*states, *draws, decoder, parameters, field)

    def ours() -> tuple[Tensor, ...]:
        return propose(*given, n_elite=ELITES)

    def plain() -> tuple[Tensor, ...]:
        return plain_propose(*given, n_elite=ELITES)

    def one_by_one() -> list[Tensor]:
        """The work of its rollouts and residues alone, row by row."""
        actions = torch.zeros(1, steps, ACTIONS)
        found = []
        for _ in range(ITERATIONS * CANDIDATES):
            worlds = plain_rollout(*states, actions, parameters)[1]
            found.append(plain_residue(worlds, field).sum())
        return found

    agree(ours(), plain())
    entries: dict[str, Entry] = {"propose": ours, PLAIN: plain}
    if steps == 10:
        entries[ONE_BY_ONE] = one_by_one
    title = f"proposal, K = {CANDIDATES}, {ITERATIONS} iterations, H = {steps}"
    return Section(title, quiet(entries), PLAIN, {"propose": target_s})


def rolling(rows: int, target_s: float | None) -> Section:
    torch.manual_seed(rows)
    parameters = e2()
    given = (torch.randn(rows, STATE), torch.randn(rows, STATE), torch.randn(rows, 10, ACTIONS))

    def ours() -> tuple[Tensor, ...]:
        return rollout(*given, parameters)

    def plain() -> tuple[Tensor, ...]:
        return plain_rollout(*given, parameters)

    agree(ours(), plain())
    entries: dict[str, Entry] = {
        "rollout": ours,
        "NumPy": numpy_rollout(given, parameters),
        PLAIN: plain,
    }
    if rows == 96:
        entries["torch.compile of the plain form"] = torch.compile(plain, dynamic=False)
    targets = {} if target_s is None else {"rollout": target_s}
    return Section(f"rollout of E2, B = {rows}, H = 10", quiet(entries), PLAIN, targets)


def numpy_rollout(given: Sequence[Tensor], parameters: Sequence[Tensor]) -> Entry:
    z_self, z_world, actions = (tensor.numpy() for tensor in given)
    weights = [tensor.numpy() for tensor in parameters]

    def mlp(x: Floats, start: int, stop: int) -> Floats:
        for at in range(start, stop, 2):
            x = x @ weights[at].T + weights[at + 1]
            if at + 2 < stop:
                np.maximum(x, 0, out=x)
        return x

    def run() -> list[tuple[Floats, Floats, Floats]]:
        own, world, found = z_self, z_world, []
        for t in range(actions.shape[1]):
            action = actions[:, t]
            coded = np.concatenate([own, mlp(action, 0, 2)], 1)
            objects = mlp(np.concatenate([world, action], 1), 14, 18)
            moved = mlp(np.concatenate([world, mlp(action, 8, 10)], 1), 10, 14)
            own, world = own + mlp(coded, 2, 8), world + moved
            found.append((own, world, objects))
        return found

    return run


def sequence(rows: int, target_s: float | None) -> Section:
    torch.manual_seed(rows)
    sizes = 2 * STATE, HIDDEN
    module = torch.nn.LSTM(*sizes, 3, batch_first=True).requires_grad_(False)
    lstm = list(module.parameters())
    output = linear(HIDDEN, HIDDEN, 2 * STATE)
    state = torch.zeros(3, rows, HIDDEN)
    given = (torch.randn(rows, 2 * STATE), state, state, lstm, output)

    def ours() -> tuple[Tensor, ...]:
        return lstm_rollout(*given, steps=20)

    def plain() -> tuple[Tensor, ...]:
        return plain_lstm_rollout(*given, steps=20)

    def modules() -> Tensor:
        """As a module would: nn.LSTM for one step, then two linear layers."""
        x, hidden = given[0], (state, state)
        for _ in range(20):
            top, hidden = module(x[:, None], hidden)
            x = torch.relu(torch.nn.functional.linear(top[:, 0], *output[:2]))
            x = torch.nn.functional.linear(x, *output[2:])
        return x

    agree(ours(), plain())
    agree([ours()[0][:, -1]], [modules()])
    entries: dict[str, Entry] = {"lstm_rollout": ours, "nn.LSTM": modules, PLAIN: plain}
    targets = {} if target_s is None else {"lstm_rollout": target_s}
    return Section(f"E1, 20 steps, B = {rows}", quiet(entries), PLAIN, targets)


def quiet(entries: dict[str, Entry]) -> dict[str, Entry]:
    """Without gradients."""
    return {name: torch.inference_mode()(run) for name, run in entries.items()}


def agree(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> None:
    """Within a millionth of the largest value: an untrained E2's states grow with the horizon."""
    for one, other in zip(found, wanted, strict=True):
        limit = 1e-6 * max(1.0, float(other.abs().max()))
        torch.testing.assert_close(one, other, rtol=0, atol=limit)
