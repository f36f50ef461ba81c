"""Health: whether a gate runs, what waits, what was lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..decisions.deliveries import PENDING
from ..plural import many
from ..pulse.status_note import STATUS
from .markup import Html, fill, moment

if TYPE_CHECKING:
    from ..decisions.pages import DecisionPages
    from .dash_context import DashContext
    from .tallies import Tallies

GIVEN_UP_S = 86_400.0
_ROW = '<div id="health-$name" class="$kind"><dt>$title</dt><dd>$value</dd></div>'
_COUNTS = (
    ("waiting", "events waiting"),
    ("refused_by_queue", "refused because the queue was full"),
    ("broken_events", "events left out as broken"),
    ("unwritten", "decisions lost before they were written"),
    ("handler_errors", "deliveries that raised"),
    ("gaps", "gaps in followed logs, where lines may be lost"),
    ("held_back", "windows held back until a question tells of them"),
    ("crowded", "more than may wait: in the log, counted by a question and not named"),
)


def health_pieces(
    tallies: Tallies, pages: DecisionPages, context: DashContext, inode: int | None
) -> dict[str, Html]:
    """One row for each thing that can be well or not. inode: of the log that is followed."""
    status = parse_status(pages.state(STATUS))
    rows: list[tuple[str, str, str, object]] = [
        _watcher(context),
        *_replaced(context, inode),
        ("last", "", "Last decision", moment(tallies.last) if tallies.last else "none yet"),
        ("log", "", "Kept", f"{many(tallies.seq, 'decision')}, {many(tallies.label, 'label')}"),
        ("place", "", "In", str(context.log.path)),
        *_deliveries(pages, context.clock.now()),
        *_gate(status),
    ]
    return {
        f"health-{name}": fill(_ROW, name=name, kind=kind, title=title, value=value)
        for name, kind, title, value in rows
    }


def standstill(sentence: str) -> dict[str, Html]:
    """The row that says why the page does not follow the log at the moment."""
    row = fill(_ROW, name="page", kind="trouble", title="This page", value=sentence)
    return {"health-page": row}


def parse_status(content: bytes | None) -> dict[str, Any]:
    """What a running gate said last; empty where it said nothing."""
    try:
        raw = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}


def _watcher(context: DashContext) -> tuple[str, str, str, object]:
    process = context.watcher()
    if process is None:
        return (
            "gate",
            "trouble",
            "Gate",
            Html(
                "none runs with this state folder: start <code>prefrontal watch</code> or"
                " <code>prefrontal run</code>"
            ),
        )
    return "gate", "well", "Gate", f"runs, process {process}"


def inode_of(path: str) -> int | None:
    """What tells one file from another under the same name."""
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None


def _replaced(context: DashContext, inode: int | None) -> Iterator[tuple[str, str, str, object]]:
    if inode_of(context.log.path) != inode:
        yield "replaced", "trouble", "Log", "removed or replaced: start this page again"


def _deliveries(pages: DecisionPages, now: float) -> Iterator[tuple[str, str, str, object]]:
    standing = pages.deliveries(now - GIVEN_UP_S)
    if not standing:
        yield "owed", "", "Deliveries", "none pending"
    for number, each in enumerate(standing):
        why = f": {each.detail}" if each.detail else ""
        kind = "" if each.state == PENDING else "trouble"
        yield (
            f"owed-{number}",
            kind,
            f"Owed to {each.sink}",
            f"{each.count:,} {each.state}{why}",
        )


def _gate(status: Mapping[str, Any]) -> Iterator[tuple[str, str, str, object]]:
    if not status:
        yield "queue", "", "Queue and sources", "the gate does not say"
        return
    numbers = [(status.get(key), words) for key, words in _COUNTS]
    counts = ", ".join(f"{n:,} {words}" for n, words in numbers if isinstance(n, int) and n)
    lost = any(status.get(key) for key in ("refused_by_queue", "unwritten", "gaps"))
    yield "queue", "trouble" if lost else "well", "Queue", counts or "empty, nothing lost"
    if isinstance(status.get("at"), int | float):
        yield "said", "", "The gate said so", moment(status["at"])
    if isinstance(decided := status.get("decisions"), Mapping) and decided:
        reasons = (f"{n:,} {reason.replace('_', ' ')}" for reason, n in decided.items() if n)
        yield "decided", "", "Since its start", ", ".join(reasons)
    sources = status.get("sources")
    for number, each in enumerate(sources if isinstance(sources, list) else ()):
        if isinstance(each, Mapping):
            yield f"source-{number}", "", str(each.get("kind", "Source")), _source(each)


def _source(each: Mapping[str, Any]) -> Html:
    words = [
        fill("<span>$name $value</span>", name=name.replace("_", " "), value=_short(value))
        for name, value in each.items()
        if name != "kind" and value not in (None, "", [], {}, 0)  # False is 0, too
    ]
    return Html(", ".join(words)) if words else Html("well")


def _short(value: object) -> str:
    if isinstance(value, list | tuple | set):
        return many(len(value), "entry")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
