"""X3: the cue needs the world alone, not the body, and holds in layouts and sizes never seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..threads import one_thread
from .figure import BLUE, frame, panels, seed_dots
from .record import ExperimentRecord, Measurement, measure, seed_result, summarise
from .trained_cue import CueSizes, TrainedCue, depth, held_out, separation, trained_cue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .walks import Walks

NAME = "cue-only"
TITLE = "X3 Cue only"
CRITERION = (
    "With z_world fixed, and z_self and so E1's hidden state at random, action bias and terrain "
    "weights keep their bits; in worlds of sizes 12, 16 and 20, never walked before, w_harm tells "
    "danger from safety with AUC 0.95."
)
SIZES = (12, 16, 20)
_BODIES = 20


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: CueSizes | None = None,
) -> ExperimentRecord:
    """sizes: of the training and the walks; smaller ones are for tests."""
    chosen = sizes or CueSizes()
    results, raw = [], []
    for seed in seeds:
        report(f"seed {seed}: training the cue path")
        cue = trained_cue(seed, profile, chosen)
        measured, more = [_body(cue, seed, profile, chosen)], {}
        for size in SIZES:
            report(f"seed {seed}: walks in size {size}")
            with one_thread():
                area, details = _elsewhere(cue, held_out(seed, profile, chosen, size=size), size)
            measured.append(area)
            more[str(size)] = details
        results.append(seed_result(seed, measured, void=cue.void()))
        raw.append({"by_size": more, "balance": cue.targets.balance()})
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


@torch.no_grad()
def bodies_change(cue: TrainedCue, z_world: Tensor, seed: int) -> float:
    """The largest change of any output on z_world [N, 32] while the body and E1's state change."""
    generator = torch.Generator().manual_seed(seed)
    e1 = cue.e1
    wanted = torch.cat(e1.extract_cue_context(z_world), dim=1)
    largest = 0.0
    try:
        for _ in range(_BODIES):
            z_self = 10 * torch.randn(z_world.shape[0], e1.config.self_dim, generator=generator)
            e1(torch.cat([z_self, z_world], dim=1), 1)
            outputs = torch.cat(e1.extract_cue_context(z_world), dim=1)
            largest = max(largest, float((outputs - wanted).abs().max()))
    finally:
        e1.reset_hidden_state()
    return largest


def _body(cue: TrainedCue, seed: int, profile: str, sizes: CueSizes) -> Measurement:
    with one_thread(), torch.no_grad():
        z_world = cue.encoder(held_out(seed, profile, sizes).before("world")[:64])
        change = bodies_change(cue, z_world, seed)
    return measure("change by the body", change, "equal to", 0)


def _elsewhere(cue: TrainedCue, walks: Walks, size: int) -> tuple[Measurement, dict[str, Any]]:
    """AUC with the labels' threshold of the world it was trained in."""
    w_harm = cue.weights(walks.before("world"))[:, 0]
    dangerous = cue.dangerous(walks.before("harm"))
    area = measure(f"AUC, size {size}", separation(w_harm, dangerous), "at least", 0.95)
    share = float(dangerous.double().mean())
    return area, {"depth": depth(w_harm, dangerous), "dangerous": share}


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """AUC and depth by the size of the world."""
    left, right = panels(figure, 2)
    frame(left, "Danger told from safety", "size of the world", "AUC")
    seed_dots(left, record, [f"AUC, size {it}" for it in SIZES], [str(it) for it in SIZES])
    frame(right, "How far apart the weights are", "size of the world", "depth")
    for it in record.raw["seeds"]:
        depths = [it["by_size"][str(size)]["depth"] for size in SIZES]
        right.plot(range(len(SIZES)), depths, "o-", color=BLUE, markersize=4, alpha=0.6)
    right.set_xticks(range(len(SIZES)), [str(it) for it in SIZES])
    right.set_ylim(0, 0.7)
