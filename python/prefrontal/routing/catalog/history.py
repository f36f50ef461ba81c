"""The event log of a folder's tools, one JSON line an event, and the success rate it gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...errors import InputError, SourceError
from ..local_time import LocalTime
from ..records import Records, append_record, read_records
from ..types import Finding

if TYPE_CHECKING:
    from ...clock import Clock
    from ..layout import Layout

Event = Literal["accepted", "rejected", "validation_ok", "failed", "executed"]

PRIOR = 0.5
"""The success rate of a tool without events."""

_GOOD = frozenset({"accepted", "validation_ok", "executed"})
_TRIED = frozenset({"validation_ok", "failed"})
_EVENTS: tuple[Event, ...] = get_args(Event)
_FILE, _PROMOTIONS = "history.jsonl", "metadata.jsonl"
_MOST_READ = 1000
_MOST_BYTES = 64 << 20
_READ: dict[Path, tuple[tuple[tuple[int, ...] | None, ...], ToolHistory]] = {}
"""The latest history read from each folder."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event of a tool. at: Unix seconds. sha256: of its file then, hexadecimal.

    intent: the prompt, if any. signature: how it was called, as a line of source, if noted.
    route_id: of the route, or empty.
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
    """The events of all tools of one folder, oldest first.

    unread: why what people said of its tools is not known, where a file cannot be read.
    """

    events: tuple[PastEvent, ...]
    findings: tuple[Finding, ...] = ()
    unread: str = ""

    def of(self, tool: str) -> tuple[PastEvent, ...]:
        """The events of the tool with that file name, without ".py"."""
        return tuple(event for event in self.events if event.tool == tool)


def history_line(
    at: datetime,
    tool: str,
    event: Event,
    sha256: str,
    *,
    run_id: str = "",
    route_id: str = "",
    intent: str | None = None,
    signature: str | None = None,
) -> dict[str, Any]:
    """The line of an event, its fields in order. Raises InputError for an unknown event."""
    if event not in _EVENTS:
        raise InputError(f"event must be one of {', '.join(_EVENTS)}, got {event!r}")
    return {
        "ts": at.isoformat(timespec="milliseconds"),
        "event": event,
        "name": tool,
        "hash": f"sha256:{sha256}",
        "run_id": run_id,
        "route_id": route_id,
        "intent": intent,
        "signature": signature,
    }


def past_line(event: PastEvent, tool: str) -> dict[str, Any]:
    """The line of a past event, for a tool of that name."""
    return history_line(
        datetime.fromtimestamp(event.at, UTC),
        tool,
        event.event,
        event.sha256,
        route_id=event.route_id,
        intent=event.intent,
        signature=event.signature,
    )


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

    name: of the tool, when several share the file; the file's stem by default. Raises InputError
    for a path outside workflows_root, SourceError when writing fails.
    """
    layout.relative(path.parent)
    now = LocalTime(clock, tz).now()
    names = {"run_id": run_id, "route_id": route_id}
    line = history_line(
        now, name or path.stem, event, sha256, **names, intent=intent, signature=signature
    )
    append_record(history_file(path.parent), line)


def history_file(folder: Path) -> Path:
    """The file with the history of a folder's tools."""
    return folder / _FILE


def read_history(folder: Path) -> ToolHistory:
    """The history of a folder's tools.

    A promotion missing from the history (the file was lost) counts as accepted on the day of its
    record. Malformed lines become findings, and so does a file that cannot be read: the folder's
    tools then have no history. Unchanged files are not read again.
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
    """A stamp that changes when lines are added or the file is replaced; None without a file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _history(folder: Path) -> ToolHistory:
    records, no_records = _records(history_file(folder))
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
    promotions, no_promotions = _records(folder / _PROMOTIONS)
    findings += promotions.findings
    promoted = (_promotion(row) for row in promotions.rows)
    lost = [one for one in promoted if one and (one.tool, one.sha256) not in noted]
    return ToolHistory((*lost, *events), tuple(findings), no_records or no_promotions)


def _records(path: Path) -> tuple[Records, str]:
    """The records, or why they cannot be read."""
    try:
        return read_records(path, _MOST_BYTES), ""
    except SourceError as error:
        problem = str(error).removeprefix(f"{path} ")
        return Records((), (Finding(path, 0, problem),)), str(error)


def history_success(events: Iterable[PastEvent], now: float, half_life_days: float = 30.0) -> float:
    """(good + 1) / (good + bad + 2), where an event counts half after each half-life.

    0..1, 0.5 without events, rounded to millionths. Of the validations of one content only the
    last counts, so that validating again does not raise it. A half-life of 0 forgets nothing. A
    failure with a signature is a call, not a validation: each counts.
    """
    good: list[float] = []
    bad: list[float] = []
    for event in _counted(events):
        age = max(0.0, now - event.at) / 86_400.0
        weight = 0.5 ** (age / half_life_days) if half_life_days > 0 else 1.0
        (good if event.event in _GOOD else bad).append(weight)
    ok, failed = math.fsum(good), math.fsum(bad)
    return round((ok + 1.0) / (ok + failed + 2.0), 6)


def last_prompts(
    events: Iterable[PastEvent],
    kind: Literal["accepted", "rejected"],
    wording: Callable[[str], str] = str,
) -> list[str]:
    """The prompts that a tool was last accepted, or last rejected, for.

    wording: what of a prompt is returned; prompts of which it is the same are one.
    """
    last: dict[str, Event] = {}
    for event in events:
        if event.intent and event.event in {"accepted", "rejected"}:
            last[wording(event.intent)] = event.event
    return [prompt for prompt, verdict in last.items() if verdict == kind]


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
    """The event of a line; None when a field is missing or of the wrong type."""
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
