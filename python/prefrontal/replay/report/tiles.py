"""Figures on cards: those of a replay, and those of a live gate so far, as text and as markup."""

from __future__ import annotations

from dataclasses import dataclass

from ...plural import many, noun
from ..delays import DelaySpan
from ..heartbeats import CHEAP_BEATS_PER_DAY, USUAL_HEARTBEAT
from ..live_figures import LEAST_HOURS, CaughtShare, LiveFigures
from .markup import escape, unbroken
from .plain_figures import DAYS_A_MONTH, how_often, usd, usd_a_month, wait
from .wording import NOTHING, days_words, half_up, percent, than_heartbeat, than_on_change

HEARTBEATS = USUAL_HEARTBEAT.beats_per_day
"""A day."""
_SIZES = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"))


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure. key: its name on a page. more: what it is compared with or follows from."""

    key: str
    figure: str
    label: str
    more: str


def tile_markup(tile: Tile, name: str = "") -> str:
    """One tile, an entry of a list of terms. name: its id on the page."""
    known = f' id="{escape(name)}"' if name else ""
    kind = "figure unknown" if tile.figure == NOTHING else "figure"
    return (
        f'<div{known} class="{kind}"><dt>{escape(tile.label)}</dt> '
        f'<dd>{unbroken(tile.figure)}</dd> <dd class="more">{escape(tile.more)}</dd></div>'
    )


def every_tile(per_day: float, signals_per_day: float, signal: str) -> Tile:
    """Against waking on every signal. signal: what one is called."""
    saved = 1 - per_day / signals_per_day if signals_per_day > 0 else None
    rates = f"{how_often(per_day)}, not {how_often(signals_per_day)}"
    return Tile("every", than_on_change(saved), f"wake-ups than waking on every {signal}", rates)


def heartbeat_tile(factor: float | None, more: str) -> Tile:
    """Against a heartbeat. factor: its wake-ups for each one here."""
    return Tile("heartbeat", than_heartbeat(factor), "wake-ups than a 30-minute heartbeat", more)


def cheap_tile(factor: float | None, more: str) -> Tile:
    """Against the cheap heartbeat. factor: its wake-ups for each one here."""
    return Tile("cheap-heartbeat", than_heartbeat(factor), "wake-ups than a cheap heartbeat", more)


def money_tile(
    own: float, every: float, heartbeat: float, cheap: float | None, price: float
) -> Tile:
    """Dollars a month: of the gate, of waking on every signal, of a heartbeat, of a cheap one.

    price: of a million tokens.
    """
    cheap_one = "" if cheap is None else f", cheap: {usd(cheap)}"
    others = f"not {usd(every)} (heartbeat: {usd(heartbeat)}{cheap_one})"
    return Tile("month", usd(own), f"a month at {usd(price)} a million tokens", others)


def live_tiles(figures: LiveFigures) -> list[Tile]:
    """What a gate did so far; what a rate needs more time for says so."""
    return [
        _caught(figures.caught),
        _wakes(figures),
        _useful(figures),
        _delay(figures.delay_s),
        *_rates(figures),
        *_tokens(figures),
    ]


def live_lines(figures: LiveFigures) -> list[str]:
    """The same for a terminal, a line each; what a rate needs is said once, at the end."""
    wait = _waits(figures)
    lines = [
        f"{each.figure} {each.label}: {each.more}"
        for each in live_tiles(figures)
        if not each.more.endswith(wait)
    ]
    if figures.has_rates:
        return lines
    saved = f"{_saved(figures)} against waking on every signal"
    return [*lines[:4], saved, *lines[4:], f"By the month and against heartbeats: {wait}"]


def caught_words(caught: CaughtShare) -> str:
    """The interval, and what it follows from."""
    span = f"{percent(caught.low)} to {percent(caught.high)} likely"
    if caught.audits is None:
        return f"{span}; every window is labelled"
    return f"{span}, estimated from {many(caught.audits, 'audit')}"


def _caught(caught: CaughtShare | None) -> Tile:
    if caught is None:
        more = "known once a wake-up and an audit were answered"
        return Tile("recall", NOTHING, "of what mattered was caught", more)
    return Tile(
        "recall", percent(caught.recall), "of what mattered was caught", caught_words(caught)
    )


def _wakes(figures: LiveFigures) -> Tile:
    more = f"of {many(figures.signals, 'signal')}"
    if figures.signals:
        more += f" in {days_words(figures.days)}; {many(figures.audits, 'audit')} among them"
    unit = noun(figures.wakes, "wake-up")
    return Tile("wakes", f"{figures.wakes:,}", f"{unit} so far", more)


def _useful(figures: LiveFigures) -> Tile:
    more = f"{figures.labelled:,} of {figures.wakes:,} were answered"
    return Tile("useful", percent(figures.useful_share), "of the answered ones mattered", more)


def _delay(delay: DelaySpan | None) -> Tile:
    label = "from a signal to its question (median)"
    if delay is None:
        return Tile("delay", NOTHING, label, "known once something was asked")
    more = f"90th percentile: {wait(delay.p90 / 60)}"
    return Tile("delay", wait(delay.median / 60), label, more)


def _rates(figures: LiveFigures) -> list[Tile]:
    own, every, price = figures.wakes_per_day, figures.signals_per_day, figures.tokens_per_wake
    if own is None or every is None:
        wait = _waits(figures)
        count = f"{_saved(figures)}; {wait}"
        return [
            Tile("every", NOTHING, "wake-ups than waking on every signal", count),
            heartbeat_tile(None, wait),
            cheap_tile(None, wait),
            Tile("month", NOTHING, "a month", wait),
        ]
    usd_price = figures.usd_per_million_tokens
    own_usd, every_usd, heartbeat_usd = (
        usd_a_month(each, price, usd_price) for each in (own, every, HEARTBEATS)
    )
    cheap_usd = CHEAP_BEATS_PER_DAY * DAYS_A_MONTH * figures.cheap_usd_per_wake
    return [
        every_tile(own, every, "signal"),
        heartbeat_tile(HEARTBEATS / own if own else None, f"{how_often(HEARTBEATS)} there"),
        cheap_tile(
            CHEAP_BEATS_PER_DAY / own if own else None,
            f"each 55 minutes of 16 hours, a small model: {usd(cheap_usd)} a month",
        ),
        money_tile(own_usd, every_usd, heartbeat_usd, cheap_usd, usd_price),
    ]


def _tokens(figures: LiveFigures) -> list[Tile]:
    saved, heartbeat = figures.tokens(figures.saved), figures.tokens(figures.saved_heartbeat)
    price = f"{figures.tokens_per_wake:,} tokens a wake-up"
    known = bool(figures.signals) and saved is not None
    return [
        Tile(
            "tokens",
            _millions(saved) if saved is not None and known else NOTHING,
            "tokens saved against waking on every signal",
            price if known else "counted once something was decided",
        ),
        Tile(
            "tokens-heartbeat",
            NOTHING if heartbeat is None else _millions(heartbeat),
            "tokens saved against a heartbeat",
            _waits(figures) if heartbeat is None else price,
        ),
    ]


def _saved(figures: LiveFigures) -> str:
    return f"{_signed(figures.saved)} {noun(figures.saved, 'wake-up')} saved"


def _waits(figures: LiveFigures) -> str:
    return f"a rate needs {LEAST_HOURS} hours of data; {days_words(figures.days)} so far"


def _signed(count: int) -> str:
    return f"{count:,}".replace("-", "−")


def _millions(count: int) -> str:
    """Many tokens in few figures: "805 thousand", "20.8 million", "−2.82 million"."""
    size, word = next((each for each in _SIZES if abs(count) >= each[0]), (1, ""))
    amount = abs(count) / size
    places = 0 if not word or amount >= 100 else 2 if amount < 10 else 1
    sign = "−" if count < 0 else ""
    return f"{sign}{half_up(amount, places):,} {word}".rstrip()
