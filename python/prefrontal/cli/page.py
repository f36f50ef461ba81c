"""What every page for people shares: a console, moments, ages, and text cut to fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..plain_text import visible

PIPE_WIDTH = 4000
MOST_CHARACTERS = 2000


@contextmanager
def page() -> Iterator[Console]:
    """A console; what goes into a pipe is neither shortened nor padded."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        yield console
        return
    console.width = PIPE_WIDTH
    with console.capture() as written:
        yield console
    for line in written.get().splitlines():
        click.echo(line.rstrip())


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, where somebody is looking: told what, how much of how much."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("reading", total=None)

    def step(what: str, done: int, total: int) -> None:
        bar.update(task, description=what, completed=done, total=total)

    try:
        bar.start()
        yield step
    finally:
        with suppress(IndexError):  # of a `start` that Ctrl-C ended half-way
            bar.stop()
        console.show_cursor()


def plain_table(*columns: str) -> Table:
    """A table without lines; the columns are added by the caller when none is named."""
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=bool(columns))
    for name in columns:
        table.add_column(name, no_wrap=True)
    return table


def facts_table() -> Table:
    """A name and what there is to say about it, a line each."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    return table


def when(moment: float) -> str:
    """A moment in local time, to the second."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
    except (ValueError, OverflowError, OSError):
        return "unknown"


def list_moments(moments: Sequence[float], now: float) -> list[str]:
    """As `when`, without the year where all are of the year of `now`."""
    texts = [when(each) for each in moments]
    year = when(now)[:5]
    return [each[5:] for each in texts] if all(each[:5] == year for each in texts) else texts


def span(seconds: float) -> str:
    """A length of time in its largest fitting unit: "40 s", "12 min", "5 h", "3 days"."""
    if seconds < 60:
        return f"{max(0, int(seconds))} s"
    if seconds < 2 * 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 2 * 86400:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // 86400)} days"


def shown(text: str, style: str = "") -> Text:
    """Text from anywhere as one line that cannot move the cursor."""
    return Text(visible(text, MOST_CHARACTERS), style=style)


def cut(text: str, width: int) -> Text:
    """`shown`, at most `width` cells of a terminal wide."""
    short = shown(text)
    short.truncate(width, overflow="ellipsis")
    return short
