from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.layout import Layout
from prefrontal.routing.local_time import LocalTime
from prefrontal.routing.trace import Trace, log_app, log_metric, read_trace

from .project import EAST, layout_of, noon

FIELDS = [
    "ts", "run_id", "route_id", "phase", "candidates", "features", "weights", "top_score", "policy",
    "decision", "artifacts", "detail",
]  # fmt: skip


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def trace(layout: Layout) -> Trace:
    return Trace(layout, noon(), "run-20251031-1200-abc", "route-001", EAST)


def test_every_event_has_every_field_in_the_written_order(layout: Layout) -> None:
    log = layout.validation_logs("2025-10-31") / "route-001-2-mypy.log"
    event = trace(layout).add(
        "discover",
        candidates=3,
        features=("name", "doc", "history"),
        weights={"name": 0.4, "doc": 0.4, "history": 0.2},
        top_score=0.72,
        policy="compose",
        decision="compose s1->s2",
        artifacts=[log, Path("/elsewhere/x.log")],
        search="exact",
    )
    assert event == {
        "ts": "2025-10-31T12:00:00+04:00",
        "run_id": "run-20251031-1200-abc",
        "route_id": "route-001",
        "phase": "discover",
        "candidates": 3,
        "features": ["name", "doc", "history"],
        "weights": {"name": 0.4, "doc": 0.4, "history": 0.2},
        "top_score": 0.72,
        "policy": "compose",
        "decision": "compose s1->s2",
        "artifacts": ["logs/validation/2025-10-31/route-001-2-mypy.log", "/elsewhere/x.log"],
        "detail": {"search": "exact"},
    }
    assert list(event) == FIELDS


def test_a_replay_reads_what_the_run_itself_saw(layout: Layout) -> None:
    run = trace(layout)
    run.add("parse", domain="analysis", path=Path("a/b"), words=("x", "y"))
    run.add("clarify", decision="skipped")
    found = read_trace(run.path)
    assert list(found.rows) == run.events and found.findings == ()
    assert run.path == layout.logs / "runs" / "run-20251031-1200-abc" / "steps.log"
    assert run.events[0]["detail"] == {"domain": "analysis", "path": "a/b", "words": ["x", "y"]}
    assert list(run.events[1]) == FIELDS and run.events[1]["candidates"] is None


def test_a_torn_last_line_is_reported_and_the_rest_is_read(layout: Layout) -> None:
    run = trace(layout)
    run.add("parse")
    run.add("discover")
    run.path.write_bytes(run.path.read_bytes()[:-20])
    found = read_trace(run.path)
    assert [row["phase"] for row in found.rows] == ["parse"]
    assert [(one.line, "torn" in one.text) for one in found.findings] == [(2, True)]


def test_a_phase_that_is_none_is_refused_and_leaves_no_line(layout: Layout) -> None:
    run = trace(layout)
    with pytest.raises(InputError, match="phase must be one of parse, clarify, .*, got 'guess'"):
        run.add("guess")  # type: ignore[arg-type]
    assert run.events == [] and not run.path.exists()


def test_the_life_of_the_program_is_logged_by_day(layout: Layout) -> None:
    log_app(layout, noon(), "start", tz=EAST, version="0.1.0")
    line = (layout.logs / "app" / "2025-10-31" / "app.log").read_text(encoding="utf-8")
    assert json.loads(line) == {
        "ts": "2025-10-31T12:00:00+04:00",
        "event": "start",
        "detail": {"version": "0.1.0"},
    }


def test_a_metric_is_a_line_of_its_own_file(layout: Layout) -> None:
    log_metric(layout, noon(), "validation_ms", 12.5, tz=EAST)
    line = (layout.metrics / "validation_ms.jsonl").read_text(encoding="utf-8")
    assert json.loads(line)["value"] == 12.5
    with pytest.raises(InputError, match="name must be"):
        log_metric(layout, noon(), "../x", 1.0)


def test_the_day_is_that_of_the_zone() -> None:
    clock = noon()
    assert LocalTime(clock, EAST).stamp() == "2025-10-31T12:00:00+04:00"
    clock.advance(12 * 3600)
    assert LocalTime(clock, EAST).day() == "2025-11-01"
