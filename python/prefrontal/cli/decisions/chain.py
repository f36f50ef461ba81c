"""What led to a decision and what it led to, as a chain from the wake to what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from ...decisions.words import brief
from ..page import cut, shown
from .answerable import ID_LENGTH

if TYPE_CHECKING:
    from rich.console import Console

    from ...decisions.log import Decision, DecisionLog

MOST_LINKS = 40
_LEAST_TEXT = 20
Chain = Sequence[tuple[int, "Decision"]]
"""(how far below the first, decision), in the order of what led to what."""


def chain_of(log: DecisionLog, record: Decision) -> Chain:
    """The decision, all that led to it and all that it and they led to; the wake stands first."""
    first, seen = record, {record.id}
    while first.cause is not None and first.cause not in seen:
        seen.add(first.cause)
        before = log.get(first.cause)
        if before is None:
            break
        first = before
    below: dict[str | None, list[Decision]] = {}
    for each in log.followed(first.id):
        below.setdefault(each.cause, []).append(each)
    steps: list[tuple[int, Decision]] = []
    _walk(first, 0, below, steps)
    return steps


def _walk(
    record: Decision,
    depth: int,
    below: dict[str | None, list[Decision]],
    steps: list[tuple[int, Decision]],
) -> None:
    steps.append((depth, record))
    for each in below.pop(record.id, ()):
        _walk(each, depth + 1, below, steps)


def chain_table(chain: Chain, here: str, console: Console) -> Table:
    """A line for each decision; the one that is looked at is marked."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for _ in range(4):
        table.add_column(no_wrap=True)
    width = max(_LEAST_TEXT, console.width - ID_LENGTH - 30)
    for depth, record in chain[:MOST_LINKS]:
        word, text = brief(record)
        mark = ">" if record.id == here else " "
        kind = shown("  " * min(depth, 4) + word, "" if record.acted else "yellow")
        table.add_row(mark, record.id[:ID_LENGTH], kind, cut(text, width))
    if len(chain) > MOST_LINKS:
        table.add_row("", "", "", f"and {len(chain) - MOST_LINKS} more")
    return table
