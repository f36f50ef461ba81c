"""Routes that ended without a promotion and may be taken up again: rejected, or not valid."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any, Literal, get_args

from ...clock import Clock
from ...errors import InputError
from ..layout import Layout
from ..local_time import LocalTime
from ..records import append_record, locked, read_records
from ..types import Finding, Policy

Why = Literal["rejected", "invalid"]


@dataclass(frozen=True, slots=True)
class PendingRoute:
    """A route that waits. module: its file below workflows_root; sha256: of what was tried.

    why: a person said no, or the validation failed. summary: what was said then. plan: the
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
    """The routes that wait, oldest first; findings: lines of the list that say nothing."""

    routes: tuple[PendingRoute, ...]
    findings: tuple[Finding, ...] = ()

    def find(self, route_id: str) -> PendingRoute:
        """The route with that name. Raises InputError naming those that wait."""
        for route in self.routes:
            if route.route_id == route_id:
                return route
        known = ", ".join(route.route_id for route in self.routes) or "none"
        raise InputError(f"route_id must be of a route that waits ({known}), got {route_id!r}")


def pending_file(layout: Layout) -> Path:
    """Where the list lies."""
    return layout.tmp / "pending.jsonl"


def pending_lock(layout: Layout) -> AbstractContextManager[None]:
    """While inside, nobody else writes the list."""
    return locked(layout.tmp / ".pending.lock")


def add_pending(
    layout: Layout, clock: Clock, route: PendingRoute, *, tz: tzinfo | None = None
) -> None:
    """Put a route on the list; one with its name is replaced. Raises SourceError."""
    line = {"ts": LocalTime(clock, tz).stamp(), "state": "open", **asdict(route)}
    with pending_lock(layout):
        append_record(pending_file(layout), line)


def close_pending(layout: Layout, clock: Clock, route_id: str, *, tz: tzinfo | None = None) -> None:
    """Take a route off the list: it was promoted, or dropped. Raises SourceError."""
    line = {"ts": LocalTime(clock, tz).stamp(), "state": "closed", "route_id": route_id}
    with pending_lock(layout):
        append_record(pending_file(layout), line)


def pending_routes(layout: Layout) -> PendingList:
    """The routes that wait and whose module is still there. Raises SourceError."""
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
    """The route of a line; None when a key is missing or of another kind."""
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
