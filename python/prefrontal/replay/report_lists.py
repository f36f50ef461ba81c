"""The report's lists of single windows: those missed and those woken for nothing, each with why."""

from __future__ import annotations

from collections.abc import Sequence

from .markup import escape, mark
from .result import Outcome
from .wording import moment, paths_words, short_key

SHOWN = 8
"""Windows listed at once; the others wait behind a line that opens them."""

REASONS = 6
"""Reasons shown for each, the strongest first."""


def outcome_list(kind: str, outcomes: Sequence[Outcome], total: int) -> str:
    """A heading and the windows of one kind ("missed" or "wasted"), the worst first."""
    title, none, gloss = {
        "missed": (
            "Missed: {} that mattered and {} slept through",
            "Nothing that mattered was missed",
            "Each with what pushed its score down, or failed to push it up.",
        ),
        "wasted": (
            "Woke for nothing: {} that did not matter and {} woken for",
            "No wake-up was wasted",
            "Each with what pushed its score over the threshold.",
        ),
    }[kind]
    if not total:
        return f"<h3>{none}</h3>"
    heading = title.format(
        f"{total:,} window{'s' if total > 1 else ''}", "were" if total > 1 else "was"
    )
    scale = max((abs(push) for each in outcomes for _, push in each.why), default=1.0) or 1.0
    items = [_item(each, kind, scale) for each in outcomes]
    rest = items[SHOWN:]
    more = (
        f"<details><summary>{len(rest):,} more</summary><ol>{''.join(rest)}</ol></details>"
        if rest
        else ""
    )
    first = f"The {len(items):,} worst are listed. " if len(items) < total else ""
    return f"""<h3>{heading}</h3>
<p class="gloss">{first}{gloss} Bars to the right pushed towards waking, bars to the left towards
sleeping, in log-odds.</p>
<div class="outcomes {kind}"><ol>{"".join(items[:SHOWN])}</ol>{more}</div>"""


def _item(outcome: Outcome, kind: str, scale: float) -> str:
    side = "below" if kind == "missed" else "at or above"
    text = escape(outcome.text, 240) or "(no text)"
    return f"""<li><div class="what"><p class="text">{mark(kind)}<bdi>{text}</bdi></p>
<p class="paths"><bdi>{escape(paths_words(outcome.paths, outcome.more_paths))}</bdi></p>
<p class="when"><time>{moment(outcome.time)}</time> · score {outcome.score:.2f}, {side} the \
threshold {outcome.threshold:.2f} · <code>{escape(short_key(outcome.key))}</code></p></div>
{_why(outcome, scale)}</li>"""


def _why(outcome: Outcome, scale: float) -> str:
    """Signed bars on one scale for the whole list, so that windows can be compared."""
    if not outcome.why:
        return '<p class="why none">no reason recorded</p>'
    rows = "".join(
        f"<tr><th scope='row'><bdi>{escape(name, 80)}</bdi></th><td>{_push(push, scale)}</td>"
        f"<td>{f'{push:+.2f}'.replace('-', '−')}</td></tr>"
        for name, push in outcome.why[:REASONS]
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
