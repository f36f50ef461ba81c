"""X4: the answer comes from the memory's slots, and what that does not show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..threads import one_thread
from .figure import BLUE, SOFT, frame, panels
from .record import ExperimentRecord, Measurement, measure, seed_result, summarise
from .trained_cue import CueSizes, TrainedCue, depth, held_out, separation, terrain_of, trained_cue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "attribution"
TITLE = "X4 Retrieval attribution"
CRITERION = (
    "The trained path has a depth of 0.45. Slots in another order change outputs by at most 1e-6; "
    "with all slots at their mean, or at 0, AUC is 0.5 and depth 0; random slots of equal scale "
    "put in afterwards leave a mean |depth| of at most 0.2. Beside: trained around random slots."
)
_ORDERS = 8
_WORLDS = 48  # walked to measure: enough for a mean, for so many banks
_BANKS = ("trained", "another order", "mean slot", "zeros", "random slots", "trained around random")


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: CueSizes | None = None,
    banks: int = 16,
) -> ExperimentRecord:
    """banks: random ones of each seed. sizes: of the training; smaller ones are for tests."""
    chosen = sizes or CueSizes()
    results, raw = [], []
    for seed in seeds:
        report(f"seed {seed}: training the cue path")
        cue = trained_cue(seed, profile, chosen)
        report(f"seed {seed}: training around random slots")
        around = trained_cue(seed, profile, chosen, frozen_bank=True)
        report(f"seed {seed}: exchanging the slots")
        with one_thread(), torch.no_grad():
            walks = held_out(seed, profile, replace(chosen, held_out_worlds=_WORLDS))
            z, dangerous = cue.encoder(walks.before("world")), cue.dangerous(walks.before("harm"))
            measured, more = exchanged(cue, z, dangerous, seed, banks)
            w_harm = terrain_of(around.e1, around.encoder(walks.before("world")))[:, 0]
        more["depths"]["trained around random"] = depth(w_harm, dangerous)
        more["aucs"]["trained around random"] = separation(w_harm, dangerous)
        results.append(seed_result(seed, measured, void=cue.void()))
        raw.append(more)
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


@torch.no_grad()
def exchanged(
    cue: TrainedCue, z: Tensor, dangerous: Tensor, seed: int, banks: int
) -> tuple[list[Measurement], dict[str, Any]]:
    """What is left of the weights of the cues z [N, 32] with other slots in the trained path.

    Of a path that learned nothing, nothing would be left with any: its own depth is asked first.
    """
    generator = torch.Generator().manual_seed(seed)
    slots = cue.e1.context_memory.memory.detach().clone()
    whole = torch.cat(cue.e1.extract_cue_context(z), dim=1)
    w_harm = {"trained": whole[:, -2]}
    moved = 0.0
    for _ in range(_ORDERS):
        order = torch.randperm(len(slots), generator=generator)
        with bank(cue, slots[order]):
            outputs = torch.cat(cue.e1.extract_cue_context(z), dim=1)
        moved = max(moved, float((outputs - whole).abs().max()))
    w_harm["another order"] = outputs[:, -2]
    for name, other in (
        ("mean slot", slots.mean(dim=0).expand_as(slots)),
        ("zeros", torch.zeros_like(slots)),
    ):
        with bank(cue, other):
            w_harm[name] = terrain_of(cue.e1, z)[:, 0]
    random = []
    for _ in range(banks):
        with bank(cue, slots.std() * torch.randn(slots.shape, generator=generator)):
            random.append(depth(terrain_of(cue.e1, z)[:, 0], dangerous))
    depths = {name: depth(it, dangerous) for name, it in w_harm.items()}
    aucs = {name: separation(it, dangerous) for name, it in w_harm.items()}
    mean = sum(map(abs, random)) / len(random)
    found_out = [
        measure("depth, trained slots", depths["trained"], "at least", 0.45),
        measure("change by another order", moved, "at most", 1e-6),
        measure("AUC, mean slot", aucs["mean slot"], "equal to", 0.5),
        measure("AUC, zeros", aucs["zeros"], "equal to", 0.5),
        measure("|depth|, mean slot", abs(depths["mean slot"]), "at most", 1e-6),
        measure("|depth|, zeros", abs(depths["zeros"]), "at most", 1e-6),
        measure("mean |depth|, random slots", mean, "at most", 0.2),
    ]
    return found_out, {"depths": depths, "aucs": aucs, "random_depths": random}


@contextmanager
def bank(cue: TrainedCue, slots: Tensor) -> Iterator[None]:
    """Other slots in the memory, for a while."""
    memory = cue.e1.context_memory.memory
    before = memory.detach().clone()
    try:
        memory.copy_(slots)
        yield
    finally:
        memory.copy_(before)


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """The depth that each bank of slots gives."""
    (axes,) = panels(figure, 1)
    frame(axes, "What is left of the depth with other slots", "", "depth")
    for column, name in enumerate(_BANKS):
        for place, it in enumerate(record.raw["seeds"]):
            depths = it["random_depths"] if name == "random slots" else [it["depths"][name]]
            across = column + 0.1 * (place - (len(record.raw["seeds"]) - 1) / 2)
            axes.plot([across] * len(depths), depths, "o", color=BLUE, markersize=4, alpha=0.55)
    for edge in (-0.2, 0.2):
        axes.hlines(edge, 3.6, 4.4, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.set_xticks(range(len(_BANKS)), [it.replace(" ", "\n", 1) for it in _BANKS])
