"""One peer for people: facts, judgments with their reasons, the last messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...ledger.scale import info_word, trajectory, trust_word
from ..page import cut, facts_table, page, plain_table, shown, span, when
from .ledger_pages import NARROW, trust_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ...ledger.models import Assessment

MOST_JUDGMENTS = 5
LEAST_TEXT = 16


def print_peer(summary: Mapping[str, Any], assessments: Sequence[Assessment]) -> None:
    """Everything that is known of the peer."""
    with page() as console:
        title = shown(summary["peer_id"], "bold")
        if summary["display_name"]:
            title = Text.assemble(title, "  called ", shown(summary["display_name"]))
        console.print(title, "", _facts(summary), sep="\n")
        if assessments:
            console.print("", _judgments(assessments, console), sep="\n")
            if len(assessments) > MOST_JUDGMENTS:
                console.print(f"and {len(assessments) - MOST_JUDGMENTS:,} before; --json shows all")
        if summary.get("recent"):
            console.print()
            console.print(_messages(summary["recent"], console), soft_wrap=True)


def _facts(summary: Mapping[str, Any]) -> Table:
    first, last = summary["first_seen"], summary["last_seen"]
    table = facts_table()
    table.add_row("seen", f"{when(first)[:16]} to {when(last)[:16]}, {span(last - first)}")
    table.add_row(
        "messages", f"{summary['in_count']:,} from them, {summary['out_count']:,} to them"
    )
    table.add_row("info", f"{summary['info_score']} of 10: {info_word(summary['info_score'])}")
    latest = summary["latest"]
    if latest is None:
        table.add_row("trust", "not judged yet")
        return table
    trust = Text.assemble(trust_text(latest["trust"]), f": {trust_word(latest['trust'])}")
    table.add_row("trust", trust)
    table.add_row("was", trajectory(summary["trajectory"]))
    return table


def _judgments(assessments: Sequence[Assessment], console: Console) -> Table:
    """The newest first, as that is the one that counts."""
    narrow = console.width < NARROW
    names = ["judged", *([] if narrow else ["info"]), "trust"]
    table = plain_table(*names)
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_column("why", overflow="fold")
    for each in reversed(assessments[-MOST_JUDGMENTS:]):
        moment, trust = when(each.created_at), trust_text(each.trust)
        facts = (moment[:10], trust) if narrow else (moment[:16], str(each.info_score), trust)
        table.add_row(*facts, shown(each.rationale))
    return table


def _messages(recent: Sequence[Mapping[str, Any]], console: Console) -> Table:
    """In the order of what was said."""
    narrow = console.width < NARROW
    table = plain_table("said", "", *([] if narrow else ["size"]), "text")
    if not narrow:
        table.columns[2].justify = "right"
    longest = max(4, *(len(f"{each['size']:,}") for each in recent))
    width = 11 + 3 + 2 * 2 if narrow else 16 + 3 + longest + 2 * 3
    room = max(LEAST_TEXT, console.width - width)
    for each in recent:
        moment = when(each["created_at"])
        table.add_row(
            moment[5:16] if narrow else moment[:16],
            Text("in" if each["direction"] == "in" else "out", style="dim"),
            *([] if narrow else [f"{each['size']:,}"]),
            cut(each["preview"], room),
        )
    return table
