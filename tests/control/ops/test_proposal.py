"""The cross-entropy proposal: what it draws, keeps, refits and gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control.ops import available, propose, rollout, score_trajectories
from prefrontal.control.ops.proposal import plain_propose

from ..rollout_cases import SMALL, Doubles, Sizes, Source, doubles, mlp_twin, propose_arguments

needs_kernels = pytest.mark.skipif(not available(), reason="prefrontal._torch was not built here")
both = pytest.mark.parametrize("run", [propose, plain_propose])


def residue_twin(x: Doubles, field: list[Doubles]) -> float:
    centres, weights = field[:2]
    marked = weights @ np.exp(-0.5 * ((x - centres) ** 2).sum(1))
    return float(marked + 0.1 * np.log1p(np.exp(mlp_twin(x, field[2:])[0])))


def candidate_twin(
    z_world: Doubles, sample: Doubles, decoder: list[Doubles], e2: list[Doubles]
) -> tuple[Doubles, list[Doubles], Doubles]:
    """Actions, world states and action objects of one candidate."""
    worlds, actions, objects = [z_world], [], []
    for row in sample:
        action = mlp_twin(row, decoder)
        objects.append(mlp_twin(np.concatenate([worlds[-1], action]), e2[14:]))
        coded = np.concatenate([worlds[-1], e2[8] @ action + e2[9]])
        worlds.append(worlds[-1] + mlp_twin(coded, e2[10:14]))
        actions.append(action)
    return np.array(actions), worlds, np.array(objects)


def twin(arguments: tuple[Any, ...], n_elite: int) -> tuple[Doubles, Doubles]:
    """Actions and scores of the last iteration, candidate by candidate."""
    z_world, mean, noise = doubles(arguments[1:4])
    decoder, e2, field = (doubles(each) for each in arguments[4:7])
    std = np.ones_like(mean)
    for draws in noise:
        found = [candidate_twin(z_world[0], mean + std * draw, decoder, e2) for draw in draws]
        scores = np.array([sum(residue_twin(w, field) for w in worlds) for _, worlds, _ in found])
        elites = np.array([found[k][2] for k in np.argsort(scores)[:n_elite]])
        mean, std = elites.mean(0), elites.std(0, ddof=1) + 1e-6
    return np.array([actions for actions, _, _ in found]), scores


@both
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_each_iteration_keeps_the_elites_and_refits_on_their_action_objects(
    run: Any, iterations: int
) -> None:
    arguments = propose_arguments(iterations, 17, 3, seed=iterations)
    actions, scores = twin(arguments, 4)
    found = run(*arguments, n_elite=4)
    np.testing.assert_allclose(found[2].numpy(), actions, rtol=1e-5, atol=2e-6)
    np.testing.assert_allclose(found[4].numpy(), scores, rtol=1e-5, atol=2e-6)


@pytest.mark.exhaustive
def test_the_states_are_those_of_a_rollout_of_the_actions() -> None:
    arguments = propose_arguments(2, 20, 4)
    bias = Source(3).normal(16)
    states, worlds, actions, objects, scores = propose(*arguments, n_elite=6, bias=bias)
    assert (states.shape, worlds.shape) == ((20, 5, 32), (20, 5, 32))
    assert (actions.shape, objects.shape, scores.shape) == ((20, 4, 5), (20, 4, 16), (20,))
    first = arguments[0].expand(20, -1), arguments[1].expand(20, -1)
    for a, b in zip(
        (states, worlds, objects), rollout(*first, actions, arguments[5], bias), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


@pytest.mark.exhaustive
def test_the_scores_are_the_residue_that_score_trajectories_finds() -> None:
    arguments = propose_arguments(1, 20, 4)
    harm = Source(1).linear(32, 64, 1)
    for bandwidth in (1.0, 4.0):
        found = propose(*arguments, n_elite=6, bandwidth=bandwidth)
        asked = score_trajectories(found[1], harm, arguments[6], bandwidth=bandwidth)[:, 2]
        torch.testing.assert_close(found[4], asked, rtol=0, atol=0 if available() else 1e-6)


def level(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """With a residue that is the same everywhere."""
    return (*arguments[:6], [torch.zeros_like(part) for part in arguments[6]])


@both
def test_of_equal_scores_the_earlier_candidate_is_kept(run: Any) -> None:
    arguments = level(propose_arguments(2, 40, 3))
    others = list(arguments)
    others[3] = arguments[3].clone()
    others[3][0, 4:] = 0.0  # candidates that must not matter
    for a, b in zip(run(*arguments, n_elite=4), run(*others, n_elite=4), strict=True):
        assert torch.equal(a, b)
    others[3][0, 3] = 0.0
    assert not torch.equal(run(*arguments, n_elite=4)[2], run(*others, n_elite=4)[2])


@both
def test_a_candidate_without_a_score_is_kept_last(run: Any) -> None:
    arguments = propose_arguments(2, 9, 3)
    arguments[3][0, 2] = torch.nan
    assert all(result.isfinite().all() for result in run(*arguments, n_elite=8))
    assert run(*arguments, n_elite=9)[2].isnan().all()


@both
def test_a_bias_shifts_the_mean_between_iterations_and_is_inert_with_one(run: Any) -> None:
    bias = Source(4).normal(1, 16)
    once = propose_arguments(1, 8, 3)
    for a, b in zip(run(*once, n_elite=2)[:3], run(*once, n_elite=2, bias=bias)[:3], strict=True):
        assert torch.equal(a, b)
    twice = propose_arguments(2, 8, 3)
    # From the last iteration's noise: a mean that is shifted by the bias, decoded.
    plain, shifted = run(*twice, n_elite=2)[2], run(*twice, n_elite=2, bias=bias)[2]
    assert (plain - shifted).abs().amax() > 1e-3


@both
def test_the_shift_of_the_mean_is_the_bias(run: Any) -> None:
    arguments = list(level(propose_arguments(2, 6, 2)))
    arguments[4] = identity_decoder()
    bias = Source(4).normal(1, 16)
    shift = run(*arguments, n_elite=3, bias=bias)[2] - run(*arguments, n_elite=3)[2]
    torch.testing.assert_close(shift, bias[:, :5].expand(6, 2, 5), rtol=0, atol=1e-5)


@both
def test_elites_that_are_all_alike_leave_a_deviation_of_a_millionth(run: Any) -> None:
    arguments = list(level(propose_arguments(2, 6, 1)))
    arguments[4] = identity_decoder()
    arguments[3][0] = 0.0
    arguments[3][1] = 1e5 * torch.arange(6.0)[:, None, None]  # a BLAS rounds row by row
    actions = run(*arguments, n_elite=3)[2]
    steps = actions[1:] - actions[:-1]
    torch.testing.assert_close(steps, torch.full((5, 1, 5), 0.1), rtol=0, atol=0.02)


def identity_decoder() -> list[Tensor]:
    """Whose actions are the first 5 numbers of an action object: relu(x) - relu(-x)."""
    w1, w2 = torch.zeros(128, 16), torch.zeros(5, 128)
    for i in range(5):
        w1[i, i], w1[5 + i, i] = 1.0, -1.0
        w2[i, i], w2[i, 5 + i] = 1.0, -1.0
    return [w1, torch.zeros(128), w2, torch.zeros(5)]


def test_the_self_does_not_choose_and_nothing_is_drawn() -> None:
    arguments = propose_arguments(3, 20, 3)
    before = torch.get_rng_state()
    found = propose(*arguments, n_elite=6)
    assert torch.equal(torch.get_rng_state(), before)
    other = propose(arguments[0] + 1.0, *arguments[1:], n_elite=6)
    assert not torch.equal(found[0], other[0])
    for a, b in zip(found[1:], other[1:], strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    "sizes", [SMALL, Sizes(action=4), Sizes(hidden=200), Sizes(object=40), Sizes(world=48)]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_other_sizes_and_double_precision_are_taken(sizes: Sizes, dtype: torch.dtype) -> None:
    arguments = propose_arguments(2, 5, 2, sizes, dtype=dtype)
    asked = plain_propose(*arguments, n_elite=2)
    for a, b in zip(propose(*arguments, n_elite=2), asked, strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a, b, rtol=1e-5, atol=5e-6)


REFUSED: dict[str, tuple[int, Callable[[Any], Any], str]] = {
    "z_self": (0, lambda t: t.expand(2, -1), r"z_self must have shape \[1, any\], got \[2, 32\]"),
    "z_world": (1, lambda t: t[0], r"z_world must have shape \[1, any\], got \[32\]"),
    "mean": (2, lambda t: t[:2], r"noise must have shape \[any, any, 2, 16\], got \[2, 8, 3, 16\]"),
    "noise": (3, lambda t: t[0], r"noise must have shape \[any, any, 3, 16\], got \[8, 3, 16\]"),
    "iterations": (3, lambda t: t[:0], r"noise must have an iteration and a step, got \[0, 8,"),
    "dtype": (3, lambda t: t.double(), r"noise must have dtype torch.float32, got torch.float64"),
    "decoder": (4, lambda t: t[:3], r"decoder must be w1, b1, w2, b2, got 3 tensors"),
    "decoder's": (4, lambda t: [*t[:3], t[3][:4]], r"decoder's b2 must have shape \[5\], got"),
    "parameters": (5, lambda t: t[1:], r"parameters must be .*, got 17 tensors"),
    "residue": (6, lambda t: [t[0][:, :9], *t[1:]], r"residue centres must have shape \[any, 32\]"),
}


@both
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_name(run: Any, name: str) -> None:
    at, change, sentence = REFUSED[name]
    arguments = list(propose_arguments(2, 8, 3))
    arguments[at] = change(arguments[at])
    with pytest.raises(ValueError, match=sentence):
        run(*arguments, n_elite=4)


@both
@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"n_elite": 1}, r"n_elite must be from 2 to 8 candidates, got 1"),
        ({"n_elite": 9}, r"n_elite must be from 2 to 8 candidates, got 9"),
        ({"bandwidth": 0.0}, r"bandwidth must be finite and above 0, got 0"),
        ({"bandwidth": float("nan")}, r"bandwidth must be finite and above 0, got nan"),
        ({"bias": torch.zeros(8, 16)}, r"bias must have shape \[1, 16\], got \[8, 16\]"),
    ],
)
def test_numbers_and_biases_out_of_range_are_refused(run: Any, more: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(*propose_arguments(1, 8, 3), **{"n_elite": 4, **more})
