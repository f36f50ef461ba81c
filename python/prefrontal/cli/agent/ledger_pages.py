"""Peers for people: the list, and the sums over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...ledger.scale import signed
from ..page import cut, facts_table, page, plain_table, shown, when

if TYPE_CHECKING:
    from rich.console import Console

    from ...ledger.models import ScoredPeer

LEAST_ID = 12
NAME_WIDTH = 20
BAR_WIDTH = 30
NARROW, WIDE = 60, 90
"""A terminal of fewer cells: without counts and times of day; without names."""


def print_list(standings: Sequence[ScoredPeer]) -> None:
    """Peer, name, messages either way, when it was seen last, and the scores."""
    with page() as console:
        narrow, wide = console.width < NARROW, console.width >= WIDE
        names = ["peer", *(["name"] if wide else []), *([] if narrow else ["in", "out"])]
        names += ["last seen", "info", "trust"]
        table = plain_table(*names)
        for column, name in zip(table.columns, names, strict=True):
            column.justify = "right" if name in ("in", "out", "info", "trust") else "left"
        room = _room(console, standings, narrow, wide)
        for each in standings:
            peer = each.peer
            seen = when(peer.last_seen)
            table.add_row(
                cut(peer.peer_id, room),
                *([cut(peer.display_name, NAME_WIDTH)] if wide else []),
                *([] if narrow else [f"{peer.in_count:,}", f"{peer.out_count:,}"]),
                seen[:10] if narrow else seen[:16],
                str(each.info_score),
                trust_text(each.trust),
            )
        console.print(table, soft_wrap=True)


def print_totals(totals: Mapping[str, Any]) -> None:
    """The sums, and how many peers stand at each trust."""
    with page() as console:
        table = facts_table()
        table.add_row("peers", f"{totals['peers']:,}, {totals['judged']:,} of them judged")
        messages = f"{totals['in']:,} from them, {totals['out']:,} to them"
        table.add_row("messages", messages)
        table.add_row("judgments", f"{totals['assessments']:,}")
        table.add_row("first", when(totals["first_seen"]))
        table.add_row("last", when(totals["last_seen"]))
        console.print(table)
        if totals["trust"]:
            console.print("", "Peers by trust", sep="\n", style="bold")
            console.print(_bars(totals["trust"], console))


def trust_text(trust: int | None) -> Text:
    """A trust with its sign; green for good, red for bad, "-" for none."""
    if trust is None:
        return Text("-", style="dim")
    return Text(signed(trust), style="green" if trust > 0 else "red" if trust < 0 else "")


def _bars(counts: Mapping[str, int], console: Console) -> Any:
    table = plain_table()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    block = "#" if console.options.ascii_only else "█"
    room = max(5, min(BAR_WIDTH, console.width - 16))
    largest = max(counts.values())
    for trust, count in sorted(counts.items(), key=lambda each: -int(each[0])):
        bar = block * max(1, round(room * count / largest))
        text = trust_text(int(trust))
        table.add_row(text, f"{count:,}", Text(bar, style=text.style))
    return table


def _room(console: Console, standings: Sequence[ScoredPeer], narrow: bool, wide: bool) -> int:
    """How wide an id may be beside the other columns."""
    longest = max(shown(each.peer.peer_id).cell_len for each in standings)
    width = (10 if narrow else 16) + 4 + 5 + 2 * 3
    if not narrow:
        counts = [f"{n:,}" for each in standings for n in (each.peer.in_count, each.peer.out_count)]
        width += 2 * (max(3, *map(len, counts)) + 2)
    if wide:
        width += 2 + max(
            4, *(min(NAME_WIDTH, shown(e.peer.display_name).cell_len) for e in standings)
        )
    return max(LEAST_ID, min(longest, console.width - width))
