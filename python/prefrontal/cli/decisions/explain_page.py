"""Decisions for people: a list, and a page about one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...decisions.labels import PRESET, TOLD
from ...decisions.payloads import ROUTE, WAKE, AssessmentPayload, WakePayload
from ...decisions.words import (
    NOTHING_SAID,
    SUBJECTS,
    act_text,
    asks_worth,
    counted,
    facts,
    scored,
    sentence,
    trust_moved,
)
from ...feature_words import reason_words
from ...plain_text import visible
from ..page import cut, facts_table, list_moments, page, shown, when
from .answerable import ANSWERABLE, ID_LENGTH
from .chain import Chain, chain_table
from .deliveries import handover

if TYPE_CHECKING:
    from rich.console import Console

    from ...decisions.deliveries import Handover
    from ...decisions.log import Decision
    from ...types import SignalEvent

SAYS = {PRESET: ", by its history", TOLD: ", by what it told of"}
"""Who gave a label that no person gave."""
NAME_WIDTH = 34
MODULE_WIDTH = 20
KIND_WIDTH = 12
_UNPUSHED = "Nothing pushed the score: the module knows nothing of such signals yet."
_PUSHED = "What pushed the score, as log-odds (left: against waking, right: for)"
FIXED_WIDTH = 5 + 5 + 5 * 2
"""Of a list: score and label, and two blanks after each column but the last."""
LEAST_QUESTION = 12
"""Where a list leaves the question no more, each decision is a paragraph."""
MOST_LINES = 4
"""Of a question in such a paragraph."""
BAR_WIDTH, LEAST_BAR = 14, 4
NARROW = 72
"""Columns of a terminal below which each event is a paragraph, too."""
MOST_EVENTS = 20
LEAST_SHOWN = 0.005
"""Least log-odds worth a bar: less is written as 0.00."""


Questions = Mapping[str, str | None]
"""By the id of a window that was held back: that of the question that told of it, if one did."""


def print_list(
    records: Sequence[Decision],
    now: float = math.inf,
    *,
    mixed: bool = False,
    questions: Questions | None = None,
) -> None:
    """One line for each decision; only a terminal's width shortens it.

    now: Unix seconds; without it the year is always shown. mixed: of all kinds.
    """
    length = _id_length(records)
    moments = list_moments([each.time for each in records], now)
    texts = [_what(record) + _told(record, questions or {}) for record in records]
    modules = [cut(record.subject, MODULE_WIDTH) for record in records]
    width = length + max(map(len, moments)) + FIXED_WIDTH
    width += max(6, *(module.cell_len for module in modules))
    width += KIND_WIDTH if mixed else 0
    with page() as console:
        if console.width < width + LEAST_QUESTION:
            for record, moment, text in zip(records, moments, texts, strict=True):
                _print_paragraph(record, moment, text, length, mixed, console)
            return
        table = _list_table(records[0].kind, mixed)
        for record, moment, module, text in zip(records, moments, modules, texts, strict=True):
            kinds = (record.kind,) if mixed else ()
            label, score = _label_of(record), _score_of(record)
            question = cut(text, console.width - width)
            table.add_row(record.id[:length], moment, *kinds, module, score, label, question)
        console.print(table, soft_wrap=True)


def _list_table(kind: str, mixed: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    heads = ("kind", "about") if mixed else (SUBJECTS.get(kind, "about"),)
    for name in ("id", "when", *heads):
        table.add_column(name, no_wrap=True)
    for name in ("score", "label"):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("question" if kind == WAKE and not mixed else "what", no_wrap=True)
    return table


def _print_paragraph(
    record: Decision, moment: str, text: str, length: int, mixed: bool, console: Console
) -> None:
    """The columns of a list below each other."""
    score, label = _score_of(record), _label_of(record)
    facts = [record.kind] if mixed else []
    facts += [visible(record.subject, MODULE_WIDTH)]
    facts += [f"score {score}"] if score else []
    facts += [f"label {label}"] if label else []
    console.print(Text(record.id[:length], "bold") + f"  {moment}")
    console.print(Padding(", ".join(facts), (0, 0, 0, 2), expand=False))
    lines = shown(text).wrap(console, max(LEAST_QUESTION, console.width - 4))
    for line in lines[:MOST_LINES]:
        line.rstrip()
        more = " …" if len(lines) > MOST_LINES and line is lines[MOST_LINES - 1] else ""
        console.print(Text("  ") + line + more)


def _score_of(record: Decision) -> str:
    return f"{record.score:.2f}" if math.isfinite(record.score) else ""


def _label_of(record: Decision) -> str:
    return "" if record.label is None else f"{record.label:g}"


def _told(record: Decision, questions: Questions) -> str:
    """What became of a window that was held back."""
    if record.id not in questions:
        return ""
    by = questions[record.id]
    return ", waits for a question" if by is None else f", told by {by[:ID_LENGTH]}"


def _what(record: Decision) -> str:
    """The text at its heart; of what was not done, first why."""
    reason = str(record.reason).replace("_", " ")
    if record.kind == WAKE:
        return record.question or "" if record.acted else reason
    if isinstance(record.payload, AssessmentPayload):
        return f"{trust_moved(record.payload)}. {record.question}"
    return f"{reason}: {act_text(record)}" if record.kind != ROUTE else record.question or ""


def _id_length(records: Sequence[Decision]) -> int:
    """How much of the ids tells these decisions apart."""
    ids = {record.id for record in records}
    lengths = (ID_LENGTH, *range(ID_LENGTH + 4, 32, 4))
    return next((n for n in lengths if len({each[:n] for each in ids}) == len(ids)), 32)


def print_page(
    record: Decision,
    handed: Sequence[Handover] = (),
    chain: Chain = (),
    questions: Questions | None = None,
    latest: Decision | None = None,
    source: str | None = None,
) -> None:
    """Everything that is known about one decision. latest: how far the burst got that it opened.

    handed: how far it got with the durable sinks. chain: what led to it and what it led to. source:
    who gave its label.
    """
    nothing = NOTHING_SAID.get(record.kind, "Nothing was said.")
    question = Text(visible(record.question or nothing, 2000), style="bold")
    named = reason_words(record.why, counted(record)) if record.kind == WAKE else record.why
    why = [(name, amount) for name, amount in named if abs(amount) >= LEAST_SHOWN]
    with page() as console:
        console.print(
            question, "", _facts(record, handed, questions or {}, latest, source), sep="\n"
        )
        if why:
            head = _PUSHED if record.kind == WAKE else "What the score is made of"
            console.print("", head, _bars(why, console), sep="\n")
        elif record.kind == WAKE:
            console.print("", _UNPUSHED, sep="\n")
        if record.window:
            console.print()
            _print_events(record.window, console)
        if len(chain) > 1:
            console.print("", "What led to what", sep="\n")
            console.print(chain_table(chain, record.id, console))
        if record.label is None and record.kind in ANSWERABLE:
            console.print()
            console.print(_asks(record))


def _asks(record: Decision) -> str:
    short = record.id[:ID_LENGTH]
    if record.kind == WAKE:
        return asks_worth(short)
    return f"Was the choice right? prefrontal feedback {short} right   (or wrong)"


def _facts(
    record: Decision,
    handed: Sequence[Handover],
    questions: Questions,
    latest: Decision | None,
    source: str | None,
) -> Table:
    table = facts_table()
    table.add_row("id", record.id)
    if record.kind != WAKE:
        table.add_row("kind", record.kind)
    table.add_row(SUBJECTS.get(record.kind, "about"), visible(record.subject, 200))
    table.add_row("when", when(record.time))
    if (score := scored(record)) is not None:
        table.add_row("score", score)
    table.add_row("outcome", visible(sentence(record), 1000))
    if record.id in questions:
        by = questions[record.id]
        waits = "not yet: it waits until what held it back ends"
        table.add_row("told", waits if by is None else f"by the question {by[:ID_LENGTH]}")
    if latest is not None and isinstance(wake := latest.payload, WakePayload) and wake.burst:
        over = ", and the gate ended" if wake.closed else ", and it is over" if wake.ended else ""
        table.add_row("burst", f"{wake.burst.windows:,} alike windows so far{over}")
    for name, text, at in facts(record):
        table.add_row(name, visible(text, 1200) if at is None else when(at))
    if record.kind in ANSWERABLE:
        table.add_row("label", _label(record, source))
    for each in handed:
        table.add_row("sink", visible(f"{each.sink}: {handover(each)}", 500))
    return table


def _label(record: Decision, source: str | None) -> str:
    if record.label is None:
        return "none; silence teaches nothing"
    yes, no = ("useful", "useless") if record.kind == WAKE else ("right", "wrong")
    word = {1.0: yes, 0.0: no}.get(record.label, f"between {no} and {yes}")
    at = "" if record.labelled_at is None else f", given {when(record.labelled_at)}"
    return f"{record.label:g} ({word}){at}{SAYS.get(source or '', '')}"


def _bars(why: Sequence[tuple[str, float]], console: Console) -> Table:
    bar_width = max(LEAST_BAR, min(BAR_WIDTH, (console.width - NAME_WIDTH - 9) // 2))
    name_width = max(LEAST_QUESTION, min(NAME_WIDTH, console.width - 2 * bar_width - 9))
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True, width=bar_width, style="red")
    table.add_column(no_wrap=True, width=bar_width, style="green")
    largest = max((abs(amount) for _, amount in why if math.isfinite(amount)), default=0.0)
    block = "#" if console.options.ascii_only else "█"
    for name, amount in why:
        bar = block * max(1, round(bar_width * abs(amount) / largest))
        left, right = (bar, "") if amount < 0 else ("", bar)
        table.add_row(visible(name, name_width), f"{amount:+.2f}", left, right)
    return table


def _print_events(window: Sequence[SignalEvent], console: Console) -> None:
    title = "event" if len(window) == 1 else f"{len(window)} events"
    left = f"and {len(window) - MOST_EVENTS} before" if len(window) > MOST_EVENTS else ""
    rows = [
        (when(e.timestamp), visible(f"{e.source} {e.delta_type}", 40), visible(e.location, 500))
        for e in window[-MOST_EVENTS:]
    ]
    if console.width < NARROW:
        console.print(Text(title, "bold"))
        for moment, what, place in rows:
            console.print(Text(f"{moment}  {what}"))
            console.print(Padding(Text(place, overflow="fold"), (0, 0, 0, 2), expand=False))
        if left:
            console.print(left)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    table.add_column("")
    table.add_column("", overflow="fold")
    for row in rows:
        table.add_row(*row)
    if left:
        table.add_row("", "", left)
    console.print(table)
