"""X11: drive raises the weight of goals, whatever the cue, never that of harm; and it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..choice.allostasis import AllostaticCoupling
from ..threads import one_thread
from .bootstrap import bootstrap_interval
from .figure import AMBER, BLUE, GREEN, RED, band, frame, legend, panels, target_line
from .foraging import ForagingOutcome, forage, imagined, layouts, taught_selector
from .record import ExperimentRecord, SeedResult, measure, seed_result, summarise
from .trained_cue import CueSizes, TrainedCue, held_out, trained_cue, world_config

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

NAME = "allostasis"
TITLE = "X11 Allostatic coupling"
CRITERION = (
    "Over a grid of drives from 0 to 1, w_goal never falls (Spearman 1) and is at least 0.8 at "
    "drive 1 for any cue, and w_harm does not move; a resource beside a hazard is fetched in a "
    "share of trials at least 0.2 higher at drive 1 than at drive 0."
)
FLOOR, RISE, ROOM = 0.8, 0.2, 0.8
DRIVES = (0.0, 0.25, 0.5, 0.75, 1.0)
GRID = torch.linspace(0, 1, 21, dtype=torch.float64)
CUES = 400  # met on held-out walks, beside those of every size


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: CueSizes | None = None,
    trials: int = 60,
    steps: int = 15,
    lessons: int = 2000,
    lesson_layouts: int = 60,
) -> ExperimentRecord:
    """sizes: of the cue's training. trials: layouts, of so many steps at most. lessons: batches
    that the heads of harm and benefit learn from, on the cells of lesson_layouts layouts."""
    results, raw = [], []
    config = world_config(profile, drift_prob=0.0)
    chosen = sizes or CueSizes()
    with one_thread():
        for seed in seeds:
            report(f"seed {seed}: training the cue and the heads")
            cue = trained_cue(seed, profile, chosen)
            e3 = taught_selector(cue.encoder, seed, config, steps=lessons, count=lesson_layouts)
            places = layouts(seed, trials, config.size)
            with torch.no_grad():
                latents = torch.stack([cue.encoder(imagined(config, it)) for it in places])
            outcomes = []
            for drive in DRIVES:
                report(f"seed {seed}: foraging at drive {drive:g}")
                precision = _coupled(cue, drive)
                outcomes.append(forage(latents, e3, precision, config, places, steps=steps))
            walks = held_out(seed, profile, replace(chosen, held_out_worlds=20, held_out_steps=20))
            result, numbers = _judged(seed, cue.weights(walks.before("world")[:CUES]), outcomes)
            results.append(result)
            raw.append(numbers)
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


def _coupled(cue: TrainedCue, drive: float) -> Callable[[Tensor], Tensor]:
    coupling = AllostaticCoupling(floor=FLOOR)
    return lambda world: coupling(cue.weights(world), drive)


def _judged(
    seed: int, met: Tensor, outcomes: Sequence[ForagingOutcome]
) -> tuple[SeedResult, dict[str, Any]]:
    """met: terrain weights [N, 2] of cues that were met; outcomes: by drive."""
    cues = torch.cat([met.double(), _every_size()])
    coupling = AllostaticCoupling(floor=FLOOR)
    raised = torch.stack([coupling(cues, float(it)) for it in GRID], dim=1)  # [N, 21, 2]
    goal = raised[..., 1]
    fetched = np.array([it.fetched for it in outcomes], dtype=np.float64)
    rises = fetched[-1] - fetched[0]
    measurements = [
        measure("smallest step of w_goal", float(goal.diff(dim=1).min()), "at least", 0.0),
        measure("smallest Spearman", min(map(_spearman, goal.numpy())), "at least", 1 - 1e-12),
        measure("smallest w_goal at drive 1", float(goal[:, -1].min()), "at least", FLOOR),
        measure("w_harm moved", _moved(raised, cues), "equal to", 0.0),
        measure("foraging rise", rises.mean(), "at least", RISE, bootstrap_interval(rises)),
    ]
    raw = {
        "drives": DRIVES,
        "fetched": fetched.mean(axis=1),
        "hurt": [float(np.mean(it.hurt)) for it in outcomes],
        "grid": GRID,
        "w_goal": _by_share(raised[: len(met), :, 1]),
        "w_harm": _by_share(raised[: len(met), :, 0]),
    }
    share = float(fetched[0].mean())
    void = f"{share:.0%} were fetched without drive, no room to rise" if share > ROOM else ""
    return seed_result(seed, measurements, void=void), raw


def _every_size() -> Tensor:
    """Terrain weights of all sizes [121, 2], next to 0 and next to 1 included."""
    ends = torch.tensor([1e-9, 1 - 1e-9], dtype=torch.float64)
    values = torch.cat([ends, torch.linspace(0.1, 0.9, 9, dtype=torch.float64)])
    return torch.cartesian_prod(values, values)


def _moved(raised: Tensor, cues: Tensor) -> float:
    return float((raised[..., 0] - cues[:, None, 0]).abs().max())


def _by_share(values: Tensor) -> dict[str, Tensor]:
    """The middle over the cues [21], and the range of nine tenths of them."""
    shares = torch.tensor([0.05, 0.5, 0.95], dtype=values.dtype)
    return dict(zip(("low", "middle", "high"), values.quantile(shares, dim=0), strict=True))


def _spearman(values: NDArray[np.float64]) -> float:
    """Rank correlation of values with their places, ties at their middle rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    if ranks.min() == ranks.max():
        return 0.0
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1])


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Weights over drive, and what is fetched and met."""
    weights, foraging = panels(figure, 2)
    raw = record.raw["seeds"]
    grid = raw[0]["grid"]
    for name, colour in (("w_goal", GREEN), ("w_harm", RED)):
        low, middle, high = (
            np.mean([np.asarray(it[name][end], dtype=float) for it in raw], axis=0)
            for end in ("low", "middle", "high")
        )
        weights.plot(grid, middle, color=colour, linewidth=1.8, label=name)
        for end in (low, high):
            weights.plot(grid, end, color=colour, linewidth=0.9, linestyle=":")
    target_line(weights, FLOOR)
    weights.set_ylim(0, 1.05)
    frame(weights, "Weights of the cues met (5, 50, 95 %)", "drive", "weight")
    legend(weights, "lower right")
    band(foraging, DRIVES, [it["fetched"] for it in raw], BLUE, "resource fetched")
    band(foraging, DRIVES, [it["hurt"] for it in raw], AMBER, "hazard met")
    foraging.set_ylim(-0.02, 1.05)
    frame(foraging, "A resource beside a hazard", "drive", "share of trials")
    legend(foraging, "upper left")
