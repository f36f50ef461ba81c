"""The style of the experiments' figures: one size, a headline with the verdict, plain axes.

An experiment's `draw(record, figure)` fills the figure with panels by `panels`; headline and
criterion are written around it by `render_png`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from ...errors import SourceError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from .record import ExperimentRecord

INK, SOFT, LINE = "#1b1f23", "#5a636c", "#e2e5e7"
BLUE, RED, GREEN, AMBER, VIOLET = "#1f5fbf", "#c8310f", "#00875f", "#b36b00", "#7a3fb0"
Place = Literal["best", "upper left", "upper right", "lower left", "lower right", "center right"]
VERDICT_COLOUR = {"pass": GREEN, "fail": RED, "void": AMBER}


def render_png(record: ExperimentRecord, draw: Callable[[ExperimentRecord, Figure], None]) -> bytes:
    """One picture of 1350 x 780 pixels. Raises SourceError when matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SourceError("the figure needs matplotlib: pip install 'prefrontal[plot]'") from error
    figure = Figure(figsize=(9, 5.2), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    figure.text(0.03, 0.935, record.title, fontsize=13, weight="bold", color=INK)
    passed = sum(it.verdict == "pass" for it in record.seeds)
    figure.text(
        0.97, 0.935, f"{record.verdict}: {passed} of {len(record.seeds)} seeds",
        fontsize=11, weight="bold", color=VERDICT_COLOUR[record.verdict], ha="right",
    )  # fmt: skip
    for row, text in enumerate(wrap(f"{record.criterion} (profile {record.profile})", 132)[:3]):
        figure.text(0.03, 0.895 - 0.034 * row, text, fontsize=8.5, color=SOFT)
    draw(record, figure)
    target = BytesIO()
    figure.savefig(target, format="png", dpi=150, metadata={"Software": None})
    return target.getvalue()


def panels(figure: Figure, columns: int, rows: int = 1) -> list[Axes]:
    """Axes in the space below the headline, by rows."""
    grid = {
        "left": 0.075, "right": 0.975, "top": 0.755, "bottom": 0.12,
        "wspace": 0.28, "hspace": 0.62,
    }  # fmt: skip
    return list(figure.subplots(rows, columns, squeeze=False, gridspec_kw=grid).flat)


def frame(axes: Axes, title: str, below: str, beside: str = "") -> None:
    """Title and labels, and no more lines than are needed."""
    axes.set_title(title, fontsize=9.5, loc="left", color=INK, pad=8)
    axes.set_xlabel(below, fontsize=8.5, color=SOFT)
    axes.set_ylabel(beside, fontsize=8.5, color=SOFT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelsize=8)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=LINE, linewidth=0.7)


def target_line(axes: Axes, value: float, text: str = "") -> None:
    """A dashed line at the target."""
    axes.axhline(value, color=SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    if text:
        axes.annotate(
            text, (1, value), xycoords=("axes fraction", "data"), xytext=(0, 3),
            textcoords="offset points", fontsize=7.5, color=SOFT, ha="right",
        )  # fmt: skip


def band(
    axes: Axes, places: ArrayLike, lines: ArrayLike, colour: str, name: str | None = None
) -> None:
    """The mean of lines [n, len(places)] and the range they span; NaN is left out."""
    import numpy as np

    rows = np.ma.masked_invalid(np.atleast_2d(np.asarray(lines, dtype=float)))
    if len(rows) > 1:
        axes.fill_between(
            places, rows.min(axis=0), rows.max(axis=0), color=colour, alpha=0.16, linewidth=0
        )
    axes.plot(places, rows.mean(axis=0), color=colour, linewidth=1.8, label=name)


def seed_dots(
    axes: Axes, record: ExperimentRecord, names: Sequence[str], labels: Sequence[str] = ()
) -> None:
    """For each measurement a column: a dot a seed (hollow: missed), and a dash at its target."""
    for column, name in enumerate(names):
        dots = [m for it in record.seeds for m in it.measurements if m.name == name]
        for place, it in enumerate(dots):
            across = column + 0.12 * (place - (len(dots) - 1) / 2)
            colour = GREEN if it.passed else RED
            axes.plot(
                across, it.value, "o", markersize=5, color=colour,
                markerfacecolor=colour if it.passed else "white", zorder=3,
            )  # fmt: skip
        if dots:
            axes.hlines(dots[0].target, column - 0.38, column + 0.38, color=SOFT, linewidth=1.2)
    axes.set_xticks(range(len(names)), labels or names)
    axes.set_xlim(-0.6, len(names) - 0.4)


def legend(axes: Axes, place: Place = "best") -> None:
    axes.legend(loc=place, fontsize=8, frameon=False, labelcolor=SOFT)
