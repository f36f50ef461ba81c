"""The report's lists of single windows: those missed and those woken for nothing, each with why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...feature_words import reason_words
from ...plural import many
from .markup import escape, mark
from .wording import counted_thing, moment, paths_words, short_key

if TYPE_CHECKING:
    from ..result import Outcome, ReplayResult

SHOWN = 3
"""Windows listed at once; the others wait behind a line that opens them."""

REASONS = 4
"""Reasons shown for each, the strongest first."""


def outcome_list(
    kind: str, outcomes: Sequence[Outcome], total: int, result: ReplayResult, sub: str
) -> str:
    """A heading and the windows of one kind ("missed" or "wasted"), the worst first.

    sub: the element of the heading.
    """
    title, none, gloss = {
        "missed": (
            "Missed: {} that mattered",
            "Nothing that mattered was missed",
            "What pushed towards sleeping points left.",
        ),
        "wasted": (
            "Woke for nothing: {}",
            "No wake-up was wasted",
            "What pushed towards waking points right.",
        ),
    }[kind]
    if not total:
        return f'<{sub} class="sub">{none}</{sub}>'
    heading = title.format(many(total, "window"))
    thing = counted_thing(result)
    reasons = [reason_words(each.why, thing)[:REASONS] for each in outcomes]
    scale = max((abs(push) for each in reasons for _, push in each), default=1.0) or 1.0
    items = [_item(each, why, kind, scale) for each, why in zip(outcomes, reasons, strict=True)]
    rest = items[SHOWN:]
    more = (
        f"<details><summary>{len(rest):,} more</summary><ol>{''.join(rest)}</ol></details>"
        if rest
        else ""
    )
    first = f"The {len(items):,} worst are listed. " if len(items) < total else ""
    return f"""<{sub} class="sub">{heading}</{sub}>
<p class="gloss">{first}{gloss}</p>
<div class="outcomes {kind}"><ol>{"".join(items[:SHOWN])}</ol>{more}</div>"""


Reasons = list[tuple[str, float]]


def _item(outcome: Outcome, why: Reasons, kind: str, scale: float) -> str:
    side = "below" if kind == "missed" else "at or above"
    text = escape(outcome.text, 240) or "(no text)"
    return f"""<li><div class="what"><p class="text">{mark(kind)}<bdi>{text}</bdi></p>
<p class="paths"><bdi>{escape(paths_words(outcome.paths, outcome.more_paths))}</bdi></p>
<p class="when"><time>{moment(outcome.time)}</time> · score {outcome.score:.2f}, {side} the \
threshold {outcome.threshold:.2f} · <code>{escape(short_key(outcome.key))}</code></p></div>
{_why(why, scale)}</li>"""


def _why(why: Reasons, scale: float) -> str:
    """Signed bars on one scale for the whole list, so that windows can be compared."""
    if not why:
        return '<p class="why none">no reason recorded</p>'
    rows = "".join(
        f"<tr><th scope='row'><bdi>{escape(name, 80)}</bdi></th><td>{_push(push, scale)}</td>"
        f"<td>{f'{push:+.1f}'.replace('-', '−')}</td></tr>"
        for name, push in why
    )
    return f'<table class="why" aria-label="What pushed the score">{rows}</table>'


def _push(push: float, scale: float) -> str:
    width = abs(push) / scale * 50
    left = 50 if push >= 0 else 50 - width
    return (
        '<svg class="push" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="zero" d="M50 0V10"/>'
        f'<rect class="{"up" if push >= 0 else "down"}" x="{left:.2f}" y="1" '
        f'width="{width:.2f}" height="8"/></svg>'
    )
