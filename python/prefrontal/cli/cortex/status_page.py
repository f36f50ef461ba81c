"""The state of the cortex for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...origins import named
from ...plural import many
from ..page import facts_table, page, plain_table, shown, span, when

if TYPE_CHECKING:
    from rich.console import Console


def print_status(facts: Mapping[str, Any]) -> None:
    """The facts, then what waits for a word of the operator, then promises of peers."""
    with page() as console:
        table = facts_table()
        for name, value in _lines(facts):
            table.add_row(name, shown(value) if isinstance(value, str) else value)
        console.print(table)
        _waiting(console, facts)
        _promises(console, facts)


def _lines(facts: Mapping[str, Any]) -> list[tuple[str, str | Text]]:
    lines: list[tuple[str, str | Text]] = [
        ("agent", _running(facts)),
        ("workspace", facts["workspace"]),
        ("last reflection", _last(facts)),
        ("next", _next(facts)),
        ("beliefs", f"{facts['beliefs']} held, {len(facts['quarantined'])} in quarantine"),
        ("directives", f"{len(facts['directives'])} on their way"),
        ("reflections", f"{facts['cycles']:,} started, not completed: {_counted(facts['skips'])}"),
        ("lost events", f"{facts['dropped_events']:,} since the start"),
        ("lessons", f"{facts['lessons']} kept"),
        ("today", _today(facts["today"])),
    ]
    if facts["thresholds"]:
        lines.append(("thresholds", _counted(facts["thresholds"])))
    return lines


def _running(facts: Mapping[str, Any]) -> Text:
    if not facts["enabled"]:
        return Text("the cortex is switched off (cortex.enabled)", "yellow")
    if facts["process"] is None:
        return Text("not running", "yellow")
    process = "" if facts["process"] == "unknown" else f" (process {facts['process']})"
    return Text(f"running{process}", "green")


def _last(facts: Mapping[str, Any]) -> str:
    moment = facts["last_reflection"]
    if moment is None:
        return "none yet"
    ago = span(facts["now"] - moment)
    return f"{ago} ago (cycle {facts['last_cycle']}, {facts['last_trigger']})"


def _next(facts: Mapping[str, Any]) -> str:
    request, moment = facts["reflect_requested_at"], facts["next_due"]
    if request is not None:
        return f"asked for {span(facts['now'] - request)} ago"
    if facts["process"] is None:
        return "not before the agent runs"
    if moment is None:
        return "when messages came"
    left = moment - facts["now"]
    return f"in {span(left)} at the latest" if left > 0 else "now"


def _counted(counts: Mapping[str, Any]) -> str:
    parts = (
        f"{name} {count:g}" for name, count in counts.items() if isinstance(count, int | float)
    )
    return ", ".join(parts) or "none"


def _today(used: Mapping[str, Any]) -> str:
    tokens = used["tokens_in"] + used["tokens_out"]
    count = many(used["cycles"], "reflection")
    parts = f"{count}, {many(tokens, 'token')}, ${used['dollars']:.2f}"
    caps = []
    if used["daily_tokens"] is not None:
        caps.append(f"{used['daily_tokens']:,} tokens")
    if used["daily_dollars"] is not None:
        caps.append(f"${used['daily_dollars']:.2f}")
    return f"{parts}; a day ends at {' or '.join(caps)}" if caps else parts


def _waiting(console: Console, facts: Mapping[str, Any]) -> None:
    if not (facts["quarantined"] or facts["approval"] or facts["quoted"]):
        return
    _title(console, "Waiting for `prefrontal cortex approve` or `reject`")
    table = plain_table("id or key", "what")
    table.columns[1].no_wrap, table.columns[1].overflow = False, "fold"
    for key in facts["quarantined"]:
        table.add_row(shown(key), shown(f"a belief in quarantine: {facts['waiting'][key]}"))
    for key, origins in facts["quoted"].items():
        text = f"a belief, quoted, with words of {named(origins)}: {facts['waiting'][key]}"
        table.add_row(shown(key), shown(text))
    for each in facts["approval"]:
        text = f"a directive to {each['target_peer']}"
        text += f", with words of {named(each['sources'])}" if each["sources"] else ""
        text += ", on its way as a quote" if each["status"] == "queued" else ""
        text += f": {each['action']}"
        text += f" ({each['message']})" if each["message"] else ""
        text += f"; damaged, it does not go out: {each['damage']}" if each["damage"] else ""
        table.add_row(shown(each["id"]), shown(text))
    console.print(table)


def _promises(console: Console, facts: Mapping[str, Any]) -> None:
    if not facts["promises"]:
        return
    _title(console, "Promises of peers")
    table = plain_table("peer", "due", "what")
    table.columns[2].no_wrap, table.columns[2].overflow = False, "fold"
    for each in facts["promises"]:
        due = each.get("due")
        late = isinstance(due, int | float) and due < facts["now"]
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
