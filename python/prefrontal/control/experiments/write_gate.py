"""X8: the same pulses in phase and out of phase with the mode that opens the gate.

A square wave switches the salience coordinator between the external task, where sd_033a is open,
and replay, where it is open by a twentieth. What arrives is the same in both; what is written is
not. After the falsification by closed-loop stimulation of Latchoumane and colleagues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..choice.salience import SalienceCoordinator
from ..profiles import profile_values
from ..rule.lateral_pfc import LateralPFCAnalog, LateralPFCConfig
from ..threads import one_thread
from .figure import BLUE, GREEN, RED, SOFT, band, frame, legend, panels, target_line
from .record import ExperimentRecord, SeedResult, measure, seed_result, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "write-gate"
TITLE = "X8 Writes in and out of phase with the mode"
CRITERION = (
    "By up to 20 pulses in replay the rule moves at most 0.08 times as far as by the same pulses "
    "in the task, as (1 - 0.9975^n) / (1 - 0.95^n) says within 1e-3; both lie outside of 99 % of "
    "phase-shuffled pulses. In the task with the gate shut it moves by at most 1e-6. Displacement "
    "over phase correlates with cos(phase) by 0.95 or more."
)
TARGET = "sd_033a"
PERIOD, PULSES, PHASES = 40, 20, 16
TASK, REPLAY = {"external_task": 1.0}, {"internal_replay": 1.0}

Floats = NDArray[np.float64]


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    shuffles: int = 500,
) -> ExperimentRecord:
    """shuffles: how many trains of pulses at random phases make the null."""
    results, raw = [], []
    with one_thread():
        for seed in seeds:
            report(f"seed {seed}: pulses, shuffled pulses, phases")
            result, numbers = _one_seed(seed, profile, shuffles)
            results.append(result)
            raw.append(numbers)
    phases = [2 * math.pi * it / PHASES for it in range(PHASES)]
    numbers = {"phases": phases, "theory": _theory(), "seeds": raw}
    return summarise(NAME, TITLE, profile, CRITERION, results, raw=numbers)


def _theory() -> Floats:
    """Out over in of phase, after 1 to 20 pulses."""
    n = np.arange(1, PULSES + 1)
    ratio: Floats = (1 - 0.9975**n) / (1 - 0.95**n)
    return ratio


def _one_seed(seed: int, profile: str, shuffles: int) -> tuple[SeedResult, dict[str, Any]]:
    inside = _displacements(seed, profile, np.full((1, PULSES), _gate(TASK)))[0]
    outside = _displacements(seed, profile, np.full((1, PULSES), _gate(REPLAY)))[0]
    soft = [
        _displacements(seed, profile, np.full((1, PULSES), _ticked(replay)))[0]
        for replay in (False, True)
    ]
    null = _shuffled(seed, profile, shuffles)
    tuning = _tuning(seed, profile)
    cosine = np.cos(2 * np.pi * np.arange(PHASES) / PHASES)
    ratio = outside / inside
    measurements = [
        measure("largest ratio out / in, n to 20", ratio.max(), "at most", 0.08),
        measure("off theory", np.abs(ratio - _theory()).max(), "at most", 1e-3),
        measure("null reaching the task's", (null >= inside[-1]).mean(), "at most", 0.005),
        measure("null as low as replay's", (null <= outside[-1]).mean(), "at most", 0.005),
        measure("drift, task, gate shut", _drift(seed, profile), "at most", 1e-6),
        measure("phase tuning, r", np.corrcoef(tuning, cosine)[0, 1], "at least", 0.95),
    ]
    numbers = {
        "inside": inside, "outside": outside, "ratio": ratio, "null": null, "tuning": tuning,
        "soft_ratio": soft[1] / soft[0],
    }  # fmt: skip
    return seed_result(seed, measurements), numbers


def _gate(mode: dict[str, float], coordinator: SalienceCoordinator | None = None) -> float:
    coordinator = coordinator or SalienceCoordinator()
    coordinator.force_mode(mode)
    coordinator.tick()
    return coordinator.write_gate(TARGET)


def _ticked(replay: bool) -> float:
    """The gate that signals alone lead to, nothing forced: it neither opens nor shuts wholly."""
    coordinator = SalienceCoordinator()
    coordinator.tick(is_replay=replay)
    return coordinator.write_gate(TARGET)


def _displacements(seed: int, profile: str, gates: Floats) -> Floats:
    """|rule| after each pulse of trains with these gates [trains, pulses]; the rule begins at 0.

    Each pulse is the same source for one tick; nothing arrives between pulses.
    """
    options: dict[str, Any] = profile_values(profile, "lateral_pfc")
    config = LateralPFCConfig(use_lateral_pfc_analog=True, environments=len(gates), **options)
    generator = torch.Generator().manual_seed(seed)
    module = LateralPFCAnalog(config, generator=generator)
    pulse = torch.randn(2, 1, 32, generator=generator)
    z_delta, z_world = pulse.expand(2, len(gates), 32)
    distances = []
    for column in torch.from_numpy(gates.T.copy()):
        module.update(z_delta, z_world, column)
        distances.append(module.rule_state.double().norm(dim=1))
    return torch.stack(distances, dim=1).numpy()


def _wave() -> Floats:
    """The gate over a period: the task for the half around phase 0, replay for the other."""
    opened, shut = _gate(TASK), _gate(REPLAY)
    phase = 2 * np.pi * np.arange(PERIOD) / PERIOD
    return np.where(np.cos(phase + np.pi / PERIOD) > 0, opened, shut)


def _shuffled(seed: int, profile: str, shuffles: int) -> Floats:
    """Displacements by 20 pulses that come at phases of their own, [shuffles]."""
    places = np.random.default_rng(seed).integers(PERIOD, size=(shuffles, PULSES))
    return _displacements(seed, profile, _wave()[places])[:, -1]


def _tuning(seed: int, profile: str) -> Floats:
    """Displacement by one pulse of half a period, by the phase of its middle [16]."""
    middles = np.arange(PHASES) * PERIOD / PHASES
    ticks = np.arange(PERIOD // 2) - PERIOD // 4
    places = np.floor(middles[:, None] + ticks).astype(int) % PERIOD
    return _displacements(seed, profile, _wave()[places])[:, -1]


def _drift(seed: int, profile: str) -> float:
    """How far 200 pulses move a rule in the task with its gate shut by the table."""
    coordinator = SalienceCoordinator()
    coordinator.register_target(TARGET, {})
    shut = _gate(TASK, coordinator)
    return float(_displacements(seed, profile, np.full((1, 200), shut)).max())


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Displacement by pulses, the null, and the phase tuning."""
    left, middle, right = panels(figure, 3)
    seeds, pulses = record.raw["seeds"], range(1, PULSES + 1)
    band(left, pulses, [it["inside"] for it in seeds], BLUE, "in phase (task)")
    band(left, pulses, [it["outside"] for it in seeds], RED, "out of phase (replay)")
    frame(left, "How far the rule has moved", "pulses", "|rule|")
    legend(left, "upper left")
    band(middle, pulses, [it["ratio"] for it in seeds], RED, "forced modes")
    middle.plot(pulses, record.raw["theory"], color=SOFT, linestyle=":", label="theory")
    band(middle, pulses, [it["soft_ratio"] for it in seeds], GREEN, "signals alone")
    target_line(middle, 0.08, "0.08")
    frame(middle, "Out / in", "pulses")
    middle.set_ylim(0, 0.2)
    legend(middle, "upper left")
    degrees = [math.degrees(it) for it in record.raw["phases"]]
    band(right, degrees, [it["tuning"] for it in seeds], BLUE)
    frame(right, "A pulse of half a period, by phase", "phase of its middle, degrees", "|rule|")
    right.set_xticks([0, 90, 180, 270])
