"""X6: does the cue's action bias turn proposals away from a hazard that was never met?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..choice.e3 import E3Config, E3TrajectorySelector
from ..choice.trajectory import Trajectories
from ..threads import one_thread
from .affordance_states import NEAR, Layouts, held_out_layouts
from .affordance_training import Taught, taught
from .bootstrap import bootstrap_interval
from .figure import AMBER, BLUE, RED, band, frame, legend, panels
from .record import ExperimentRecord, SeedResult, measure, seed_result, summarise
from .trained_cue import world_config

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..choice.hippocampal import HippocampalModule

NAME = "affordance"
TITLE = "X6 Affordance shift by a cue"
CRITERION = (
    "In layouts not seen before, a hazard 1 to 3 cells away and not met: with three iterations "
    "the share of first actions that lead away is at least 0.15 higher under the place's own cue "
    "than under the cue of the same place with the hazard far off. Scores do not move by the bias, "
    "nor do proposals with one iteration; mode e3_score reorders candidates."
)
RISE, REORDERED = 0.15, 0.5
CUES = ("hazard", "none", "safe")
ITERATIONS = (1, 2, 3, 4)
THREE = ITERATIONS.index(3)


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    worlds: int = 2000,
    walk: int = 12,
    steps: int = 1500,
    layouts: int = 80,
) -> ExperimentRecord:
    """worlds, walk: of the random walks learned from; steps: of each learning; layouts: asked."""
    results, raw = [], []
    with one_thread():
        for seed in seeds:
            report(f"seed {seed}: learning from {worlds * walk} random steps")
            parts = taught(seed, profile, worlds=worlds, walk=walk, steps=steps)
            report(f"seed {seed}: proposals in {layouts} layouts")
            places = held_out_layouts(1000 + seed, layouts, world_config(profile))
            result, numbers = _asked(seed, parts, places)
            results.append(result)
            raw.append(numbers)
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


@torch.no_grad()
def _asked(seed: int, parts: Taught, layouts: Layouts) -> tuple[SeedResult, dict[str, Any]]:
    z = parts.encoder(layouts.near)
    hazard = parts.e1.extract_cue_context(z)[0]
    safe = parts.e1.extract_cue_context(parts.encoder(layouts.far))[0]
    biases = dict(zip(CUES, (hazard, None, safe), strict=True))
    candidates = {
        cue: [_proposed(parts.hippocampal, z, biases[cue], n, seed) for n in ITERATIONS]
        for cue in CUES
    }
    shares = {cue: [_leading_away(it, layouts) for it in candidates[cue]] for cue in CUES}
    rises = shares["hazard"][THREE] - shares["safe"][THREE]
    moved_scores, reordered = _scores(seed, candidates["hazard"][THREE], hazard)
    inert = candidates["hazard"][0].actions - candidates["safe"][0].actions
    strange = _proposed(parts.hippocampal, z, hazard.roll(1, dims=0), ITERATIONS[THREE], seed)
    measurements = [
        measure("rise", float(rises.mean()), "at least", RISE, bootstrap_interval(rises)),
        measure("scores moved by the bias", moved_scores, "equal to", 0.0),
        measure("actions moved, 1 iteration", float(inert.abs().max()), "equal to", 0.0),
        measure("reordered by e3_score", reordered, "at least", REORDERED),
    ]
    distances = [layouts.distances == it for it in NEAR]
    raw = {
        "share_away": {c: [float(it.mean()) for it in shares[c]] for c in CUES},
        "share_away_by_distance": {
            c: [float(shares[c][THREE][it].mean()) for it in distances] for c in CUES
        },
        "share_away_by_the_cue_of_another_place": float(_leading_away(strange, layouts).mean()),
        "by_chance": float(layouts.leads_away.float().mean()),
        "loss": parts.losses,
        "spread_of_the_untaught_bias": parts.untaught_spread,
    }
    return seed_result(seed, measurements), raw


def _proposed(
    hippocampal: HippocampalModule, z: Tensor, bias: Tensor | None, iterations: int, seed: int
) -> Trajectories:
    """The same numbers are drawn for every cue, so that only the bias differs."""
    config = hippocampal.config
    hippocampal.config = dataclasses.replace(config, num_cem_iterations=iterations)
    try:
        generator = torch.Generator().manual_seed(seed)
        z_self = torch.zeros_like(z)
        return hippocampal.propose(z_self, z, action_bias=bias, generator=generator)
    finally:
        hippocampal.config = config


def _leading_away(drawn: Trajectories, layouts: Layouts) -> Tensor:
    """Of each layout's candidates, the share whose first action leads away [N]."""
    first = drawn.first_actions.argmax(dim=-1)  # [K, N]
    return layouts.leads_away.gather(1, first.T).double().mean(dim=1)


def _scores(seed: int, drawn: Trajectories, bias: Tensor) -> tuple[float, float]:
    """How far the bias moves E3's scores in mode proposal, and the share it reorders in e3_score.

    The same trajectories are scored with the bias in their action objects and without.
    """
    without = dataclasses.replace(drawn, action_objects=drawn.action_objects - bias.unsqueeze(1))
    generator = torch.Generator().manual_seed(seed)
    e3 = E3TrajectorySelector(E3Config(affordance_mode="proposal"), generator=generator)
    plain, biased = e3.score(without), e3.score(drawn)
    e3 = E3TrajectorySelector(E3Config(affordance_mode="e3_score"), generator=generator)
    changed = 0
    for agent in range(drawn.batch):
        one = slice(agent, agent + 1)
        alone = Trajectories(
            without.states[:, one],
            without.world_states[:, one],
            without.actions[:, one],
            without.action_objects[:, one],
        )
        orders = [
            e3.select(alone, action_bias=it, generator=generator).scores.argsort()
            for it in (None, bias[one])
        ]
        changed += not torch.equal(*orders)
    return float((plain - biased).abs().max()), changed / drawn.batch


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Shares by cue and seed, by iterations, and by distance."""
    by_cue, by_iteration, by_distance = panels(figure, 3)
    raw = record.raw["seeds"]
    colours = dict(zip(CUES, (RED, AMBER, BLUE), strict=True))
    labels = {"hazard": "cue of the hazard", "none": "no bias", "safe": "cue of safety"}
    shares = [it["share_away"] for it in raw]
    for place, cue in enumerate(CUES):
        values = [it[cue][THREE] for it in shares]
        across = [place + 0.1 * (n - (len(values) - 1) / 2) for n in range(len(values))]
        by_cue.plot(across, values, "o", color=colours[cue], markersize=5)
    by_cue.set_xticks(range(3), ["hazard", "none", "safe"])
    frame(by_cue, "First actions that lead away", "cue of the bias, a dot a seed", "share")
    for cue in CUES:
        band(by_iteration, ITERATIONS, [it[cue] for it in shares], colours[cue], labels[cue])
        lines = [it["share_away_by_distance"][cue] for it in raw]
        band(by_distance, NEAR, lines, colours[cue])
    by_iteration.set_xticks(ITERATIONS)
    frame(by_iteration, "It takes a refit", "iterations", "share")
    legend(by_iteration, "lower right")
    for axes in (by_cue, by_iteration, by_distance):
        axes.set_ylim(0, 1)
    by_distance.set_xticks(NEAR)
    frame(by_distance, "Far or near", "cells to the hazard")
