"""Trust over time as a PNG file: peers who turned, known frauds, and peers in good standing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from statistics import quantiles
from typing import TYPE_CHECKING

from ...errors import SourceError
from ...plural import many
from .metrics import DAY_S, turn
from .ratings import BENIGN, FRAUD
from .replay import DISTRUST, TrustTrajectory
from .table import headline, setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .result import BacktestResult

INK, SOFT, LINE, GREEN, RED = "#1b1f23", "#5a636c", "#e2e5e7", "#00875f", "#c8310f"
BEFORE, AFTER = 30, 15
SHOWN = 20
FEWEST = 15


def render_png(result: BacktestResult, labels: Mapping[str, int]) -> bytes:
    """One picture of 1200 x 900 pixels. Raises SourceError when matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SourceError("the PNG needs matplotlib: pip install 'prefrontal[plot]'") from error
    figure = Figure(figsize=(8, 6), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(
        1, 2, sharey=True,
        gridspec_kw={"left": 0.08, "right": 0.98, "top": 0.8, "bottom": 0.11, "wspace": 0.08},
    )  # fmt: skip
    figure.text(0.03, 0.945, headline(result), fontsize=13, weight="bold", color=INK)
    for line, text in enumerate(_folded(setting(result), 98)):
        figure.text(0.03, 0.908 - 0.029 * line, text, fontsize=8.5, color=SOFT)
    _draw_turns(left, result)
    _draw_standing(right, result, labels)
    target = BytesIO()
    figure.savefig(target, format="png", dpi=150, metadata={"Software": None})
    return target.getvalue()


def _folded(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, width)[:2]


def _frame(axes: Axes, title: str, below: str) -> None:
    axes.set_title(title, fontsize=9.5, loc="left", color=INK, pad=8)
    axes.set_xlabel(below, fontsize=8.5, color=SOFT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelsize=8.5)
    axes.set_ylim(-10.6, 10.6)
    axes.set_yticks(range(-10, 11, 5))
    axes.axhline(0, color=LINE, linewidth=1, zorder=0)
    axes.axhline(DISTRUST, color=SOFT, linewidth=0.8, linestyle=(0, (2, 3)), zorder=0)


def _draw_turns(axes: Axes, result: BacktestResult) -> None:
    """Trust of the turncoats, days counted from the turn."""
    turns = [
        (trajectory, at)
        for trajectory in result.trajectories.values()
        if (at := turn(trajectory.ratings)) is not None
    ]
    _frame(
        axes, f"{many(len(turns), 'peer')} who turned", "days from the first rating of -5 or worse"
    )
    axes.set_ylabel("trust", fontsize=9, color=SOFT)
    axes.set_xlim(-BEFORE, AFTER)
    axes.axvline(0, color=SOFT, linewidth=0.8, zorder=0)
    days = [day / 4 for day in range(-4 * BEFORE, 4 * AFTER + 1)]
    lines = [
        _at(trajectory, [trajectory.ratings[at].time + day * DAY_S for day in days])
        for trajectory, at in turns
    ]
    for line in lines:
        axes.step(days, [*map(_drawn, line)], where="post", color=RED, alpha=0.12, linewidth=0.8)
    _band(axes, days, lines, RED, "middle half and median")
    axes.text(-BEFORE + 0.5, DISTRUST - 0.3, "distrusted", fontsize=8, color=SOFT, va="top")


def _draw_standing(axes: Axes, result: BacktestResult, labels: Mapping[str, int]) -> None:
    """Trust by number of ratings: known frauds and benign peers, or all without labels."""
    _frame(
        axes,
        "Known peers: median and middle half" if labels else "All peers: median and middle half",
        "ratings seen",
    )
    axes.set_xlim(1, SHOWN)
    axes.set_xticks([1, *range(5, SHOWN + 1, 5)])
    groups: Sequence[tuple[str, str, int | None]] = (
        (("benign peers", GREEN, BENIGN), ("frauds", RED, FRAUD)) if labels
        else (("all peers", SOFT, None),)
    )  # fmt: skip
    counts = list(range(1, SHOWN + 1))
    for name, colour, label in groups:
        lines = [
            [trajectory.trust_after(n) if n <= len(trajectory.ratings) else None for n in counts]
            for peer, trajectory in result.trajectories.items()
            if label is None or labels.get(peer) == label
        ]
        _band(axes, counts, lines, colour, f"{len(lines):,} {name}")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", fontsize=8, frameon=False, labelcolor=SOFT)


def _at(trajectory: TrustTrajectory, times: Sequence[float]) -> list[int | None]:
    """Trust at each of the times, which ascend; None before the first cycle."""
    trust: list[int | None] = []
    steps, last = iter(trajectory.steps), None
    step = next(steps, None)
    for time in times:
        while step is not None and step.time <= time:
            last, step = step.trust, next(steps, None)
        trust.append(last)
    return trust


def _band(
    axes: Axes,
    places: Sequence[float],
    lines: Sequence[Sequence[int | None]],
    colour: str,
    name: str,
) -> None:
    """Median and quartiles at each place at which at least FEWEST of the lines say something."""
    quartiles: list[tuple[float, float, float, float]] = []
    for index, place in enumerate(places):
        values = sorted(value for line in lines if (value := line[index]) is not None)
        if len(values) >= FEWEST:
            low, middle, high = quantiles(values, n=4, method="inclusive")
            quartiles.append((place, low, middle, high))
    if not quartiles:
        return
    where, low_line, median_line, high_line = zip(*quartiles, strict=True)
    axes.fill_between(
        where, low_line, high_line, step="post", color=colour, alpha=0.16, linewidth=0
    )
    axes.step(where, median_line, where="post", color=colour, linewidth=2.0, label=name)


def _drawn(value: int | None) -> float:
    return math.nan if value is None else value
