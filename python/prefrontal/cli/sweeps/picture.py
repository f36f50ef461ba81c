"""The picture of a sweep: a panel a history, in the colours of the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING

from ...errors import SourceError
from ...plural import many
from ...replay.report.paint import GREEN, INK, LINE, RED, SOFT, drawable
from .views import Row, mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .views import SweepView

COLORS = (GREEN, "#0067a5", "#b97700", "#7a4fa3", RED, SOFT)
MARKERS = ("o", "s", "^", "D", "p", "v")
ACROSS = 2
MOST_PANELS = 12
LEGEND_ACROSS = 3
NAMED = 8
"""Points of a line that have their names beside them; more are too close."""
NAME_PT = 7.5


def render_png(rows: Sequence[Row], view: SweepView) -> bytes:
    """The picture; panels beyond MOST_PANELS are left out, and it says so.

    Raises SourceError when matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SourceError("the PNG needs matplotlib: pip install 'prefrontal[plot]'") from error
    panels = [(name, list(group)) for name, group in groupby(rows, key=lambda r: r[view.place])]
    drawn = panels[:MOST_PANELS]
    across = min(ACROSS, max(1, len(drawn)))
    down = max(1, math.ceil(len(drawn) / across))
    lines = list(dict.fromkeys(_line(row, view) for row in rows))
    legend = 0.19 * math.ceil(len(lines) / LEGEND_ACROSS)
    height = 1.15 + legend + 3.1 * down
    figure = Figure(figsize=(8, height), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    top, bottom = 1 - 0.82 / height, (0.62 + legend) / height
    grid = figure.subplots(
        down, across, squeeze=False,
        gridspec_kw={"left": 0.085, "right": 0.965, "top": top, "bottom": bottom,
                     "hspace": 0.42, "wspace": 0.2},
    )  # fmt: skip
    figure.text(0.026, 1 - 0.3 / height, view.title, fontsize=15, weight="bold", color=INK)
    figure.text(0.026, 1 - 0.5 / height, _facts(rows, panels, view), fontsize=9, color=SOFT)
    for place, (name, own) in enumerate(drawn):
        axes = grid.flat[place]
        _draw(axes, name, own, view, lines)
        if place % across == 0:
            axes.set_ylabel(view.y[1], fontsize=8.5, color=INK, loc="top")
        if place + across >= len(drawn):
            axes.set_xlabel(view.x[1], fontsize=8.5, color=INK, loc="right")
    for axes in grid.flat[len(drawn) :]:
        axes.set_axis_off()
    if drawn:
        _legend(figure, grid.flat[0], height)
    target = BytesIO()
    figure.savefig(target, format="png", dpi=150, metadata={"Software": None})
    return target.getvalue()


def _facts(rows: Sequence[Row], panels: Sequence[object], view: SweepView) -> str:
    groups = len(view.groups(rows))
    words = f"{many(len(rows), 'run')}; a point is the mean over its seeds"
    if groups == len(rows):
        words = many(len(rows), "run")
    if len(panels) > MOST_PANELS:
        words += f"; the first {MOST_PANELS} of {len(panels):,} are drawn"
    return words


def _line(row: Row, view: SweepView) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in view.line)


def _draw(
    axes: Axes, name: str, rows: Sequence[Row], view: SweepView, lines: Sequence[tuple[str, ...]]
) -> None:
    _frame(axes, view)
    dots: list[tuple[float, float]] = []
    first: list[tuple[float, float, str]] = []
    axes.set_title(drawable(name, 40), fontsize=10, weight="bold", color=INK, loc="left", pad=7)
    for number, line in enumerate(lines):
        groups = [each for each in view.groups(rows) if _line(each[0], view) == line]
        points = [
            (view.x[2] * x, view.y[2] * y, view.point(group[0]))
            for group in groups
            if (x := mean(group, view.x[0])) is not None
            and (y := mean(group, view.y[0])) is not None
        ]
        dots += [(x, y) for x, y, _ in points]
        if number == 0:
            first = points
        color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
        axes.plot(
            [x for x, _, _ in points], [y for _, y, _ in points], color=color, marker=marker,
            markersize=6, linewidth=0, markeredgecolor="white", markeredgewidth=0.6, zorder=4,
            label=", ".join(f"{a} {b}" for a, b in zip(view.line, line, strict=True)),
        )  # fmt: skip
    axes.margins(0.14, 0.18)
    if 0 < len(first) <= NAMED:
        names = differences([text for _, _, text in first])
        _name(axes, [(x, y) for x, y, _ in first], names, dots)


def differences(names: Sequence[str]) -> list[str]:
    """Of names that are parts with commas between them, the parts that are not the same in all."""
    parts = [name.split(", ") for name in names]
    if len({len(each) for each in parts}) > 1 or len(names) < 2:
        return list(names)
    places = [place for place, each in enumerate(zip(*parts, strict=True)) if len(set(each)) > 1]
    return [", ".join(each[place] for place in places) for each in parts]


def _name(
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    dots: Sequence[tuple[float, float]],
) -> None:
    """Write each name beside its point, where it covers no dot and no other name; else nowhere."""
    axes.autoscale_view()  # else it is done when all is drawn
    per_pt = axes.figure.dpi / 72
    frame = axes.get_window_extent()
    side = 7 * per_pt
    shapes = [_box(x, y, side, side) for x, y in map(axes.transData.transform, dots)]
    for point, name in zip(points, names, strict=True):
        x, y = axes.transData.transform(point)
        wide, high = 0.6 * NAME_PT * len(name) * per_pt, NAME_PT * per_pt
        beside = wide / 2 + 6 * per_pt
        for right, up in ((0.0, -11 * per_pt), (0.0, 11 * per_pt), (beside, 0.0), (-beside, 0.0)):
            box = _box(x + right, y + up, wide, high)
            if frame.x0 < box[0] and box[2] < frame.x1 and not any(_meet(box, s) for s in shapes):
                shapes.append(box)
                axes.annotate(name, point, xytext=(right / per_pt, up / per_pt),
                              textcoords="offset points", ha="center", va="center",
                              fontsize=NAME_PT, color=INK, zorder=5)  # fmt: skip
                break


def _box(x: float, y: float, wide: float, high: float) -> tuple[float, float, float, float]:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _frame(axes: Axes, view: SweepView) -> None:
    from matplotlib.ticker import FuncFormatter

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelsize=8)
    axes.grid(color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    for axis, (_, _, factor) in ((axes.xaxis, view.x), (axes.yaxis, view.y)):
        if factor == 100:
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))


def _legend(figure: Figure, axes: Axes, height: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0.018, 0.06 / height),
        ncols=LEGEND_ACROSS, fontsize=8.5, frameon=False, labelcolor=INK, handletextpad=0.2,
        borderaxespad=0,
    )  # fmt: skip
