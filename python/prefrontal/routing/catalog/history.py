"""What became of a tool: one line an event beside it, and the share of success that follows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Literal, get_args

from ...clock import Clock
from ...errors import InputError
from ..layout import Layout
from ..local_time import LocalTime
from ..records import append_record, read_records
from ..types import Finding

Event = Literal["accepted", "rejected", "validation_ok", "failed", "executed"]

PRIOR = 0.5
"""The share of success of a tool that nothing is known of."""

_GOOD = frozenset({"accepted", "validation_ok", "executed"})
_TRIED = frozenset({"validation_ok", "failed"})
_EVENTS: tuple[Event, ...] = get_args(Event)
_FILE, _PROMOTIONS = "history.jsonl", "metadata.jsonl"
_MOST_READ = 1000
_READ: dict[Path, tuple[tuple[tuple[int, ...] | None, ...], ToolHistory]] = {}
"""The last that was read of each folder."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """Something that happened to a tool. at: Unix seconds. sha256: of its file then, hexadecimal.

    intent: the prompt, where there was one. signature: what it was called with, as a line of
    source, where that was noted. route_id: of the route it happened on, or empty.
    """

    tool: str
    event: Event
    at: float
    sha256: str
    intent: str | None = None
    signature: str | None = None
    route_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolHistory:
    """The events of all tools of one folder, in the order of the files."""

    events: tuple[PastEvent, ...]
    findings: tuple[Finding, ...] = ()

    def of(self, tool: str) -> tuple[PastEvent, ...]:
        """The events of the tool with that file name, its ".py" left out."""
        return tuple(event for event in self.events if event.tool == tool)


def history_line(
    time: LocalTime,
    tool: str,
    event: Event,
    sha256: str,
    *,
    run_id: str = "",
    route_id: str = "",
    intent: str | None = None,
    signature: str | None = None,
) -> dict[str, Any]:
    """The line of an event, its fields in their order. Raises InputError for no such event."""
    if event not in _EVENTS:
        raise InputError(f"event must be one of {', '.join(_EVENTS)}, got {event!r}")
    return {
        "ts": time.now().isoformat(timespec="milliseconds"),
        "event": event,
        "name": tool,
        "hash": f"sha256:{sha256}",
        "run_id": run_id,
        "route_id": route_id,
        "intent": intent,
        "signature": signature,
    }


def remember(
    layout: Layout,
    clock: Clock,
    path: Path,
    event: Event,
    sha256: str,
    *,
    run_id: str = "",
    route_id: str = "",
    intent: str | None = None,
    signature: str | None = None,
    name: str | None = None,
    tz: tzinfo | None = None,
) -> None:
    """Append an event of the tool at `path` to the history of its folder.

    name: of the tool, when several share the file; by default the file's stem. Raises InputError
    for a path outside workflows_root, SourceError when it cannot be written.
    """
    layout.relative(path.parent)
    time = LocalTime(clock, tz)
    names = {"run_id": run_id, "route_id": route_id}
    line = history_line(
        time, name or path.stem, event, sha256, **names, intent=intent, signature=signature
    )
    append_record(history_file(path.parent), line)


def history_file(folder: Path) -> Path:
    """Where the history of a folder's tools lies."""
    return folder / _FILE


def read_history(folder: Path) -> ToolHistory:
    """What happened to the tools of a folder.

    A promotion of which the history says nothing (the file was lost) counts as accepted on the
    day of its record. Lines that say nothing sensible are findings. What did not change since it
    was last read is not read again. Raises SourceError.
    """
    stamps = (_stamp(history_file(folder)), _stamp(folder / _PROMOTIONS))
    known = _READ.get(folder)
    if known is not None and known[0] == stamps:
        return known[1]
    history = _history(folder)
    if len(_READ) >= _MOST_READ:
        _READ.clear()
    _READ[folder] = stamps, history
    return history


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What changes when lines are added or the file is replaced; None for no file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _history(folder: Path) -> ToolHistory:
    records = read_records(history_file(folder))
    findings = list(records.findings)
    events = []
    for row in records.rows:
        event = _event(row)
        if event is None:
            start = str(row)[:80]
            findings.append(Finding(history_file(folder), 0, f"no event of a tool: {start}"))
        else:
            events.append(event)
    noted = {(event.tool, event.sha256) for event in events if event.event == "accepted"}
    promoted = (_promotion(row) for row in read_records(folder / _PROMOTIONS).rows)
    lost = [one for one in promoted if one and (one.tool, one.sha256) not in noted]
    return ToolHistory((*lost, *events), tuple(findings))


def history_success(events: Iterable[PastEvent], now: float, half_life_days: float = 30.0) -> float:
    """(good + 1) / (good + bad + 2), where an event counts half after each half-life.

    0..1 and 0.5 without events, rounded to millionths. Of the validations of one content only
    the last counts, so that trying a tool again does not lift it. A half-life of 0 forgets
    nothing. A failure that says what the tool was called with is no validation: each counts.
    """
    good: list[float] = []
    bad: list[float] = []
    for event in _counted(events):
        age = max(0.0, now - event.at) / 86_400.0
        weight = 0.5 ** (age / half_life_days) if half_life_days > 0 else 1.0
        (good if event.event in _GOOD else bad).append(weight)
    ok, failed = math.fsum(good), math.fsum(bad)
    return round((ok + 1.0) / (ok + failed + 2.0), 6)


def last_success(events: Iterable[PastEvent]) -> float | None:
    """When it was last accepted or executed, in Unix seconds; None when never."""
    return max((one.at for one in events if one.event in {"accepted", "executed"}), default=None)


def _counted(events: Iterable[PastEvent]) -> list[PastEvent]:
    counted: list[PastEvent] = []
    verdicts: dict[str, PastEvent] = {}
    for event in events:
        if event.event in _TRIED and event.signature is None:
            verdicts[event.sha256] = event
        else:
            counted.append(event)
    return [*counted, *verdicts.values()]


def _event(row: Mapping[str, Any]) -> PastEvent | None:
    """The event of a line; None when a field is missing or of another kind."""
    tool, digest = row.get("name"), row.get("hash")
    at = _moment(row.get("ts"))
    if not isinstance(tool, str) or not isinstance(digest, str) or at is None:
        return None
    event = next((known for known in _EVENTS if known == row.get("event")), None)
    if event is None:
        return None
    intent, signature, route = row.get("intent"), row.get("signature"), row.get("route_id")
    return PastEvent(
        tool,
        event,
        at,
        digest.removeprefix("sha256:"),
        intent if isinstance(intent, str) else None,
        signature if isinstance(signature, str) else None,
        route if isinstance(route, str) else "",
    )


def _promotion(row: Mapping[str, Any]) -> PastEvent | None:
    name, digest = row.get("name"), row.get("tool_hash")
    at = _moment(row.get("created_at"))
    if not isinstance(name, str) or not isinstance(digest, str) or at is None:
        return None
    if row.get("status") == "moved":
        return None
    return PastEvent(name.removesuffix(".py"), "accepted", at, digest.removeprefix("sha256:"))


def _moment(text: object) -> float | None:
    """Unix seconds of an ISO stamp with its offset; None for anything else."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        return moment.timestamp() if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
