"""Draw the learning curves that bench_control_agent.py saved.

python benchmarks/control_curves.py RUNS.json... --out docs/images/control/learning.png
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from prefrontal.control.experiments.figure import (
    AMBER,
    BLUE,
    INK,
    SOFT,
    VIOLET,
    band,
    frame,
    legend,
    target_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"agent": BLUE, "PPO": AMBER, "DQN": VIOLET}
AIMLESS = ("random", "stay")


def draw(axes: Axes, saved: dict[str, Any]) -> None:
    """One world: the mean of the seeds, and the range they span."""
    for name, colour in COLOURS.items():
        curves = [apart(curve[name]) for curve in saved["curves"]]
        steps = [step / 1000 for step, _ in min(curves, key=len)]
        lines = [[value for _, value in curve[: len(steps)]] for curve in curves]
        band(axes, steps, lines, colour, name)
    means = {name: fmean(run[name] for run in saved["runs"]) for name in AIMLESS}
    for name, mean in means.items():
        target_line(axes, mean)
        below = mean < max(means.values())  # so that two that are near each other can be read
        axes.annotate(
            name, (1, mean), xycoords=("axes fraction", "data"), xytext=(0, -9 if below else 3),
            textcoords="offset points", fontsize=7.5, color=SOFT, ha="right",
        )  # fmt: skip
    seeds = len(saved["curves"])
    title = f"world {saved['world']}, {seeds} seed{'s' if seeds > 1 else ''}"
    frame(axes, title, "thousand steps of training", "return in 20 unseen layouts")
    legend(axes, "upper left")


def apart(curve: list[list[float]]) -> list[list[float]]:
    """Without a report just before the end."""
    return [*(it for it in curve[:-1] if it[0] < 0.95 * curve[-1][0]), curve[-1]]


def picture(runs: list[dict[str, Any]]) -> Figure:
    figure = Figure(figsize=(4.5 * max(len(runs), 1.4), 4), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    for axes, saved in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs, strict=True):
        draw(axes, saved)
    figure.text(0.02, 0.955, "Learning to act", fontsize=12, weight="bold", color=INK)
    note = "line: mean, shade: the range of the seeds, dashed: without learning"
    figure.text(0.98, 0.955, note, fontsize=8, color=SOFT, ha="right")
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="what --json saved")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    figure = picture([json.loads(path.read_text()) for path in options.runs])
    figure.savefig(options.out, format="png", metadata={"Software": None})


if __name__ == "__main__":
    main()
