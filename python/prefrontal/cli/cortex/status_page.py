"""The state of the cortex for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..page import facts_table, page, plain_table, shown, span, when

if TYPE_CHECKING:
    from rich.console import Console


def print_status(told: Mapping[str, Any]) -> None:
    """The facts, then what waits for a word of the operator, then promises of peers."""
    with page() as console:
        table = facts_table()
        for name, said in _lines(told):
            table.add_row(name, shown(said) if isinstance(said, str) else said)
        console.print(table)
        _waiting(console, told)
        _promises(console, told)


def _lines(told: Mapping[str, Any]) -> list[tuple[str, str | Text]]:
    lines: list[tuple[str, str | Text]] = [
        ("agent", _running(told)),
        ("workspace", told["workspace"]),
        ("last reflection", _last(told)),
        ("next", _next(told)),
        ("beliefs", f"{told['beliefs']} held, {len(told['quarantined'])} in quarantine"),
        ("directives", f"{len(told['directives'])} on their way"),
        ("reflections", f"{told['cycles']:,} started, not completed: {_counted(told['skips'])}"),
        ("lost events", f"{told['dropped_events']:,} since the start"),
        ("lessons", f"{told['lessons']} kept"),
        ("today", _today(told["today"])),
    ]
    if told["thresholds"]:
        lines.append(("thresholds", _counted(told["thresholds"])))
    return lines


def _running(told: Mapping[str, Any]) -> Text:
    if not told["enabled"]:
        return Text("the cortex is switched off (cortex.enabled)", "yellow")
    if told["process"] is None:
        return Text("not running", "yellow")
    process = "" if told["process"] == "unknown" else f" (process {told['process']})"
    return Text(f"running{process}", "green")


def _last(told: Mapping[str, Any]) -> str:
    moment = told["last_reflection"]
    if moment is None:
        return "none yet"
    ago = span(told["now"] - moment)
    return f"{ago} ago (cycle {told['last_cycle']}, {told['last_trigger']})"


def _next(told: Mapping[str, Any]) -> str:
    asked, moment = told["reflect_requested_at"], told["next_due"]
    if asked is not None:
        return f"asked for {span(told['now'] - asked)} ago"
    if told["process"] is None:
        return "not before the agent runs"
    if moment is None:
        return "when messages came"
    left = moment - told["now"]
    return f"in {span(left)} at the latest" if left > 0 else "now"


def _counted(counts: Mapping[str, Any]) -> str:
    said = (f"{name} {count:g}" for name, count in counts.items() if isinstance(count, int | float))
    return ", ".join(said) or "none"


def _today(used: Mapping[str, Any]) -> str:
    tokens = used["tokens_in"] + used["tokens_out"]
    count = used["cycles"]
    said = (
        f"{count} reflection{'' if count == 1 else 's'}, {tokens:,} tokens, ${used['dollars']:.2f}"
    )
    caps = []
    if used["daily_tokens"] is not None:
        caps.append(f"{used['daily_tokens']:,} tokens")
    if used["daily_dollars"] is not None:
        caps.append(f"${used['daily_dollars']:.2f}")
    return f"{said}; a day ends at {' or '.join(caps)}" if caps else said


def _waiting(console: Console, told: Mapping[str, Any]) -> None:
    if not told["quarantined"] and not told["approval"]:
        return
    _title(console, "Waiting for `prefrontal cortex approve` or `reject`")
    table = plain_table("id or key", "what")
    table.columns[1].no_wrap, table.columns[1].overflow = False, "fold"
    for key in told["quarantined"]:
        table.add_row(shown(key), "a belief in quarantine")
    for each in told["approval"]:
        said = f"{each.get('target_peer', '')}: {each.get('action', '')}"
        message = each.get("message")
        table.add_row(shown(str(each.get("id"))), shown(f"{said} ({message})" if message else said))
    console.print(table)


def _promises(console: Console, told: Mapping[str, Any]) -> None:
    if not told["promises"]:
        return
    _title(console, "Promises of peers")
    table = plain_table("peer", "due", "what")
    table.columns[2].no_wrap, table.columns[2].overflow = False, "fold"
    for each in told["promises"]:
        due = each.get("due")
        late = isinstance(due, int | float) and due < told["now"]
        moment = when(due) if isinstance(due, int | float) else "unknown"
        table.add_row(
            shown(str(each.get("peer_id", ""))),
            Text(f"{moment}{' (overdue)' if late else ''}", "red" if late else ""),
            shown(str(each.get("text", ""))),
        )
    console.print(table)


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, "bold"))
