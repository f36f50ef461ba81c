"""ThetaBuffer keeps the last ten moments and sums them up."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch
from torch import Tensor

from prefrontal.control import ThetaBuffer


def moments(count: int, rows: int = 1) -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.randn(rows, 32, generator=generator), torch.randn(rows, 32, generator=generator))
        for _ in range(count)
    ]


def test_the_summary_is_the_plain_mean_of_the_last_ten() -> None:
    buffer, given = ThetaBuffer(), moments(14, rows=3)
    for n, pair in enumerate(given, start=1):
        buffer.append(*pair)
        assert len(buffer) == min(n, 10)
        kept = given[max(0, n - 10) : n]
        for part, found in enumerate(buffer.summary()):
            torch.testing.assert_close(found, torch.stack([it[part] for it in kept]).mean(dim=0))


def test_by_phase_later_moments_count_more_so_that_order_matters() -> None:
    buffer = ThetaBuffer(4, weighting="phase")
    for n in range(4):
        buffer.append(torch.eye(4)[n : n + 1], torch.ones(1, 2))
    weights, selves = buffer.summary()
    raised = [math.sin(math.pi * (n + 0.5) / 8) ** 2 for n in range(4)]
    torch.testing.assert_close(weights[0], torch.tensor(raised) / sum(raised))
    torch.testing.assert_close(selves, torch.ones(1, 2))
    assert not torch.allclose(weights, weights.flip(1))  # as the reversed order has it
    single = ThetaBuffer(weighting="phase")
    single.append(*moments(1)[0])
    torch.testing.assert_close(single.summary()[0], moments(1)[0][0])


def test_what_is_kept_has_no_graph_and_is_a_copy() -> None:
    buffer, world = ThetaBuffer(), torch.ones(1, 32, requires_grad=True)
    buffer.append(world * 1, world * 1)
    plain = torch.zeros(1, 32)
    buffer.append(plain, plain)
    plain += 9
    worlds, selves = buffer.summary()
    assert not worlds.requires_grad and not selves.requires_grad
    assert torch.equal(worlds, torch.full((1, 32), 0.5))


def test_it_can_be_cleared_copied_and_pickled() -> None:
    buffer = ThetaBuffer()
    buffer.append(*moments(1)[0])
    others = copy.deepcopy(buffer), pickle.loads(pickle.dumps(buffer))
    buffer.reset()
    assert len(buffer) == 0
    for other in others:
        torch.testing.assert_close(other.summary()[0], moments(1)[0][0])
    buffer.append(*moments(1, rows=5)[0])  # another batch, now that nothing is kept
    assert buffer.summary()[0].shape == (5, 32)
    buffer.clear()
    buffer.append(torch.empty(0, 32), torch.empty(0, 32))
    assert buffer.summary()[0].shape == (0, 32)


def test_what_cannot_be_is_refused() -> None:
    buffer = ThetaBuffer()
    with pytest.raises(ValueError, match="^theta buffer must hold at least one moment, got none$"):
        buffer.summary()
    buffer.append(*moments(1)[0])
    with pytest.raises(ValueError, match=r"^z_self must have shape \(1, 32\), got \(2, 32\)$"):
        buffer.append(torch.zeros(1, 32), torch.zeros(2, 32))
    assert len(buffer) == 1
    with pytest.raises(ValueError, match="^size must be a whole number of at least 1, got 0$"):
        ThetaBuffer(0)
    with pytest.raises(ValueError, match="^weighting must be one of mean, phase, got 'loud'$"):
        ThetaBuffer(weighting="loud")  # type: ignore[arg-type]
