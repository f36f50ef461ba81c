"""What the cortex believes and did, for people: beliefs and a list of cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from ...origins import named
from ...plural import many
from ..page import MOST_CHARACTERS, cut, list_moments, page, plain_table, shown, span, when

if TYPE_CHECKING:
    from rich.console import Console

    from ...cortex.models import Belief, ReflectionRecord

KEY_WIDTH = 32
PEER_WIDTH = 20
NARROW = 72
"""A terminal of less cells than this gets each belief and each cycle on lines of its own."""
WIDE = 130
"""One of so many cells, and every pipe, gets the summary of a cycle beside it."""
FIXED_WIDTH = 86
"""Of a list of cycles without its summaries."""
INDENT = 5
LEAST_VALUE = 24
COUNTED = (("assessed", "assessed"), ("belief", "beliefs"), ("directive", "directives"))
"""What a cycle came to: of one, of more."""
COLOURS = {
    "active": "green",
    "pinned": "cyan",
    "stale": "dim",
    "expiring": "yellow",
    "quarantined": "red",
}
FAILED = "red"


def print_beliefs(
    listed: Sequence[tuple[Belief, str]], last_reflection: float | None, now: float
) -> None:
    """Each belief with its age and its status, below a header."""
    ago = "none yet" if last_reflection is None else f"{span(now - last_reflection)} ago"
    with page() as console:
        console.print(Text(f"Current Cortex Beliefs (last reflection: {ago}):", "bold"))
        narrow = console.width < NARROW
        (_stacked if narrow else _tabular)(console, listed, now)


def _stacked(console: Console, listed: Sequence[tuple[Belief, str]], now: float) -> None:
    for belief, status in listed:
        title = cut(f"{belief.key}{_about(belief)}", max(LEAST_VALUE, console.width - 24))
        title.stylize("bold")
        state = shown(status, COLOURS.get(status, ""))
        console.print(Text.assemble(title, f"  {span(belief.age_s(now))}, ", state))
        value = Text.assemble(shown(belief.value), shown(_standing(belief), "dim"))
        console.print(Padding(value, (0, 0, 0, 2)))


def _tabular(console: Console, listed: Sequence[tuple[Belief, str]], now: float) -> None:
    table = plain_table("key", "value", "age", "status")
    value, age = table.columns[1:3]
    age.justify = "right"
    value.no_wrap, value.overflow, value.ratio = False, "fold", 1
    table.expand = console.is_terminal
    for belief, status in listed:
        table.add_row(
            cut(belief.key, KEY_WIDTH),
            Text.assemble(shown(belief.value), shown(_about(belief) + _standing(belief), "dim")),
            span(belief.age_s(now)),
            shown(status, COLOURS.get(status, "")),
        )
    console.print(table)


def _about(belief: Belief) -> str:
    """Whom it is about, where the key does not say so."""
    peer = belief.peer_id
    return f" ({cut(peer, PEER_WIDTH)})" if peer and peer not in belief.key else ""


def _standing(belief: Belief) -> str:
    """Who approved it, or whose words may be in it."""
    if belief.approved_by:
        return f" (approved by {belief.approved_by})"
    return f" (quoted, with words of {named(belief.sources)})" if belief.tainted else ""


def print_history(records: Sequence[ReflectionRecord], now: float) -> None:
    """A row for each cycle, with its summary beside it or, in a terminal of usual width, below."""
    with page() as console:
        if console.width < NARROW:
            moments = list_moments([each.timestamp for each in records], now)
            for record, moment in zip(records, moments, strict=True):
                _record_in_two_lines(console, record, moment.rsplit(":", 1)[0])
            return
        table = plain_table("#", "started", "trigger", "took", *(more for _, more in COUNTED))
        for place in (0, 3, 4, 5, 6):
            table.columns[place].justify = "right"
        beside = console.width >= WIDE
        if beside:
            table.add_column("summary", no_wrap=True)
        room = max(LEAST_VALUE, console.width - FIXED_WIDTH)
        for record in records:
            table.add_row(*_row(record), *([_outcome(record, room)] if beside else []))
        lines = console.render_lines(table, console.options.update(width=WIDE * 2), pad=False)
        if beside:
            console.print(table, soft_wrap=True)
            return
        for number, line in enumerate(lines):
            console.print(Text.assemble(*((part.text, part.style or "") for part in line)))
            if number:
                outcome = _outcome(records[number - 1], MOST_CHARACTERS)
                console.print(Padding(outcome, (0, 0, 0, INDENT)))


def _row(record: ReflectionRecord) -> tuple[str | Text, ...]:
    return (
        str(record.cycle),
        when(record.timestamp)[:16],
        shown(record.trigger),
        took(record),
        *(str(count) if count else "" for count in counts(record)),
    )


def _record_in_two_lines(console: Console, record: ReflectionRecord, moment: str) -> None:
    head = shown(f"{record.trigger}, {took(record)}")
    console.print(Text.assemble((f"{record.cycle}  ", "bold"), f"{moment}  ", head))
    numbers = ", ".join(
        many(count, *words) for count, words in zip(counts(record), COUNTED, strict=True) if count
    )
    for line in (Text(numbers), _outcome(record, MOST_CHARACTERS)):
        if line:
            console.print(Padding(line, (0, 0, 0, 3)))


def took(record: ReflectionRecord) -> str:
    """How long the cycle ran, to a tenth of a second while that matters."""
    seconds = record.elapsed_seconds
    return f"{seconds:.1f} s" if seconds < 60 else span(seconds)


def counts(record: ReflectionRecord) -> tuple[int, int, int]:
    """Assessments, changed beliefs and directives."""
    written = sum(each.get("outcome") in ("recorded", "unchanged") for each in record.assessments)
    assessed = written if record.assessments else len(record.peers_assessed)
    return assessed, len(record.beliefs_updated), len(record.directives)


def _outcome(record: ReflectionRecord, room: int) -> Text:
    """The summary, or in red why there is none; at most `room` cells."""
    if record.status == "ok":
        words, style = record.summary, "dim"
    else:
        words, style = f"{record.status}: {record.skip_reason}".rstrip(": "), FAILED
    text = cut(words, room)
    text.stylize(style)
    return text


def print_settings(rows: Sequence[tuple[str, str, str]]) -> None:
    """Key, value and origin of each; what a file sets stands out."""
    with page() as console:
        table = plain_table("setting", "value", "from")
        for column in table.columns[1:]:
            column.no_wrap, column.overflow = False, "fold"
        for key, value, origin in rows:
            style = "dim" if origin == "default" else "bold"
            table.add_row(Text(key, style), shown(value, style), shown(origin, style))
        console.print(table)
