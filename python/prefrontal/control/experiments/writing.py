"""X5: what is written online, without a gradient, is called up by its cue alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..threads import one_thread
from .bootstrap import bootstrap_interval
from .figure import BLUE, RED, frame, legend, panels, seed_dots, target_line
from .record import ExperimentRecord, SeedResult, measure, seed_result, summarise
from .writing_task import PLACES, Contexts, bank, contexts, decoded, decoder, mean_cosine, write_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..memory.context_memory import ContextMemory

NAME = "writing"
TITLE = "X5 Association by writing"
CRITERION = (
    "8 contexts shown 20 times with noise: top-1 slot purity >= 0.9, outcome decoded with "
    "R2 >= 0.8, recall after one showing >= 0.8. After 800 writes of 32 contexts: >= 12 of 16 "
    "slots written, mean |cos| <= 0.3; the reference's rule must fail (>= 0.99). Keys: the slots."
)
SHARES = ("slot purity", "decode R2", "one-shot recall")


@dataclass(frozen=True, slots=True)
class WritingSizes:
    """contexts, showings, probes: of the recall, how many, and how often each is shown and probed.
    stream, writes: of the bank, contexts and presentations. noise: see Contexts."""

    contexts: int = 8
    showings: int = 20
    probes: int = 20
    stream: int = 32
    writes: int = 800
    noise: float = 0.3


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: WritingSizes | None = None,
) -> ExperimentRecord:
    """sizes: smaller ones for a quick look."""
    results, raw = [], []
    for seed in seeds:
        report(f"seed {seed}: writing and asking")
        with one_thread(), torch.no_grad():
            result, behind = _measured(seed, profile, sizes or WritingSizes())
        results.append(result)
        raw.append(behind)
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


def _measured(seed: int, profile: str, sizes: WritingSizes) -> tuple[SeedResult, dict[str, Any]]:
    often = recall(bank(seed, profile), seed, sizes, showings=sizes.showings)
    once = recall(bank(seed, profile), seed, sizes, showings=1)
    drawn = recall(bank(seed, profile, keys_as_drawn=True), seed, sizes, showings=sizes.showings)
    ours, reference = bank(seed, profile), bank(seed, None)
    curves = [written_bank(it, seed, sizes) for it in (ours, reference)]
    measurements = [
        measure("slot purity", often.purity, "at least", 0.9, often.purity_interval),
        measure("decode R2", often.explained, "at least", 0.8),
        measure("one-shot recall", once.purity, "at least", 0.8, once.purity_interval),
        measure("slots written", ours.occupancy, "at least", 12),
        measure("mean |cos|", curves[0][-1][1], "at most", 0.3),
        measure("mean |cos|, reference", curves[1][-1][1], "at least", 0.99),
    ]
    behind = {
        "cosines": curves[0],
        "cosines_reference": curves[1],
        "outcomes": often.outcomes,
        "decoded": often.decoded,
        "decode_r2_once": once.explained,
        "slots_of_contexts": often.table,
        "purity_keys_as_drawn": drawn.purity,
        "decode_r2_keys_as_drawn": drawn.explained,
    }
    return seed_result(seed, measurements), behind


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """purity: of the probes, how many call up a slot that was mostly written by their context.
    explained: R2 of the outcomes decoded. table: writes of each slot by each context."""

    purity: float
    purity_interval: tuple[float, float]
    explained: float
    table: Tensor
    outcomes: Tensor
    decoded: Tensor


def recall(memory: ContextMemory, seed: int, sizes: WritingSizes, *, showings: int) -> Recall:
    """Show every context so often, in any order, then ask by the cues alone."""
    generator = torch.Generator().manual_seed(seed)
    known = contexts(sizes.contexts, sizes.noise, generator)
    order = _shuffled(torch.arange(sizes.contexts).repeat(showings), generator)
    slots = write_all(memory, known.present(order, generator))
    table = torch.zeros(memory.config.num_slots, sizes.contexts, dtype=torch.int64)
    table.index_put_((slots, order), torch.ones_like(order), accumulate=True)
    targets = torch.arange(sizes.contexts).repeat_interleave(sizes.probes)
    probes = known.ask(targets, generator)
    right = owned(table, memory.read_weights(probes).argmax(1), targets)
    answers = decoded(memory, probes, decoder(memory, known, generator))
    return Recall(
        float(right.double().mean()),
        bootstrap_interval(right.double().numpy()),
        explained(known.outcomes[targets], answers),
        table,
        known.outcomes,
        answers.unflatten(0, (sizes.contexts, sizes.probes)).mean(1).round(decimals=PLACES),
    )


def owned(table: Tensor, slots: Tensor, which: Tensor) -> Tensor:
    """Whether each slot [N] was written by the context `which` [N] more than by all others."""
    return table[slots, which] * 2 > table[slots].sum(1)


def explained(outcomes: Tensor, answers: Tensor) -> float:
    """R2 [N, 4] over all numbers together: 1 - squared error / squared distance to the mean."""
    around = (outcomes - outcomes.mean(0)).square().sum()
    return round(float(1 - (answers - outcomes).square().sum() / around), PLACES)


def written_bank(memory: ContextMemory, seed: int, sizes: WritingSizes) -> list[tuple[int, float]]:
    """(writes, mean |cos|) along a stream of contexts, drawn anew for every write."""
    generator = torch.Generator().manual_seed(seed)
    known: Contexts = contexts(sizes.stream, sizes.noise, generator)
    order = torch.randint(sizes.stream, (sizes.writes,), generator=generator)
    states, curve = known.present(order, generator), [(0, mean_cosine(memory))]
    part = max(sizes.writes // 20, 1)
    for start in range(0, sizes.writes, part):
        write_all(memory, states[start : start + part])
        curve.append((min(start + part, sizes.writes), mean_cosine(memory)))
    return curve


def _shuffled(rows: Tensor, generator: torch.Generator) -> Tensor:
    return rows[torch.randperm(len(rows), generator=generator)]


# --- the figure -----------------------------------------------------------------------------------


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Recall by seed, the outcomes that were decoded, and how alike the slots become."""
    shares, answers, alike = panels(figure, 3)
    frame(shares, "Recall by the cue alone, by seed", "", "share, R2")
    seed_dots(shares, record, SHARES, ("purity", "decode R2", "one shot"))
    shares.set_ylim(-0.05, 1.05)
    _draw_answers(answers, record)
    _draw_alike(alike, record)


def _draw_answers(axes: Axes, record: ExperimentRecord) -> None:
    frame(axes, "Outcomes called up", "outcome", "decoded")
    for it in record.raw["seeds"]:
        axes.plot(np.ravel(it["outcomes"]), np.ravel(it["decoded"]), ".", color=BLUE, alpha=0.4)
    axes.axline((0, 0), slope=1, color="black", linewidth=0.7)


def _draw_alike(axes: Axes, record: ExperimentRecord) -> None:
    frame(axes, "Mean |cos| of two slots", "writes")
    target_line(axes, 0.3, "0.3")
    for key, colour, name in (
        ("cosines", BLUE, record.profile),
        ("cosines_reference", RED, "the reference's rule"),
    ):
        for place, it in enumerate(record.raw["seeds"]):
            writes, cosines = zip(*it[key], strict=True)
            axes.plot(writes, cosines, color=colour, label=name if place == 0 else None)
    axes.set_ylim(0, 1.05)
    legend(axes, "center right")
