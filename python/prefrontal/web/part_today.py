"""At a glance: the figures of today and so far, and the strip of events."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..plural import many
from ..replay.report.tiles import Tile, live_tiles, tile_markup
from .markup import Html, fill, mark
from .tallies import Tallies, outcome

if TYPE_CHECKING:
    from ..decisions.pages import LogRow
    from ..replay.live_figures import LiveFigures

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

_BAR = """\
<div id="e-$seq" class="bar $kind" role="img" tabindex="-1" aria-label="$label"$alarm>\
<svg class="column" viewBox="0 0 8 100" preserveAspectRatio="none" aria-hidden="true">\
$flag<rect class="score" x="1.2" y="$top" width="5.6" height="$height"/>\
<path class="threshold" d="M0 ${line}H8"/></svg>$mark</div>"""


def figures(tallies: Tallies) -> dict[str, Html]:
    """The figures of today, at the head of the page."""
    today = tallies.today
    woke = today["woke"] + today["caught"] + today["wasted"]
    asleep = today["slept"]  # what was held back is told of, or waits
    waiting = len(tallies.unanswered)
    audits = f"and {many(today['audit'] + today['missed'], 'audit')}"
    tiles = (
        Tile("woke", f"{woke:,}", "Woke today",
             f"{today['caught']:,} mattered, {today['wasted']:,} did not"),
        Tile("slept", f"{asleep:,}", "Slept today",
             audits if asleep else "counted where the gate keeps refusals (log_refusals)"),
        Tile("missed", f"{today['missed']:,}", "Missed today", "found by audits and labels"),
        Tile("questions", f"{waiting:,}", "Questions waiting",
             "your answers are what it learns from"
             if waiting
             else "all are answered"
             if tallies.seq
             else "none was asked yet"),
    )  # fmt: skip
    return _pieces(tiles)


def so_far(figures: LiveFigures) -> dict[str, Html]:
    """What the gate did since the log began, as `prefrontal replay --log` says it."""
    return _pieces(live_tiles(figures))


def _pieces(tiles: Iterable[Tile]) -> dict[str, Html]:
    """Drawn as the cards of a replay are."""
    names = {f"figure-{each.key}": each for each in tiles}
    return {name: Html(tile_markup(each, name)) for name, each in names.items()}


class Strip:
    """Renders events one by one and remembers how each looked."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[LogRow, Html]] = {}

    def pieces(self, tallies: Tallies) -> dict[str, Html]:
        """The latest events of today, oldest first."""
        bars: dict[int, tuple[LogRow, Html]] = {}
        for row in tallies.strip:
            known = self._known.get(row.seq)
            bars[row.seq] = known if known and known[0] is row else (row, _bar(row))
        self._known = bars
        return {f"e-{seq}": html for seq, (_, html) in bars.items()}


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
