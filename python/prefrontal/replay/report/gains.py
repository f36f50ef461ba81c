"""What the gate adds, in sentences: against every change, the heartbeat and in money; the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import share_fewer, times_fewer
from ..result import USD_PER_MILLION_TOKENS, PolicyResult, ReplayResult
from .incident_words import incidents_sentence
from .plain_figures import DAYS_A_MONTH, how_often, usd, usd_a_month, wait
from .verdict import NOTHING_TO_MEASURE, TOO_EARLY, verdict
from .wording import (
    compared_sentence,
    labels_sentence,
    percent,
    printable,
    promise_sentence,
    than_heartbeat,
    than_on_change,
    tokens,
)

if TYPE_CHECKING:
    from ..prices import Prices


def gains(result: ReplayResult) -> list[tuple[str, str]]:
    """(against what, what the gate adds): every change, the heartbeat, money; as far as known.

    None where the verdict is that nothing can be said yet.
    """
    own = result.policy("prefrontal")
    if own is None or verdict(result).kind in (NOTHING_TO_MEASURE, TOO_EARLY):
        return []
    lines = (
        ("Against every change", _on_change(result)),
        ("Against a heartbeat", _heartbeat(result, own)),
        ("Money", _money(result, own)),
    )
    return [each for each in lines if each[1]]


def month_of(result: ReplayResult, policy: PolicyResult) -> float:
    """What a policy's wake-ups cost in a month, in dollars."""
    if policy.usd_per_wake is not None:
        return policy.wakes_per_day * DAYS_A_MONTH * policy.usd_per_wake
    return usd_a_month(policy.wakes_per_day, result.tokens_per_wake, result.usd_per_million_tokens)


def details(result: ReplayResult) -> list[str]:
    """What only some want to know: promise, labels, AUC, tokens, and what the money assumes."""
    lines = [promise_sentence(result)]
    if not result.windows:
        return lines
    lines += filter(
        None, (incidents_sentence(result), labels_sentence(result), compared_sentence(result))
    )
    if result.auc is not None:
        lines.append(f"AUC {result.auc:.3f} (0.5 is chance, 1 is perfect order).")
    if result.tokens_per_useful_wake is not None:
        useful = result.tokens_per_useful_wake
        money = usd(useful * result.usd_per_million_tokens / 1e6)
        lines.append(f"{tokens(useful)} tokens per useful wake-up, {money}.")
    return [*lines, price_sentence(result), *filter(None, [cheap_sentence(result)])]


def price_sentence(result: ReplayResult) -> str:
    """What the money assumes, where that is from, and how to change it."""
    price, prices = result.usd_per_million_tokens, result.prices
    if prices is not None:
        return _prices_sentence(prices)
    source = (
        ", what mid-size models take for input (public price lists of 2026; no caching)"
        if price == USD_PER_MILLION_TOKENS
        else ""
    )
    return (
        f"Money: {result.tokens_per_wake:,} tokens a wake-up at ${price:g} a million{source}. "
        "Yours: --prices, or --tokens-per-wake and --usd-per-million-tokens."
    )


def cheap_sentence(result: ReplayResult) -> str:
    """What the cheap heartbeat is and assumes; empty where it was not tried."""
    cheap = result.policy("cheap_heartbeat")
    if cheap is None or cheap.usd_per_wake is None:
        return ""
    small, source = None if result.prices is None else result.prices.small_usd_per_million, ""
    if small is None:
        source = (
            ", a third of that price, as Claude Haiku 4.5 takes of Claude Sonnet 4.5's (public"
            " price list of 2026)"
        )
    return (
        f"Cheap heartbeat: {printable(cheap.detail)}, {usd(cheap.usd_per_wake)} a wake-up{source};"
        " 55 minutes keep the prompt in a cache of an hour"
        " (docs.openclaw.ai/reference/prompt-caching). The hours are the best in hindsight."
    )


def _prices_sentence(prices: Prices) -> str:
    size, price = prices.tokens, prices.usd_per_million
    kinds = (
        (size.cached_input, price.cached_input, "read from a cache"),
        (size.input, price.input, "new input"),
        (size.output, price.output, "output"),
    )
    shares = ", ".join(
        f"{percent(count / size.total, 1)} {name} at ${cost:g} a million"
        for count, cost, name in kinds
    )
    source = f" ({printable(prices.source)})" if prices.source else ""
    return (
        f"Money: {prices.tokens_per_wake:,} tokens a wake-up, {usd(prices.usd_per_wake)}: {shares}"
        f"{source}. Yours: --prices."
    )


def _on_change(result: ReplayResult) -> str:
    every = result.policy("on_change")
    saved = share_fewer(result, result.wakes_per_day)
    if every is None or saved is None:
        return ""
    if abs(saved) < 0.0005:
        return f"as many wake-ups: {how_often(every.wakes_per_day)}"
    rates = f"{how_often(result.wakes_per_day)}, not {how_often(every.wakes_per_day)}"
    return f"{than_on_change(saved)} wake-ups: {rates}"


def _heartbeat(result: ReplayResult, own: PolicyResult) -> str:
    heartbeat = result.policy("heartbeat")
    factor = times_fewer(result, result.wakes_per_day)
    if heartbeat is None or factor is None:
        return ""
    words = f"{than_heartbeat(factor)} wake-ups"
    if own.delay_minutes is None or heartbeat.delay_minutes is None:
        return words
    return f"{words}; asks {wait(own.delay_minutes)}, not {wait(heartbeat.delay_minutes)} later"


def _money(result: ReplayResult, own: PolicyResult) -> str:
    every, heartbeat = result.policy("on_change"), result.policy("heartbeat")
    if every is None or heartbeat is None or not result.usd_per_million_tokens:
        return ""
    beats = f"heartbeat: {usd(month_of(result, heartbeat))}"
    if (cheap := result.policy("cheap_heartbeat")) is not None:
        beats += f", cheap: {usd(month_of(result, cheap))}"
    return f"{usd(month_of(result, own))} a month, not {usd(month_of(result, every))} ({beats})"
