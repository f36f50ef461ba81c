"""The modules: threshold, recall, and the curve that a dragged threshold follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..assembly.gate_counts import ModuleCounts
from ..plural import many
from ..replay.report.tiles import caught_words
from ..replay.report.wording import percent
from .markup import Html, exact, fill, moment
from .tallies import ModuleDay, Tallies

if TYPE_CHECKING:
    from ..replay.live_figures import ModuleFigures
    from .dash_context import DashContext

SHOWN = 60

_CARD = """\
<li id="$key" class="module" data-patch data-module="$exact">
<div class="head" data-live id="$key-head"><h3 dir="auto">$module</h3>
<p class="about">$about</p><p class="about">$state</p>$warning</div>
<form class="knob" hx-post="/modules/threshold" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="module" value="$exact">
<label for="$key-knob">Threshold of $module</label>
<div class="slide"><input type="range" id="$key-knob" name="threshold" min="0" max="1" step="0.01" \
value="$threshold" data-saved="$threshold" autocomplete="off" aria-describedby="$key-preview">
<output for="$key-knob" id="$key-value">$threshold</output></div>
<div class="chart" id="$key-chart"></div>
<p class="reading" id="$key-reading"></p><p class="preview" id="$key-preview"></p>
<div class="deeds"><button id="$key-save" disabled>Save</button>
<button id="$key-reset" type="button" data-reset disabled>Undo</button>
<button id="$key-back" name="threshold" value="" formnovalidate data-live$hidden>\
Give it back to the gate</button></div>
</form></li>"""


def module_pieces(
    tallies: Tallies,
    context: DashContext,
    wished: Mapping[str, float],
    gate: Mapping[str, Any] | None = None,
) -> dict[str, Html]:
    """A card for each module, by name; of very many those that decided last.

    gate: what the running gate said last of each module's threshold.
    """
    gate_facts = gate if isinstance(gate, Mapping) else {}
    names = sorted({*context.modules, *tallies.modules})
    if len(names) > SHOWN:
        names = sorted(sorted(names, key=lambda each: -_last(tallies, each))[:SHOWN])
    pieces = {}
    for name in names:
        key = module_key(name)
        tally = tallies.modules.get(name) or ModuleDay()
        facts = gate_facts.get(name)
        facts = facts if isinstance(facts, Mapping) else {}
        figures = tallies.counts.modules.get(name, ModuleCounts()).figures(name)
        pieces[key] = _card(figures, key, tally, context, wished.get(name), facts)
    if rest := len({*context.modules, *tallies.modules}) - len(names):
        pieces["m-more"] = fill(
            '<li id="m-more" class="more">$rest modules more, which decided longer ago.</li>',
            rest=f"{rest:,}",
        )
    return pieces


def module_key(module_id: str) -> str:
    """Its id on the page."""
    return f"m-{crc32(module_id.encode('utf-8', 'surrogatepass')):08x}"


def in_force(module_id: str, tally: ModuleDay, context: DashContext, wished: float | None) -> float:
    """The threshold that the module decides with, as far as it can be known."""
    if wished is not None:
        return wished
    if tally.threshold is not None and not math.isnan(tally.threshold):
        return tally.threshold
    return context.floor(module_id)


def _last(tallies: Tallies, module_id: str) -> float:
    tally = tallies.modules.get(module_id)
    return -math.inf if tally is None or tally.at is None else tally.at


def _card(
    figures: ModuleFigures,
    key: str,
    tally: ModuleDay,
    context: DashContext,
    wished: float | None,
    facts: Mapping[str, Any],
) -> Html:
    name = figures.module
    return fill(
        _CARD,
        key=key,
        module=name,
        exact=Html(exact(name)),
        about=_about(tally, figures),
        state=_state(name, tally, context, wished, facts),
        warning=_warning(facts),
        threshold=f"{in_force(name, tally, context, wished):.2f}",
        hidden=Html("") if wished is not None else Html(" hidden"),
    )


def _about(tally: ModuleDay, figures: ModuleFigures) -> Html:
    if tally.at is None:
        return Html("It decided about nothing yet.")
    wakes = sum(tally.today[each] for each in ("woke", "caught", "wasted"))
    words = f"{many(wakes, 'wake')} today, {many(figures.wakes, 'wake')} in all"
    if figures.audits:
        words += f" ({many(figures.audits, 'audit')} among them)"
    if (caught := figures.caught) is not None:
        words += f"; caught {percent(caught.recall)} of what mattered ({caught_words(caught)})"
    return fill("$words; last decision $at", words=words, at=moment(tally.at))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _warning(facts: Mapping[str, Any]) -> Html:
    """That less is caught than was asked, if the gate says so."""
    warning = facts.get("warning")
    if not isinstance(warning, str):
        return Html("")
    return fill('<p class="about trouble">$warning.</p>', warning=_capital(warning))


def _state(
    name: str,
    tally: ModuleDay,
    context: DashContext,
    wished: float | None,
    facts: Mapping[str, Any],
) -> Html:
    """Whose threshold it is, and whether the gate has taken it up."""
    if wished is None:
        if isinstance(sentence := facts.get("sentence"), str):
            return fill("$sentence.", sentence=_capital(sentence))
        return fill("$words", words=context.threshold_words(name))
    if tally.threshold is not None and abs(tally.threshold - wished) < 1e-9:
        return fill("Yours: $wished, in use.", wished=f"{wished:.2f}")
    return fill(
        "Yours: $wished; a running gate takes it up within seconds.", wished=f"{wished:.2f}"
    )
