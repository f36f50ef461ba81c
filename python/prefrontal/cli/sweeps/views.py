"""How the rows of a sweep are shown: which columns, and what is drawn against what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...plain_text import visible

if TYPE_CHECKING:
    from rich.console import Console

Row = dict[str, Any]
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class SweepView:
    """place: the key of what a panel of the picture is of. columns: heads, and the cell of runs
    that differ by the seed alone. line: keys of what points of one colour share. point: the name
    of one. x, y: key, title and factor to its unit of what is drawn."""

    place: str
    columns: tuple[tuple[str, Callable[[Sequence[Row]], str]], ...]
    line: tuple[str, ...]
    point: Callable[[Row], str]
    x: tuple[str, str, float]
    y: tuple[str, str, float]
    title: str

    def groups(self, rows: Iterable[Row]) -> list[list[Row]]:
        """Runs that differ by the seed alone, in the order of the rows."""
        return [list(group) for _, group in groupby(rows, key=self._without_seed)]

    def _without_seed(self, row: Row) -> tuple[object, ...]:
        names = (self.place, *self.line)
        return (*(row[name] for name in names), self.point(row))


def mean(rows: Sequence[Row], name: str) -> float | None:
    """Over the runs that have the figure; None when none has."""
    values = [row[name] for row in rows if row[name] is not None]
    return sum(values) / len(values) if values else None


def aim(row: Row) -> str:
    """What was asked for: a recall, or a budget."""
    return row["budget"] if row["recall"] is None else f"{100 * row['recall']:g} %"


def _figure(name: str, form: str, factor: float = 1.0, unit: str = "") -> Callable[..., str]:
    """The mean, and behind it the least and the most where seeds differ."""

    def show(rows: Sequence[Row]) -> str:
        value = mean(rows, name)
        if value is None:
            return NOTHING
        values = sorted(factor * row[name] for row in rows if row[name] is not None)
        low, high = format(values[0], form), format(values[-1], form)
        spread = "" if low == high else f" ({low} to {high})"
        return f"{format(factor * value, form)}{unit}{spread}"

    return show


def _word(name: str) -> Callable[[Sequence[Row]], str]:
    return lambda rows: NOTHING if rows[0][name] is None else visible(str(rows[0][name]), 60)


def _of(part: str, whole: str) -> Callable[[Sequence[Row]], str]:
    def show(rows: Sequence[Row]) -> str:
        row = rows[0]
        return NOTHING if row[part] is None else f"{row[part]}/{row[whole]}"

    return show


def _spared(rows: Sequence[Row]) -> str:
    woken = mean(rows, "share_woken")
    return NOTHING if woken is None else f"{100 * (1 - woken):.1f} %"


def _trust_point(row: Row) -> str:
    cap = row["hourly_cap"] or "none"
    return f"clamp {row['clamp']}, cap {cap}, {row['batch']} a cycle, timer {row['timer']:g}"


VIEWS = {
    "histories": SweepView(
        place="history",
        columns=(
            ("History", _word("history")),
            ("Asked", lambda rows: aim(rows[0])),
            ("Features", _word("features")),
            ("Labels", _word("labels")),
            ("Caught", _figure("got_recall", ".1f", 100, " %")),
            ("Wake-ups a day", _figure("wakes_per_day", ".3g")),
            ("Spared", _spared),
            ("AUC", _figure("auc", ".3f")),
        ),
        line=("features", "labels"),
        point=aim,
        x=("share_woken", "windows that woke the agent", 100),
        y=("got_recall", "what mattered and was caught", 100),
        title="What was caught, and what it cost",
    ),
    "streams": SweepView(
        place="stream",
        columns=(
            ("Stream", _word("stream")),
            ("Clamp", _word("clamp")),
            ("Cap", _word("hourly_cap")),
            ("Policy", _word("policy")),
            ("Batch", _word("batch")),
            ("Timer", _word("timer")),
            ("Reflector", _word("reflector")),
            ("AUC", _figure("auc", ".3f")),
            ("Days", _figure("days", ".1f")),
            ("Missed", _of("missed", "turncoats")),
            ("A lie costs", _figure("drop", ".2f")),
            ("Flips", _of("flipped", "benign")),
        ),
        line=("policy", "reflector"),
        point=_trust_point,
        x=("drop", "points of trust that a lie costs", 1),
        y=("auc", "frauds told from others (AUC)", 1),
        title="How well trust tells frauds, and what a lie costs",
    ),
}


def print_rows(rows: Sequence[Row], view: SweepView, console: Console) -> None:
    """One line for runs that differ by the seed alone."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    lines = [[show(group) for _, show in view.columns] for group in view.groups(rows)]
    for place, (head, _) in enumerate(view.columns):
        words = all(not line[place][:1].isdigit() for line in lines)
        table.add_column(Text(head), justify="left" if words else "right", overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    console.print(table)
