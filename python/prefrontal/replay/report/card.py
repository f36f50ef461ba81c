"""The report's first screen: the verdict, four figures under it, and what to try next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..reading import share_fewer, times_fewer
from .gains import month_of
from .markup import escape, mark, unbroken
from .plain_figures import how_often, wait
from .tiles import Tile, every_tile, heartbeat_tile, money_tile, tile_markup
from .verdict import verdict
from .wording import asked_words, facts_sentence, percent

if TYPE_CHECKING:
    from ..result import ReplayResult
    from .next_steps import NextStep

TONE_MARKS = {"good": "kept", "bad": "missed", "weak": "weak", "open": "open"}


def verdict_card(
    result: ReplayResult, name: str, number: int, heading: str, steps: Sequence[NextStep]
) -> str:
    """The verdict in words and colour; heading: the element that holds its title, "h1" or "h2".

    steps: what to try next, said here where there is little else to see.
    """
    decided = verdict(result)
    sub = "h2" if heading == "h1" else "h3"
    figures = "" if decided.tone == "open" else _figures(result)
    return f"""<div class="verdict {decided.tone}">
<p class="eyebrow">Wake-ups replayed on <b><bdi>{escape(name)}</bdi></b></p>
<{heading} class="headline" id="title-{number}">{mark(TONE_MARKS[decided.tone])}\
{escape(decided.title)}</{heading}>
<p class="lede">{unbroken(_sentence(decided.reason))}</p>
{figures}</div>
<p class="facts">{escape(_sentence(facts_sentence(result)))}</p>
{next_card(steps, sub) if decided.tone == "open" else ""}"""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def _figures(result: ReplayResult) -> str:
    """What was caught, and what the gate adds against every change, the heartbeat, in money."""
    tiles = [_caught(result), _on_change(result), _heartbeat(result), _money(result)]
    items = "\n".join(map(tile_markup, filter(None, tiles)))
    return f'<dl class="tiles">{items}</dl>'


def _caught(result: ReplayResult) -> Tile:
    more = f"{asked_words(result)} was asked"
    if result.recall_interval is not None:
        low, high = result.recall_interval
        more += f"; {percent(low)} to {percent(high)} likely"
    if (incidents := result.incidents) is not None:
        more = f"{asked_words(result)} was asked"
        return Tile(
            "recall", f"{incidents.told} of {incidents.total}", "incidents were told of", more
        )
    return Tile("recall", percent(result.got_recall), "of what mattered was caught", more)


def _on_change(result: ReplayResult) -> Tile | None:
    every = result.policy("on_change")
    if every is None or share_fewer(result, result.wakes_per_day) is None:
        return None
    return every_tile(result.wakes_per_day, every.wakes_per_day, "change")


def _heartbeat(result: ReplayResult) -> Tile | None:
    own, heartbeat = result.policy("prefrontal"), result.policy("heartbeat")
    factor = times_fewer(result, result.wakes_per_day)
    if own is None or heartbeat is None or factor is None:
        return None
    more = f"{how_often(heartbeat.wakes_per_day)} there"
    if own.delay_minutes is not None and heartbeat.delay_minutes is not None:
        more = f"asks {wait(own.delay_minutes)}, not {wait(heartbeat.delay_minutes)} later"
    return heartbeat_tile(factor, more)


def _money(result: ReplayResult) -> Tile | None:
    rows = [result.policy(name) for name in ("prefrontal", "on_change", "heartbeat")]
    own, every, heartbeat = rows
    cheap = result.policy("cheap_heartbeat")
    if own is None or every is None or heartbeat is None or not result.usd_per_million_tokens:
        return None
    return money_tile(
        month_of(result, own),
        month_of(result, every),
        month_of(result, heartbeat),
        None if cheap is None else month_of(result, cheap),
        result.usd_per_million_tokens,
    )


def next_card(steps: Sequence[NextStep], sub: str) -> str:
    """The commands to try next, empty when there is none; sub: the heading's element."""
    if not steps:
        return ""
    items = "".join(
        f"<li>{escape(_sentence(each.reason)[:-1])}<code>{escape(each.command)}</code></li>"
        for each in steps
    )
    return f'<div class="next"><{sub} class="sub">Try next</{sub}><ul>{items}</ul></div>'
