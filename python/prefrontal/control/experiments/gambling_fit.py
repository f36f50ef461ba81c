"""How the three parameters of the gambling model were found: `fit()` gives them again.

The distance is the RMSE between the block means of simulated people and of HEALTHY; neither the
lesion nor the shares of the decks enter. First a coarse search of the whole box, then a fine one
around the best, with a quadratic in the logarithms of the parameters through each block's mean;
taken is the quadratics' best, not the luckiest setting tried, so that the interval, which draws the
people anew, is one of the same estimate. All settings are played by the same people.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass

import torch
from torch import Tensor

from ..threads import one_thread
from .gambling_subjects import GamblingParameters, play
from .gambling_task import HEALTHY, block_nets

BOX = ((0.01, 0.3), (0.05, 1.0), (0.3, 4.0))
"""Searched for each of GamblingParameters' fields, evenly in its logarithm."""
FIT_SEED = 1_000_003  # people who are in no experiment

FITTED_RMSE = 1.048
FITTED_INTERVAL = {
    "learning_rate": (0.06295, 0.1182),
    "temperature": (0.3245, 0.5848),
    "harm_weight": (0.9986, 1.368),
}
"""What `fit()` gave, with the defaults of GamblingParameters. The interval is over people who share
one network; networks drawn anew move the RMSE by a tenth or so."""

_NEAR = 0.45  # half the width of the fine box, in natural logarithms
_LOOKED_AT = 8192  # points of the quadratics
Simulate = Callable[[GamblingParameters], Tensor]


@dataclass(frozen=True, slots=True)
class Fit:
    """parameters: the best. rmse: of a simulation with them. interval: of each field, 95 %, by a
    bootstrap over the simulated people. evaluations: settings simulated."""

    parameters: GamblingParameters
    rmse: float
    interval: dict[str, tuple[float, float]]
    evaluations: int


def fit(
    *,
    people: int = 256,
    coarse: int = 48,
    fine: int = 48,
    draws: int = 500,
    profile: str = "sound",
    simulate: Simulate | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> Fit:
    """The parameters nearest to HEALTHY's blocks; about 100 plays of 256 people.

    coarse, fine: settings tried in each search, fine at least 10. draws: of the bootstrap.
    simulate: nets [people, 5] of a setting, in place of `play`.
    """
    nets_of = simulate or (
        lambda it: block_nets(play(it, people, FIT_SEED, profile=profile).choices)
    )
    low, high = torch.tensor(BOX, dtype=torch.float64).log().unbind(1)
    first = _spread(coarse, low, high)
    tried = _simulated(first, nets_of, report)
    centre = first[_distances(tried.mean(1)).argmin()]
    near = _spread(fine, (centre - _NEAR).clamp(min=low), (centre + _NEAR).clamp(max=high))
    nets = _simulated(near, nets_of, report)
    parameters = _parameters(_lowest(near, nets.mean(1)))
    rmse = distance(nets_of(parameters).mean(0))
    return Fit(parameters, rmse, _interval(near, nets, draws), coarse + fine + 1)


def distance(blocks: Tensor) -> float:
    """RMSE of block means [5] to those of HEALTHY."""
    return float(_distances(blocks.double()))


def _distances(blocks: Tensor) -> Tensor:
    return (blocks - blocks.new_tensor(HEALTHY.blocks)).square().mean(-1).sqrt()


def _spread(count: int, low: Tensor, high: Tensor) -> Tensor:
    """So many points of a Sobol sequence in the box: [count, 3]."""
    points = torch.quasirandom.SobolEngine(len(low), scramble=True, seed=1).draw(count)
    spread: Tensor = low + (high - low) * points.double()
    return spread


def _parameters(logarithms: Tensor) -> GamblingParameters:
    return GamblingParameters(*(round(it, 4) for it in logarithms.exp().tolist()))


def _simulated(points: Tensor, nets_of: Simulate, report: Callable[[str], None]) -> Tensor:
    """Nets of the people at each point: [points, people, 5]."""
    nets = []
    for place, it in enumerate(points):
        parameters = _parameters(it)
        with one_thread():
            nets.append(nets_of(parameters).double())
        blocks = nets[-1].mean(0)
        report(f"{place + 1} of {len(points)}: {astuple(parameters)} RMSE {distance(blocks):.2f}")
    return torch.stack(nets)


def _terms(points: Tensor, centre: Tensor) -> Tensor:
    """1, x, and the products of two of x: [P, 10]."""
    x = points - centre
    pairs = [x[:, i] * x[:, j] for i in range(3) for j in range(i, 3)]
    return torch.cat([torch.ones(len(x), 1, dtype=x.dtype), x, torch.stack(pairs, 1)], dim=1)


def _lowest(points: Tensor, blocks: Tensor) -> Tensor:
    """Where the quadratics through blocks [points, 5] come nearest to HEALTHY: [3]."""
    centre = points.mean(0)
    coefficients = torch.linalg.lstsq(_terms(points, centre), blocks).solution
    grid = _spread(_LOOKED_AT, points.amin(0), points.amax(0))
    return grid[_distances(_terms(grid, centre) @ coefficients).argmin()]


def _interval(points: Tensor, nets: Tensor, draws: int) -> dict[str, tuple[float, float]]:
    generator = torch.Generator().manual_seed(FIT_SEED)
    people = nets.shape[1]
    drawn = torch.randint(people, (draws, people), generator=generator)
    optima = torch.stack([_lowest(points, nets[:, rows].mean(1)) for rows in drawn]).exp()
    tails = torch.tensor([0.025, 0.975], dtype=optima.dtype)
    low, high = torch.quantile(optima, tails, dim=0).tolist()
    names = GamblingParameters.__slots__
    return {name: (_rounded(a), _rounded(b)) for name, a, b in zip(names, low, high, strict=True)}


def _rounded(value: float) -> float:
    return round(value, 3 - math.floor(math.log10(value)))
