"""One cycle of the cortex, whole: what it saw, what it proposed and what became of that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from ..page import cut, facts_table, page, plain_table, shown, when
from .pages import FAILED, PEER_WIDTH, took

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ...cortex.models import ReflectionRecord

_OUTCOMES = {"failed": FAILED, "dropped": FAILED}
_MARKS = (
    ("beliefs_added", "+", "new", "green"),
    ("beliefs_reaffirmed", "=", "held again", ""),
    ("beliefs_expired", "-", "expired", "dim"),
)


def print_record(record: ReflectionRecord) -> None:
    """Everything that is kept about one cycle."""
    with page() as console:
        console.print(shown(f"Cycle {record.cycle}: {_headline(record)}", "bold"))
        console.print(_facts(record))
        _assessments(console, record)
        _beliefs(console, record)
        _directives(console, record)
        if record.dropped:
            _title(console, "Left out of the reply")
            for sentence in record.dropped:
                console.print(Padding(shown(sentence), (0, 0, 0, 2)))


def _headline(record: ReflectionRecord) -> str:
    if record.status == "ok":
        return record.summary or "done"
    return f"{record.status}, {record.skip_reason}" if record.skip_reason else record.status


def _facts(record: ReflectionRecord) -> Table:
    table = facts_table()
    table.add_row("started", f"{when(record.timestamp)}, took {took(record)}")
    others = [each for each in record.triggers if each != record.trigger]
    also = f" (and {', '.join(others)})" if others else ""
    table.add_row("trigger", shown(f"{record.trigger}{also}"))
    table.add_row(
        "depth", shown(", ".join(dict.fromkeys((record.depth, record.model))).rstrip(", "))
    )
    table.add_row("tokens", _tokens(record))
    if record.input_summary:
        table.add_row("input", shown(record.input_summary))
    table.add_row("useful", "yes" if record.useful else "no: nothing changed")
    return table


def _tokens(record: ReflectionRecord) -> str:
    counts = ((record.tokens_in, "in"), (record.tokens_out, "out"))
    return ", ".join(f"{count:,} {way}" for count, way in counts if count is not None) or "not told"


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold"))


def _assessments(console: Console, record: ReflectionRecord) -> None:
    if not record.assessments:
        return
    _title(console, "Assessments")
    table = plain_table("peer", "before", "proposed", "trust", "")
    for column in table.columns[1:4]:
        column.justify = "right"
    table.columns[-1].no_wrap = False
    table.columns[-1].overflow = "fold"
    for each in record.assessments:
        table.add_row(*_assessment(each))
    console.print(table)


def _assessment(each: Mapping[str, Any]) -> tuple[Text, ...]:
    proposed, trust = each.get("proposed"), each.get("clamped")
    limited = trust is not None and trust != proposed
    result = str(each.get("outcome", ""))
    why = str(each.get("why") or "")
    reason = shown(str(each.get("rationale") or ""))
    recorded = result in ("", "recorded")
    if not recorded or limited:
        style = "yellow" if recorded else _OUTCOMES.get(result, "dim")
        mark = f"{'limited' if recorded else result}{f': {why}' if why else ''}. "
        reason = Text.assemble(shown(mark, style), reason)
    return (
        cut(str(each.get("peer_id", "")), PEER_WIDTH),
        _trust(each.get("previous")),
        _trust(proposed),
        Text(_trust(trust).plain, style="bold yellow" if limited else "bold"),
        reason,
    )


def _trust(value: object) -> Text:
    return Text(
        f"{value:+d}" if isinstance(value, int) and value else "-" if value is None else "0"
    )


def _beliefs(console: Console, record: ReflectionRecord) -> None:
    lines = [
        shown(f"{mark} {key}  {words}", style)
        for name, mark, words, style in _MARKS
        for key in getattr(record, name)
    ]
    for each in record.beliefs_revised:
        was, now = each.get("old", ""), each.get("new", "")
        lines.append(shown(f"~ {each.get('key', '')}  was {was!r}, is {now!r}", "yellow"))
    if lines:
        _title(console, "Beliefs")
        for line in lines:
            console.print(Padding(line, (0, 0, 0, 2)))


def _directives(console: Console, record: ReflectionRecord) -> None:
    if not record.directives:
        return
    _title(console, "Directives")
    for each in record.directives:
        peer, action = each.get("target_peer", ""), each.get("action", "")
        state = each.get("status") or each.get("outcome") or ""
        head = Text.assemble(
            shown(f"{peer}: {action}"), shown(f"  {state}" if state else "", "dim")
        )
        console.print(Padding(head, (0, 0, 0, 2)))
        for name in ("message", "rationale"):
            if each.get(name):
                console.print(Padding(shown(f"{name}: {each[name]}"), (0, 0, 0, 4)))
