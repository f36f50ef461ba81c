"""The trace of a run: one JSON line a phase; all output is rendered from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..errors import InputError
from .layout import Layout, is_slug
from .local_time import LocalTime
from .records import Records, append_record, read_records, record_line

if TYPE_CHECKING:
    from ..clock import Clock
    from .types import Policy

Phase = Literal[
    "parse",
    "clarify",
    "discover",
    "rank",
    "select",
    "compose",
    "generate",
    "validate",
    "approve",
    "promote",
    "end",
]

Show = Callable[[dict[str, Any]], None]


class Trace:
    """Writes logs/runs/<run_id>/steps.log. events: what was added, in order."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        run_id: str,
        route_id: str,
        tz: tzinfo | None = None,
        show: Show | None = None,
    ) -> None:
        """show: called with each event as it is added."""
        self.path = layout.run_log(run_id)
        self.run_id = run_id
        self.route_id = route_id
        self.events: list[dict[str, Any]] = []
        self._project = layout.logs.parent
        self._time = LocalTime(clock, tz)
        self._show = show

    @contextmanager
    def held(self) -> Iterator[None]:
        """Show events that are added inside at the end, after the spinner stops."""
        show, self._show = self._show, None
        first = len(self.events)
        yield
        self._show = show
        for event in self.events[first:]:
            if show is not None:
                show(event)

    def add(
        self,
        phase: Phase,
        *,
        candidates: int | None = None,
        features: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        top_score: float | None = None,
        policy: Policy | None = None,
        decision: str = "",
        artifacts: Sequence[Path] = (),
        **detail: Any,
    ) -> dict[str, Any]:
        """Append one event and return it; None stands as null, detail under a key of its own.

        artifacts below the project are written relative to it. Raises InputError for a phase
        that is none, SourceError when the log cannot be written.
        """
        if phase not in get_args(Phase):
            raise InputError(f"phase must be one of {', '.join(get_args(Phase))}, got {phase!r}")
        event = {
            "ts": self._time.stamp(),
            "run_id": self.run_id,
            "route_id": self.route_id,
            "phase": phase,
            "candidates": candidates,
            "features": None if features is None else list(features),
            "weights": None if weights is None else dict(weights),
            "top_score": top_score,
            "policy": policy,
            "decision": decision,
            "artifacts": [self._relative(path) for path in artifacts],
            "detail": detail,
        }
        written = json.loads(record_line(event))  # the event as a replay reads it
        self._write(written)
        self.events.append(written)
        if self._show is not None:
            self._show(written)
        return dict(written)

    def _write(self, event: Mapping[str, Any]) -> None:
        append_record(self.path, event, sync=False)

    def _relative(self, path: Path) -> str:
        below = path.is_relative_to(self._project)
        return (path.relative_to(self._project) if below else path).as_posix()


class UnwrittenTrace(Trace):
    """A trace that writes nothing."""

    def _write(self, event: Mapping[str, Any]) -> None:
        pass


def read_trace(path: Path) -> Records:
    """The events of an old run; a torn last line is among the findings. Raises SourceError."""
    return read_records(path)


def log_app(
    layout: Layout, clock: Clock, event: str, *, tz: tzinfo | None = None, **detail: Any
) -> None:
    """Append to logs/app/YYYY-MM-DD/app.log what the program itself did ("start", "sweep", ...).

    Raises SourceError when the log cannot be written.
    """
    time = LocalTime(clock, tz)
    record = {"ts": time.stamp(), "event": event, "detail": detail}
    append_record(layout.app_log(time.day()), record, sync=False)


def log_metric(
    layout: Layout, clock: Clock, name: str, value: float, *, tz: tzinfo | None = None
) -> None:
    """Append one number to logs/metrics/<name>.jsonl. Raises InputError, SourceError."""
    if not is_slug(name):
        raise InputError(f"name must be lower-case letters, digits and underscores, got {name!r}")
    record = {"ts": LocalTime(clock, tz).stamp(), "name": name, "value": value}
    append_record(layout.metrics / f"{name}.jsonl", record, sync=False)
