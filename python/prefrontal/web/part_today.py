"""Today at a glance: the figures, and the strip of events."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..replay.prices import TOKENS_PER_WAKE
from ..replay.report.wording import percent
from .markup import Html, fill, many, mark
from .tallies import Tallies, outcome

if TYPE_CHECKING:
    from ..decisions.pages import LogRow

WORDS = {
    "caught": "woke, and it mattered",
    "wasted": "woke for nothing",
    "woke": "woke, not answered yet",
    "missed": "slept through what mattered",
    "audit": "slept, and asked about as an audit",
    "held": "held back",
    "slept": "slept through",
}
"""How an event can end, in the order of the legend."""

_FIGURE = """\
<div id="figure-$name" class="figure"><dt>$title</dt><dd>$value</dd><dd class="gloss">$gloss</dd>\
</div>"""
_BAR = """\
<div id="e-$seq" class="bar $kind" role="img" tabindex="-1" aria-label="$label"$alarm>\
<svg class="column" viewBox="0 0 8 100" preserveAspectRatio="none" aria-hidden="true">\
$flag<rect class="score" x="1.2" y="$top" width="5.6" height="$height"/>\
<path class="threshold" d="M0 ${line}H8"/></svg>$mark</div>"""


def figures(tallies: Tallies) -> dict[str, Html]:
    """The figures of the head of the page."""
    today = tallies.today
    woke = today["woke"] + today["caught"] + today["wasted"]
    asleep = today["slept"] + today["held"]
    waiting = len(tallies.unanswered)
    told = {
        "recall": _recall(tallies),
        "tokens": (
            "Tokens saved",
            _millions(tallies.slept * TOKENS_PER_WAKE) if tallies.slept else "–",
            f"{many(tallies.slept, 'window')} slept through, {TOKENS_PER_WAKE:,} tokens a wake"
            if tallies.slept
            else "counted once something was slept through",
        ),
        "woke": (
            "Woke today",
            f"{woke:,}",
            f"{today['caught']:,} mattered, {today['wasted']:,} did not",
        ),
        "slept": (
            "Slept today",
            f"{asleep:,}",
            "counted where the gate keeps refusals (log_refusals)"
            if not asleep
            else f"and {many(today['audit'] + today['missed'], 'audit')}",
        ),
        "missed": ("Missed today", f"{today['missed']:,}", "found by audits and labels"),
        "questions": (
            "Questions waiting",
            f"{waiting:,}",
            "your answers are what it learns from"
            if waiting
            else "all are answered"
            if tallies.seq
            else "none was asked yet",
        ),
    }
    return {
        f"figure-{name}": fill(_FIGURE, name=name, title=title, value=value, gloss=gloss)
        for name, (title, value, gloss) in told.items()
    }


def _recall(tallies: Tallies) -> tuple[str, object, object]:
    estimate = tallies.estimate()
    if estimate is None:
        return "Recall", "–", "known once a wake and an audit were answered"
    span = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return (
        "Recall, estimated",
        percent(estimate.recall),
        f"{span} (90 % interval), from {many(estimate.audits, 'audit')}",
    )


def _millions(count: int) -> str:
    """A number of tokens in few figures: 805 thousand, 20.8 million."""
    for size, word in ((10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if count >= size:
            places = 2 if count < 10 * size else 1 if count < 100 * size else 0
            return f"{count / size:.{places}f} {word}"
    return f"{count:,}"


class Strip:
    """Renders events one by one and remembers how each looked."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[LogRow, Html]] = {}

    def pieces(self, tallies: Tallies) -> dict[str, Html]:
        """The latest events of today, oldest first."""
        found: dict[int, tuple[LogRow, Html]] = {}
        for row in tallies.strip:
            known = self._known.get(row.seq)
            found[row.seq] = known if known and known[0] is row else (row, _bar(row))
        self._known = found
        return {f"e-{seq}": html for seq, (_, html) in found.items()}


def _bar(row: LogRow) -> Html:
    kind = outcome(row)
    score = 0.0 if math.isnan(row.score) else min(1.0, max(0.0, row.score))
    line = 0.0 if math.isnan(row.threshold) else min(1.0, max(0.0, row.threshold))
    why = row.reason.replace("_", " ") if kind == "held" else WORDS.get(kind, kind)
    label = f"{row.subject}: {why}, score {score:.2f}, threshold {line:.2f}"
    return fill(
        _BAR,
        seq=row.seq,
        kind=kind,
        label=label,
        alarm=fill(' data-at="$at"', at=f"{row.time:.0f}"),
        flag=Html('<rect class="alarm" width="8" height="100"/>' if kind == "missed" else ""),
        top=f"{100 - max(1.5, 100 * score):.1f}",
        height=f"{max(1.5, 100 * score):.1f}",
        line=f"{min(99.2, max(0.8, 100 - 100 * line)):.1f}",
        mark=mark(kind),
    )


def legend(tallies: Tallies) -> dict[str, Html]:
    """What the marks mean, each with how often it happened today."""
    return {
        f"legend-{kind}": fill(
            '<li id="legend-$kind">$mark<span>$words <b>$count</b></span></li>',
            kind=kind,
            mark=mark(kind),
            words=words,
            count=f"{tallies.today[kind]:,}",
        )
        for kind, words in WORDS.items()
    }
