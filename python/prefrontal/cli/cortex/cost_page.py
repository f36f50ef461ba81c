"""What reflection costs, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ...cortex.memory.cost import dollars
from ..page import facts_table, page, plain_table

if TYPE_CHECKING:
    from rich.table import Table

    from ...cortex.memory.cost import CycleTokens, DayEstimate, UsedDay
    from ...settings.cortex import CortexSettings

PARTS = (
    ("system prompt", "prompt"),
    ("SOUL.md", "soul"),
    ("beliefs", "beliefs"),
    ("previous summary", "previous_summary"),
    ("peers", "peers"),
    ("events", "events"),
    ("in", "input"),
    ("out", "output"),
    ("together", "total"),
)


def print_cost(
    settings: CortexSettings,
    cycle: CycleTokens,
    rows: Sequence[tuple[DayEstimate, DayEstimate]],
    used: Sequence[UsedDay],
) -> None:
    """Tokens of a cycle, a day at each interval, and the days so far."""
    prices = settings.cost
    with page() as console:
        console.print(Text("A reflection with these settings, in tokens", "bold"))
        console.print(_parts(cycle))
        console.print()
        price = f"at ${prices.input_per_mtok:g} in and ${prices.output_per_mtok:g} out a million"
        console.print(Text(f"A day of the timer at most, {price}", "bold"))
        console.print(_days(settings, rows))
        console.print("In brackets: a usual reflection of 2,250 tokens in and 400 out.")
        console.print()
        console.print(Text("Used so far (days of UTC)", "bold"))
        if used:
            console.print(_used(settings, used))
        else:
            console.print("Nothing yet.")
        console.print(_cap(settings))


def _parts(cycle: CycleTokens) -> Table:
    table = facts_table()
    table.columns[1].justify = "right"
    for name, field in PARTS:
        table.add_row(name, f"{getattr(cycle, field):,}")
    return table


def _days(settings: CortexSettings, rows: Sequence[tuple[DayEstimate, DayEstimate]]) -> Table:
    table = plain_table("every", "cycles", "tokens", "cost", "usual tokens", "usual cost")
    for column in table.columns:
        column.justify = "right"
    for usual, own in rows:
        style = "bold" if own.minutes == settings.schedule_minutes else ""
        table.add_row(
            f"{own.minutes:g} min",
            str(own.cycles),
            f"{own.tokens:,}",
            f"${own.dollars:.2f}",
            f"({usual.tokens:,})",
            f"(${usual.dollars:.2f})",
            style=style,
        )
    return table


def _used(settings: CortexSettings, used: Sequence[UsedDay]) -> Table:
    table = plain_table("day", "cycles", "tokens in", "tokens out", "cost")
    for column in table.columns[1:]:
        column.justify = "right"
    for each in used:
        numbers = (each.cycles, each.tokens_in, each.tokens_out)
        table.add_row(each.date, *(f"{number:,}" for number in numbers), _price(each, settings))
    return table


def _price(used: UsedDay, settings: CortexSettings) -> str:
    price = dollars(used.tokens_in, used.tokens_out, settings.cost)
    return f"${price:.2f}" if price >= 0.01 or not price else "under $0.01"


def _cap(settings: CortexSettings) -> str:
    tokens, money = settings.cost.daily_tokens, settings.cost.daily_dollars
    caps = [f"{tokens:,} tokens"] if tokens is not None else []
    caps += [f"${money:.2f}"] if money is not None else []
    if caps:
        return f"A day ends at {' or '.join(caps)}."
    return "No cap is set: `cortex.cost.daily_dollars` or `daily_tokens` sets one."
