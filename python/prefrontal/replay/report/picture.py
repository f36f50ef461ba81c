"""The picture of a replay as a PNG file: the recall curve among the policies, and the last days."""

from __future__ import annotations

import math
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING

from ...errors import SourceError
from ...plural import many
from ..reading import share_fewer, times_fewer
from .incident_picture import draw_incidents
from .paint import GREEN, INK, LINE, RED, SOFT, drawable
from .plain_figures import how_often
from .verdict import promise_kept, verdict
from .wording import (
    KIND_WORDS,
    axis_moments,
    caught_share,
    counts_incidents,
    level,
    policy_line,
    shown_policies,
    source_names,
    than_heartbeat,
    than_on_change,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..result import PolicyResult, ReplayResult

TONES = {"good": "#006b4c", "bad": "#a8240a", "weak": "#7a5000", "open": "#355068"}
SIGNS = {"good": "\u2714", "bad": "\u2718", "weak": "\u2248", "open": "?"}
POINTS = {
    "heartbeat": ("s", "#b3261e"),
    "cheap_heartbeat": ("p", "#b3261e"),
    "on_change": ("^", "#b97700"),
    "rule": ("D", "#0067a5"),
    "random": ((6, 2, 0), SOFT),
    "prefrontal": ("o", GREEN),
}
NAMES = {
    "heartbeat": "heartbeat",
    "cheap_heartbeat": "cheap heartbeat",
    "on_change": "every change",
    "rule": "one-line rule",
    "random": "by chance",
}
BARS = {
    "caught": (GREEN, "o", "full"),
    "wasted": ("#e0a12c", "v", "none"),
    "slept": ("#98a1a9", "_", "full"),
    "missed": (RED, "x", "full"),
}


def render_png(result: ReplayResult) -> bytes:
    """One picture of 1200 x 1000 pixels. Raises SourceError when matplotlib is not installed."""
    figure = draw(result)
    target = BytesIO()
    figure.savefig(target, format="png", dpi=150, metadata={"Software": None})
    return target.getvalue()


def draw(result: ReplayResult) -> Figure:
    """The picture as a figure that knows no window. Raises SourceError as `render_png` does."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SourceError("the PNG needs matplotlib: pip install 'prefrontal[plot]'") from error
    figure = Figure(figsize=(8, 20 / 3), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(
        2, 1, height_ratios=(3.1, 1), gridspec_kw={
            "left": 0.085, "right": 0.975, "top": 0.805, "bottom": 0.06, "hspace": 0.78,
        },
    )  # fmt: skip
    _write_verdict(figure, result)
    _draw_curve(above, result)
    if result.incidents is not None and counts_incidents(result):
        draw_incidents(below, result.incidents)
    else:
        _draw_strip(below, result)
    return figure


def _write_verdict(figure: Figure, result: ReplayResult) -> None:
    """The verdict in its colour, its reason, and how much was replayed: the title lines."""
    decided = verdict(result)
    title = f"{SIGNS[decided.tone]} {decided.title}"
    figure.text(0.026, 0.95, title, fontsize=19, weight="bold", color=TONES[decided.tone])
    reason = f"{decided.reason[:1].upper()}{decided.reason[1:]}"
    reason = drawable(reason, 190)
    lines = wrap(reason, 84 if len(reason) <= 84 else 98, break_on_hyphens=False)[:2]
    size = 11 if len(lines) == 1 else 9.5
    figure.text(0.026, 0.935, "\n".join(lines), fontsize=size, color=INK, va="top",
                linespacing=1.25, parse_math=False)  # fmt: skip
    name = drawable(source_names([result])[0], 30)
    figure.text(
        0.026,
        0.88 if len(lines) == 1 else 0.862,
        f"{name}: {_history(result)}",
        fontsize=9,
        color=SOFT,
        parse_math=False,
    )


def _history(result: ReplayResult) -> str:
    relevant = f"{result.relevant:,} of {many(result.windows, 'window')} mattered"
    labels = "labels only as asked" if result.labels == "asked" else "every window labelled"
    return f"{relevant} in {many(round(result.days), 'day')}, {labels}"


def _frame(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelsize=8.5, width=0.8)
    axes.tick_params(which="minor", color=LINE)
    axes.set_axisbelow(True)


def _draw_curve(axes: Axes, result: ReplayResult) -> None:
    _frame(axes)
    if not result.curve or result.days <= 0 or verdict(result).tone == "open":
        axes.set_axis_off()
        axes.text(0.5, 0.5, "There is no curve to draw yet.", ha="center", color=SOFT)
        return
    shares, recalls = _bent(result.curve)
    per_day = result.windows / result.days
    wakes = [share * per_day for share in shares]
    of_windows = not counts_incidents(result)
    if of_windows:
        _draw_thresholds(axes, wakes, recalls)
    rows = [
        each
        for each in shown_policies(result)
        if each.recall is not None and each.wakes_per_day > 0
    ]
    for policy in rows:
        _draw_point(axes, policy, result)
    low = min([_wakes_at(wakes, recalls, 0.03), *(each.wakes_per_day for each in rows)])
    high = max([per_day, *(each.wakes_per_day for each in rows)])
    title = "what mattered and was caught" if of_windows else "incidents that were told of"
    _scale(axes, low * 0.9, high * 1.6, title)
    if result.budget is None:
        _draw_asked(axes, result)
    _name_points(axes, rows, result)
    _annotate(axes, result)
    legend = axes.legend(
        loc="upper left", bbox_to_anchor=(-0.025, -0.155), ncols=2, fontsize=8, labelcolor=INK,
        frameon=False, columnspacing=2.5, labelspacing=0.45, borderaxespad=0,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _draw_thresholds(axes: Axes, wakes: list[float], recalls: list[float]) -> None:
    heights = [100 * each for each in recalls]
    label = "learned gate, any threshold (in hindsight)"
    axes.plot(wakes, heights, color=GREEN, linewidth=2.2, label=label)
    axes.fill_between(wakes, heights, color=GREEN, alpha=0.07, linewidth=0)


def _height(result: ReplayResult, policy: PolicyResult) -> float:
    """Per cent of what mattered that a policy caught, or of the incidents."""
    incidents = result.incidents
    if incidents is None or not counts_incidents(result) or policy.name != "prefrontal":
        return 100 * (policy.recall or 0.0)
    return 100 * incidents.told / incidents.total


def _bent(curve: tuple[tuple[float, float], ...]) -> tuple[list[float], list[float]]:
    """The curve with steps on its first stretch, which a log scale bends and cannot start at 0."""
    first = next(point for point in curve if point[0] > 0)
    start = [(first[0] * 0.9**step, first[1] * 0.9**step) for step in range(60, 0, -1)]
    points = start + [point for point in curve if point[0] > 0]
    return [share for share, _ in points], [recall for _, recall in points]


def _wakes_at(wakes: list[float], recalls: list[float], recall: float) -> float:
    return next(each for each, caught in zip(wakes, recalls, strict=True) if caught >= recall)


def _draw_point(axes: Axes, policy: PolicyResult, result: ReplayResult) -> None:
    marker, color = POINTS.get(policy.name, ("P", "#7a4fa3"))
    ours = policy.name == "prefrontal"
    if ours and result.budget is None and not promise_kept(result):
        color = RED
    label = drawable(policy_line(policy))
    label = "learned gate, as it ran" if ours else label[:1].lower() + label[1:]
    if policy.detail and policy.name == "rule":
        label += f": {drawable(policy.detail, 44)}"
    axes.plot(
        [policy.wakes_per_day], [_height(result, policy)], marker=marker, color=color,
        markersize=9.5 if ours else 8, markeredgecolor=INK if ours else color, linestyle="none",
        markeredgewidth=1.8 if ours else 0.8, zorder=6 if ours else 5, clip_on=False, label=label,
    )  # fmt: skip


def _scale(axes: Axes, low: float, high: float, title: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(0, 104)
    few = (1.0, 2.0, 5.0) if high / low < 200 else (1.0,)
    axes.xaxis.set_major_locator(LogLocator(subs=few, numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))
    axes.grid(color=LINE, linewidth=0.8)
    axes.set_xlabel("wake-ups a day (log scale)", fontsize=9, color=INK, loc="right")
    axes.set_title(title, fontsize=9, color=INK, loc="left", pad=8)


def _name_points(axes: Axes, rows: list[PolicyResult], result: ReplayResult) -> None:
    """A name beside each point that stands alone; the legend has them all."""
    at = {
        each.name: axes.transAxes.inverted().transform(
            axes.transData.transform((each.wakes_per_day, _height(result, each)))
        )
        for each in rows
    }
    for name, (left, height) in at.items():
        near = [
            other for other, (x, y) in at.items()
            if other != name and 0 <= x - left < 0.15 and abs(y - height) < 0.05
        ]  # fmt: skip
        if name not in NAMES or near:
            continue
        below = left > 0.85
        axes.annotate(
            NAMES[name], (left, height), xycoords="axes fraction", fontsize=9, color=INK,
            xytext=(0, -17) if below else (9, -4), textcoords="offset points",
            ha="center" if below else "left", zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
        )  # fmt: skip


def _draw_asked(axes: Axes, result: ReplayResult) -> None:
    """The asked recall as a line; what was caught lies on it, above it or below."""
    axes.axhline(
        100 * result.asked_recall, color=SOFT, linewidth=1, linestyle=(0, (5, 3)), zorder=2
    )
    axes.annotate(
        f"asked: {level(result.asked_recall)}", (0.012, 100 * result.asked_recall),
        xycoords=("axes fraction", "data"), xytext=(0, 4), textcoords="offset points", fontsize=9,
        color=INK,
    )  # fmt: skip


def _annotate(axes: Axes, result: ReplayResult) -> None:
    """Words beside the dot, on the side where the plot is empty."""
    own = result.policy("prefrontal")
    if own is None or result.got_recall is None or result.wakes_per_day <= 0:
        return
    lines = [
        f"caught {caught_share(result, own, 1)}",
        f"wake-ups: {how_often(result.wakes_per_day)}",
    ]
    if (saved := share_fewer(result, result.wakes_per_day)) is not None:
        lines.append(f"{than_on_change(saved)} than on every change")
    if (factor := times_fewer(result, result.wakes_per_day)) is not None:
        lines.append(f"{than_heartbeat(factor)} than a heartbeat")
    low, high = axes.get_xlim()
    across = math.log(result.wakes_per_day / low) / math.log(high / low)
    axes.annotate(
        "\n".join(lines), (result.wakes_per_day, _height(result, own)),
        xytext=(across + 0.16, 0.55) if across < 0.55 else (0.05, 0.62), textcoords="axes fraction",
        fontsize=10, color=INK, va="center", linespacing=1.5, zorder=7,
        bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "none", "alpha": 0.9},
        arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.9, "shrinkB": 7},
    )  # fmt: skip


def _draw_strip(axes: Axes, result: ReplayResult) -> None:
    _frame(axes)
    if not result.strip:
        axes.set_axis_off()
        return
    for kind, (color, marker, fill) in BARS.items():
        at = [place for place, each in enumerate(result.strip) if each.kind == kind]
        scores = [result.strip[place].score for place in at]
        axes.bar(at, scores, width=0.72, color=color)
        axes.plot(
            at, [-0.1] * len(at), linestyle="none", marker=marker, color=color, markersize=3.6,
            fillstyle=fill, markeredgewidth=1, label=KIND_WORDS[kind],
        )  # fmt: skip
    places = range(len(result.strip) + 1)
    levels = [each.threshold for each in result.strip]
    axes.step([place - 0.5 for place in places], [*levels, levels[-1]], where="post", color=INK,
              linewidth=0.9, linestyle=(0, (4, 2)), label="threshold")  # fmt: skip
    days = axis_moments(result.strip)
    every = math.ceil(max(len(days), 20) / 7)
    axes.set_xticks(range(0, len(days), every), labels=days[::every])
    axes.set_yticks((0, 0.5, 1))
    axes.set_ylim(-0.19, 1.02)
    axes.set_xlim(-1, max(len(days), 20))
    axes.set_title(
        f"score, last {many(len(days), 'window')}", fontsize=9, color=INK, loc="left", pad=8
    )
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.005, 1.075), ncols=5, fontsize=8, frameon=False,
        labelcolor=INK, handletextpad=0.3, columnspacing=0.9, handlelength=1.6, borderaxespad=0,
        borderpad=0,
    )  # fmt: skip
