"""Two replays side by side: what the second does better or worse than the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..reading import CurveReading, read_curve
from .verdict import verdict
from .wording import NOTHING, level, percent, preset_words, printable, rate, tokens

if TYPE_CHECKING:
    from ..result import ReplayResult


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of two replays, already in words; change: from the first to the second."""

    name: str
    first: str
    second: str
    change: str


def compare(first: ReplayResult, second: ReplayResult) -> tuple[ComparedFigure, ...]:
    """The figures a person would look at, in the order of their weight."""
    level_asked = first.asked_recall
    one, two = read_curve(first, level_asked), read_curve(second, level_asked)
    titles = verdict(first).title, verdict(second).title
    return (
        ComparedFigure("verdict", *titles, "same" if titles[0] == titles[1] else NOTHING),
        _figure("asked to catch", first.asked_recall, second.asked_recall, "share"),
        _figure("caught", first.got_recall, second.got_recall, "share"),
        _figure("wake-ups a day", first.wakes_per_day, second.wakes_per_day, "rate"),
        _figure("windows woken", first.share_woken, second.share_woken, "share"),
        _figure("wake-ups that mattered", first.precision, second.precision, "share"),
        _figure(
            "tokens per useful wake-up",
            first.tokens_per_useful_wake,
            second.tokens_per_useful_wake,
            "tokens",
        ),
        _figure(
            f"windows woken at {level(level_asked)}, in hindsight",
            _share(one),
            _share(two),
            "share",
        ),
        _figure("AUC", first.auc, second.auc, "auc"),
        _figure("windows", float(first.windows), float(second.windows), "count"),
        _figure("that mattered", float(first.relevant), float(second.relevant), "count"),
        _figure("missed", float(first.missed), float(second.missed), "count"),
        _figure(
            "woken for nothing", float(first.wasted_count), float(second.wasted_count), "count"
        ),
    )


def comparison_sentence(first: ReplayResult, second: ReplayResult) -> str:
    """Whether the second catches more and wakes less, in one sentence."""
    if first.got_recall is None or second.got_recall is None or not first.wakes_per_day:
        return "The two cannot be weighed: in one of them nothing was relevant or nothing woke."
    gain = second.got_recall - first.got_recall
    saved = 1 - second.wakes_per_day / first.wakes_per_day
    caught = "catches as much"
    if abs(gain) >= 0.0005:
        caught = f"catches {abs(gain) * 100:.1f} points {'more' if gain > 0 else 'less'}"
    woken = "wakes as often"
    if abs(saved) >= 0.0005:
        woken = f"wakes {percent(abs(saved))} {'less' if saved > 0 else 'more'}"
    return f"The second {caught} of what mattered and {woken}."


def caution(first: ReplayResult, second: ReplayResult) -> str:
    """Why the two may not be weighed against each other; empty when they may."""
    if first.preset != second.preset:
        return (
            "They mean different things by relevant: in the first, a window matters when "
            f"{preset_words(first.preset)}; in the second, when {preset_words(second.preset)}."
        )
    if (first.windows, first.relevant) != (second.windows, second.relevant):
        return "They cover different windows, so a difference may come from the windows alone."
    if first.labels != second.labels:
        kinds = {"all": "every label", "asked": "only the labels it asked for"}
        return f"The first had {kinds[first.labels]}, the second {kinds[second.labels]}."
    if printable(first.source) != printable(second.source):
        return "They were read from different places."
    return ""


def _share(reading: CurveReading | None) -> float | None:
    return reading.share_woken if reading else None


def _figure(name: str, first: float | None, second: float | None, unit: str) -> ComparedFigure:
    change = NOTHING
    if first is not None and second is not None:
        change = _change(first, second, unit)
    return ComparedFigure(name, _words(first, unit), _words(second, unit), change)


def _words(value: float | None, unit: str) -> str:
    if value is None:
        return NOTHING
    return {
        "share": percent(value, 1),
        "rate": rate(value),
        "tokens": tokens(value),
        "auc": f"{value:.3f}",
        "count": f"{value:,.0f}",
    }[unit]


def _change(first: float, second: float, unit: str) -> str:
    difference = second - first
    if unit == "share":
        text = f"{difference * 100:+.1f} points"
    elif unit == "auc":
        text = f"{difference:+.3f}"
    elif unit == "count":
        text = f"{difference:+,.0f}"
    else:
        text = f"{difference / first:+.1%}".replace("%", " %") if first else NOTHING
    return "same" if text.strip("+-0., %points") == "" else text.replace("-", "−")
