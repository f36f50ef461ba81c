"""The list of pending routes: rejected or invalid ones that may be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...errors import InputError
from ...storage.lock_file import locked
from ..local_time import LocalTime
from ..records import append_record, read_records
from ..types import Finding, Policy

if TYPE_CHECKING:
    from ...clock import Clock
    from ..layout import Layout

Why = Literal["rejected", "invalid"]


@dataclass(frozen=True, slots=True)
class PendingRoute:
    """A pending route. module: its file below workflows_root; sha256: of the validated content.

    why: a person rejected it, or the validation failed. summary: the reason in words. plan: the
    composition's document, None for another policy.
    """

    route_id: str
    run_id: str
    why: Why
    prompt: str
    domain: str | None
    action: str | None
    policy: Policy
    module: str
    sha256: str
    description: str = ""
    summary: str = ""
    plan: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PendingList:
    """The pending routes, oldest first; findings: malformed lines of the list."""

    routes: tuple[PendingRoute, ...]
    findings: tuple[Finding, ...] = ()

    def find(self, route_id: str) -> PendingRoute:
        """The route with that id. Raises InputError naming the pending ones."""
        for route in self.routes:
            if route.route_id == route_id:
                return route
        known = ", ".join(route.route_id for route in self.routes) or "none"
        raise InputError(f"route_id must be of a route that waits ({known}), got {route_id!r}")


def pending_file(layout: Layout) -> Path:
    """The file with the list."""
    return layout.tmp / "pending.jsonl"


def pending_lock(layout: Layout) -> AbstractContextManager[None]:
    """The lock for writing the list."""
    return locked(layout.tmp / ".pending.lock")


def add_pending(
    layout: Layout, clock: Clock, route: PendingRoute, *, tz: tzinfo | None = None
) -> None:
    """Add a route; replaces one with its id. Raises SourceError."""
    line = {"ts": LocalTime(clock, tz).stamp(), "state": "open", **asdict(route)}
    with pending_lock(layout):
        append_record(pending_file(layout), line)


def close_pending(layout: Layout, clock: Clock, route_id: str, *, tz: tzinfo | None = None) -> None:
    """Remove a route that was promoted or dropped. Raises SourceError."""
    line = {"ts": LocalTime(clock, tz).stamp(), "state": "closed", "route_id": route_id}
    with pending_lock(layout):
        append_record(pending_file(layout), line)


def pending_routes(layout: Layout) -> PendingList:
    """The pending routes whose module still exists. Raises SourceError."""
    path = pending_file(layout)
    records = read_records(path)
    findings = list(records.findings)
    waiting: dict[str, PendingRoute] = {}
    for row in records.rows:
        route_id = str(row.get("route_id"))
        waiting.pop(route_id, None)
        if row.get("state") == "closed":
            continue
        route = _route(row)
        if route is None:
            findings.append(Finding(path, 0, f"no route that waits: {str(row)[:80]}"))
        elif _is_there(layout, route.module):
            waiting[route_id] = route
    return PendingList(tuple(waiting.values()), tuple(findings))


def _is_there(layout: Layout, module: str) -> bool:
    path = layout.root / module
    return layout.holds(path) and path.is_file()


def _route(row: Mapping[str, Any]) -> PendingRoute | None:
    """The route of a line; None when a key is missing or of the wrong type."""
    texts = ["route_id", "run_id", "prompt", "module", "sha256", "description", "summary"]
    if not all(isinstance(row.get(key), str) and "\0" not in row[key] for key in texts):
        return None
    optional = {"domain": str, "action": str, "plan": dict}
    if not all(isinstance(row.get(key), kind | None) for key, kind in optional.items()):
        return None
    if row.get("why") not in get_args(Why) or row.get("policy") not in get_args(Policy):
        return None
    keys = [*texts, *optional, "why", "policy"]
    return PendingRoute(**{key: row.get(key) for key in keys})  # type: ignore[arg-type]
