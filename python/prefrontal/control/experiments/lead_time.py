"""X2: by how many steps the precision weight leads the slow harm stream on the way to a hazard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..threads import one_thread
from .bootstrap import bootstrap_interval
from .corridor import DISTANCE, Corridors, corridors
from .figure import AMBER, BLUE, RED, SOFT, band, frame, legend, panels, target_line
from .record import ExperimentRecord, measure, seed_result, summarise
from .trained_cue import CueSizes, TrainedCue, held_out, terrain_of, trained_cue, world_config

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .walks import Walks

NAME = "lead-time"
TITLE = "X2 Lead time"
CRITERION = (
    "On straight walks to a hazard from 8 steps away, w_harm rises above 0.5 at least 5 steps "
    "before the slow harm stream passes half of its peak after contact, in 95 % of the runs, and "
    "on at most 10 % of safe steps of held-out walks; with all weights 0.5 it never leads."
)
_LEAST_LEAD = 5
_LATENT_RATE = 0.3  # of the average that the agent's own latent is


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: CueSizes | None = None,
    runs: int = 200,
) -> ExperimentRecord:
    """runs: walks of each seed. sizes: of the training; smaller ones are for tests."""
    chosen = sizes or CueSizes()
    results, raw = [], []
    for seed in seeds:
        report(f"seed {seed}: training the cue path")
        cue = trained_cue(seed, profile, chosen)
        report(f"seed {seed}: {runs} walks to a hazard")
        with one_thread():
            alarms = false_alarms(cue, held_out(seed, profile, chosen))
            walks = corridors(seed, runs, world_config(profile))
            w_harm = watched(cue, walks)
            averaged = watched(cue, walks, rate=_LATENT_RATE)
        stream = walks.harm_stream
        lead = leads(w_harm, stream)
        lesion = leads(torch.full_like(w_harm, 0.5), stream)
        share = (lead >= _LEAST_LEAD).double()
        measured = [
            measure(
                "share of runs with lead 5", float(share.mean()), "at least", 0.95,
                bootstrap_interval(share.numpy()),
            ),
            measure("mean lead", float(lead.mean()), "at least", _LEAST_LEAD),
            measure("false alarms", alarms, "at most", 0.1),
            measure("longest lead, lesion", float(lesion.max()), "at most", 0),
        ]  # fmt: skip
        results.append(seed_result(seed, measured, void=cue.void()))
        raw.append(_described(w_harm, stream, lead, leads(averaged, stream)))
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


@torch.no_grad()
def watched(cue: TrainedCue, walks: Corridors, *, rate: float = 1.0) -> Tensor:
    """w_harm [R, steps] along the runs; rate below 1: of a running average of the latent."""
    z: Tensor = cue.encoder(walks.world.flatten(0, 1)).reshape(*walks.world.shape[:2], -1)
    averages = [z[:, 0]]
    for step in range(1, z.shape[1]):
        averages.append(averages[-1].lerp(z[:, step], rate))
    rows = torch.stack(averages, dim=1)
    return terrain_of(cue.e1, rows.flatten(0, 1))[:, 0].reshape(rows.shape[:2])


def false_alarms(cue: TrainedCue, walks: Walks) -> float:
    """The share of safe steps on which w_harm is above 0.5: what is always on leads by no merit."""
    safe = ~cue.dangerous(walks.before("harm"))
    w_harm = cue.weights(walks.before("world"))[:, 0]
    return float((w_harm[safe] > 0.5).double().mean())


def leads(w_harm: Tensor, stream: Tensor) -> Tensor:
    """Steps [R] from w_harm's rise above 0.5 to the stream's half of its peak since the contact.

    A weight that never rises counts as rising at the end, and so leads by nothing.
    """
    high = w_harm > 0.5
    rise = torch.where(high.any(dim=1), high.int().argmax(dim=1), w_harm.shape[1] - 1)
    half = stream[:, DISTANCE:].amax(dim=1, keepdim=True) / 2
    return (stream > half).int().argmax(dim=1) - rise.double()


def _described(w_harm: Tensor, stream: Tensor, lead: Tensor, averaged: Tensor) -> dict[str, Any]:
    return {
        "w_harm": w_harm.mean(dim=0),
        "harm_stream": (stream / stream.amax(dim=1, keepdim=True)).mean(dim=0),
        "leads": lead.int(),
        "leads_of_averaged_latent": averaged.int(),
        "share_with_averaged_latent": float((averaged >= _LEAST_LEAD).double().mean()),
    }


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """The weight and the stream along the walk, and how the leads spread."""
    left, right = panels(figure, 2)
    seeds = record.raw["seeds"]
    frame(left, "On the way to the hazard", "step", "w_harm; stream / its peak")
    if seeds:
        steps = range(len(seeds[0]["w_harm"]))
        band(left, steps, [it["w_harm"] for it in seeds], BLUE, "w_harm")
        band(left, steps, [it["harm_stream"] for it in seeds], RED, "slow harm stream")
    left.axvline(DISTANCE, color=SOFT, linewidth=1, label="contact")
    target_line(left, 0.5)
    legend(left, "lower right")
    frame(right, "Lead of each run", "steps", "share of runs")
    edges = [at - 0.5 for at in range(-12, 17)]
    for name, key, colour in (
        ("latent as seen", "leads", BLUE),
        ("latent averaged, rate 0.3", "leads_of_averaged_latent", AMBER),
    ):
        values = np.concatenate([it[key] for it in seeds]) if seeds else np.empty(0)
        weights = np.full(len(values), 1 / max(len(values), 1))
        right.hist(values, edges, weights=weights, color=colour, alpha=0.55, label=name)
    right.axvline(_LEAST_LEAD, color=SOFT, linewidth=1, linestyle=(0, (4, 3)), label="target")
    legend(right, "upper left")
