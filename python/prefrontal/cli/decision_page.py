"""Decisions for people: a list, and a page about one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..plain_text import visible
from ..pulse.reason_words import sentence
from ..types import Reason
from .decision_deliveries import handover
from .decisions import ID_LENGTH
from .page import cut, facts_table, page, when

if TYPE_CHECKING:
    from rich.console import Console

    from ..storage.decisions import DecisionRecord
    from ..storage.deliveries import Handover
    from ..types import SignalEvent

NAME_WIDTH = 34
MODULE_WIDTH = 20
FIXED_WIDTH = 14 + 5 + 5 + 5 * 2
"""Of a list: moment, score and label, and two blanks after each column but the last."""
LEAST_QUESTION = 12
BAR_WIDTH = 14
MOST_EVENTS = 20
LEAST_SHOWN = 0.005
"""Least log-odds worth a bar: less is written as 0.00."""


def print_list(records: Sequence[DecisionRecord]) -> None:
    """One line for each decision; only a terminal's width shortens it."""
    length = _id_length(records)
    with page() as console:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("id", "when", "module"):
            table.add_column(name, no_wrap=True)
        for name in ("score", "label"):
            table.add_column(name, no_wrap=True, justify="right")
        table.add_column("question", no_wrap=True)
        modules = [cut(record.subject, MODULE_WIDTH) for record in records]
        taken = length + FIXED_WIDTH + max(6, *(module.cell_len for module in modules))
        for record, module in zip(records, modules, strict=True):
            asked = record.question if record.acted else str(record.reason).replace("_", " ")
            question = cut(asked or "", max(LEAST_QUESTION, console.width - taken))
            label = "" if record.label is None else f"{record.label:g}"
            moment = when(record.time)[5:]
            table.add_row(
                record.id[:length], moment, module, f"{record.score:.2f}", label, question
            )
        console.print(table, soft_wrap=True)


def _id_length(records: Sequence[DecisionRecord]) -> int:
    """How much of the ids tells these decisions apart."""
    ids = {record.id for record in records}
    lengths = (ID_LENGTH, *range(ID_LENGTH + 4, 32, 4))
    return next((n for n in lengths if len({each[:n] for each in ids}) == len(ids)), 32)


def print_page(record: DecisionRecord, handed: Sequence[Handover] = ()) -> None:
    """Everything that is known about one decision, and how far it got with the durable sinks."""
    question = Text(visible(record.question or "No question was asked.", 2000), style="bold")
    why = [(name, amount) for name, amount in record.why if abs(amount) >= LEAST_SHOWN]
    with page() as console:
        console.print(question, "", _facts(record, handed), "", sep="\n")
        if why:
            console.print("What pushed the score, as log-odds (left: against waking, right: for)")
            console.print(_bars(why, console))
        else:
            console.print("Nothing pushed the score: the module knows nothing of such signals yet.")
        if record.window:
            console.print("", _events(record.window), sep="\n")
        if record.label is None:
            short = record.id[:ID_LENGTH]
            console.print()
            console.print(f"Was it worth it? prefrontal feedback {short} useful   (or useless)")


def _facts(record: DecisionRecord, handed: Sequence[Handover]) -> Table:
    table = facts_table()
    table.add_row("id", record.id)
    table.add_row("module", visible(record.subject, 200))
    table.add_row("when", when(record.time))
    table.add_row("score", f"{record.score:.3f}, threshold {record.threshold:.3f}")
    table.add_row("outcome", _outcome(record))
    table.add_row("label", _label(record))
    for each in handed:
        table.add_row("sink", visible(f"{each.sink}: {handover(each)}", 500))
    return table


def _outcome(record: DecisionRecord) -> str:
    said = sentence(record.reason)
    if record.reason == Reason.AUDIT:
        said += f" The chance was {record.propensity:.1%}."
    return said


def _label(record: DecisionRecord) -> str:
    if record.label is None:
        return "none; silence teaches nothing"
    word = {1.0: "useful", 0.0: "useless"}.get(record.label, "between useless and useful")
    at = "" if record.labelled_at is None else f", given {when(record.labelled_at)}"
    return f"{record.label:g} ({word}){at}"


def _bars(why: Sequence[tuple[str, float]], console: Console) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True, width=BAR_WIDTH, style="red")
    table.add_column(no_wrap=True, width=BAR_WIDTH, style="green")
    largest = max((abs(amount) for _, amount in why if math.isfinite(amount)), default=0.0)
    block = "#" if console.options.ascii_only else "█"
    for name, amount in why:
        bar = block * max(1, round(BAR_WIDTH * abs(amount) / largest))
        left, right = (bar, "") if amount < 0 else ("", bar)
        table.add_row(visible(name, NAME_WIDTH), f"{amount:+.2f}", left, right)
    return table


def _events(window: Sequence[SignalEvent]) -> Table:
    title = "event" if len(window) == 1 else f"{len(window)} events"
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    table.add_column("")
    table.add_column("", overflow="fold")
    for event in window[-MOST_EVENTS:]:
        what = f"{event.source} {event.delta_type}"
        table.add_row(when(event.timestamp), visible(what, 40), visible(event.location, 500))
    if len(window) > MOST_EVENTS:
        table.add_row("", "", f"and {len(window) - MOST_EVENTS} before")
    return table
