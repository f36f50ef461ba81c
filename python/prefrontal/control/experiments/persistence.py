"""X7: how long a rule is held, and what twenty ticks of another cue do to it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cosine_similarity

from ..profiles import profile_values
from ..rule.lateral_pfc import LateralPFCAnalog, LateralPFCConfig
from ..threads import one_thread
from .bootstrap import bootstrap_interval
from .figure import AMBER, BLUE, GREEN, RED, band, frame, legend, panels, seed_dots, target_line
from .record import ExperimentRecord, Measurement, SeedResult, measure, seed_result, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "persistence"
TITLE = "X7 Rule persistence and distractors"
CRITERION = (
    "The gated average has half-lives of 13.51, 45.9 and 276.9 ticks (gates 1, 0.3, 0.05) within "
    "1 tick. After 20 ticks of the opposite or an unrelated cue cos(held, now) is at least 0.99 at "
    "gate 0.05 and 0.9 at 0.3; the opposite brings it to 0.5 or less at gate 1. A shut gate "
    "freezes the gated recurrent cell to the bit, and an open one moves it by 0.1 in cos."
)
GATES = (0.05, 0.3, 1.0)
KINDS = ("ema", "gru", "gru_gate_input", "synaptic_hold")
COLOURS = dict(zip(KINDS, (BLUE, GREEN, AMBER, RED), strict=True))
DISTRACTORS = 20
SETTLING = 150

Floats = NDArray[np.float64]
Curves = dict[str, dict[str, Floats]]


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    cues: int = 32,
) -> ExperimentRecord:
    """cues: how many rules are held at once, in environments of their own, for each seed."""
    results, curves, lives = [], [], []
    with one_thread():
        for seed in seeds:
            report(f"seed {seed}: {cues} rules, four ways to hold them")
            held = {kind: _distracted(seed, profile, cues, kind) for kind in KINDS}
            report(f"seed {seed}: half-lives")
            life = {str(gate): _half_life(seed, profile, cues, gate) for gate in GATES}
            results.append(_judged(seed, held, life))
            curves.append(held)
            lives.append(life)
    means = [
        {kind: {key: rows.mean(axis=1) for key, rows in by.items()} for kind, by in held.items()}
        for held in curves
    ]
    raw = {"half_lives": lives, "cosines": means, "gates": GATES, "kinds": KINDS}
    return summarise(NAME, TITLE, profile, CRITERION, results, raw=raw)


def _judged(seed: int, held: Curves, lives: dict[str, float]) -> SeedResult:
    measurements = [_life_measurement(lives[str(gate)], gate) for gate in GATES]
    for gate, target in ((0.05, 0.99), (0.3, 0.9)):
        both = [held["ema"][f"{which} {gate}"][-1] for which in ("opposite", "unrelated")]
        worse = min(both, key=lambda values: float(values.mean()))
        interval = bootstrap_interval(worse)
        name = f"cos at gate {gate:g}"
        measurements.append(measure(name, worse.mean(), "at least", target, interval))
    last = held["ema"]["opposite 1.0"][-1]
    interval = bootstrap_interval(last)
    measurements.append(measure("cos at gate 1", last.mean(), "at most", 0.5, interval))
    shut = np.abs(held["gru"]["opposite 0.0"] - 1).max()
    measurements.append(measure("gru, gate 0: 1 - cos", shut, "equal to", 0))
    moved = 1 - held["gru"]["opposite 1.0"][-1].max()
    measurements.append(measure("gru, gate 1: least 1 - cos", moved, "at least", 0.1))
    return seed_result(seed, measurements)


def _life_measurement(ticks: float, gate: float) -> Measurement:
    theory = math.log(0.5) / math.log(1 - 0.05 * gate)
    return measure(f"half-life off theory, gate {gate:g}", abs(ticks - theory), "at most", 1)


def _made(seed: int, profile: str, cues: int, kind: str) -> tuple[LateralPFCAnalog, Tensor]:
    """A module with a rule for each cue, and z_delta and z_world of three cues [3, 2, cues, 32]:
    the one to hold, its opposite, and an unrelated one."""
    options: dict[str, Any] = {**profile_values(profile, "lateral_pfc"), "persistence": kind}
    config = LateralPFCConfig(use_lateral_pfc_analog=True, environments=cues, **options)
    generator = torch.Generator().manual_seed(seed)
    module = LateralPFCAnalog(config, generator=generator)
    held, other = torch.randn(2, 2, cues, 32, generator=generator)
    return module, torch.stack([held, -held, other])


def _distracted(seed: int, profile: str, cues: int, kind: str) -> dict[str, Floats]:
    """ "which cue, gate" -> cosine of each held rule to what is left of it after 0, 1 ... 20 ticks
    of that cue, [21, cues]."""
    settled, (own, opposite, unrelated) = _made(seed, profile, cues, kind)
    for _ in range(SETTLING):
        settled.update(own[0], own[1])
    cosines = {}
    for name, cue in (("opposite", opposite), ("unrelated", unrelated)):
        for gate in (0.0, *GATES):
            module = copy.deepcopy(settled)
            held = module.rule_state.double()
            rows = [_cosine(held, held)]
            for _ in range(DISTRACTORS):
                module.update(cue[0], cue[1], gate)
                rows.append(_cosine(held, module.rule_state.double()))
            cosines[f"{name} {gate}"] = np.stack(rows)
    return cosines


def _cosine(held: Tensor, now: Tensor) -> Floats:
    """By rows; exactly 1 for the same bits."""
    cosine = cosine_similarity(held, now)
    return torch.where((held == now).all(dim=1), 1.0, cosine).numpy()


def _half_life(seed: int, profile: str, cues: int, gate: float) -> float:
    """Ticks until all rules are at most half as far from their source as at first, the mean."""
    module, (cue, _, _) = _made(seed, profile, cues, "ema")
    source = module.source(cue[0], cue[1]).detach()
    first, ticks = source.norm(dim=1), torch.zeros(cues)
    for _ in range(1000):
        far = (module.rule_state - source).norm(dim=1) > first / 2
        if not far.any():
            break
        ticks += far
        module.update(cue[0], cue[1], gate)
    return ticks.mean().item()


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """What is left of a rule, tick by tick; the three cosines against their targets."""
    left, middle, right = panels(figure, 3)
    ticks = range(DISTRACTORS + 1)
    for gate, colour in zip(("0.05", "0.3", "1.0"), (GREEN, BLUE, RED), strict=True):
        band(
            left,
            ticks,
            [it["ema"][f"opposite {gate}"] for it in record.raw["cosines"]],
            colour,
            f"gate {gate}",
        )
    frame(left, "Gated average", "ticks of the opposite cue", "cos(held, now)")
    legend(left, "lower left")
    for kind in record.raw["kinds"]:
        rows = [it[kind]["unrelated 0.05"] for it in record.raw["cosines"]]
        band(middle, ticks, rows, COLOURS[kind], kind.replace("_", " "))
    frame(middle, "Four ways to hold, gate 0.05", "ticks of an unrelated cue")
    legend(middle, "center right")
    names = [f"cos at gate {gate:g}" for gate in GATES]
    seed_dots(right, record, names, [f"{gate:g}" for gate in GATES])
    target_line(right, 0.0)
    frame(right, "After 20 ticks, and target", "gate")
