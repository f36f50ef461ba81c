from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.catalog.history import (
    Event,
    PastEvent,
    ToolHistory,
    history_file,
    history_success,
    read_history,
    remember,
)
from prefrontal.routing.layout import Layout
from prefrontal.routing.records import Records, append_record, read_records

from ..project import EAST, NOON, layout_of, noon, write

DAY = 86_400.0
EVENTS: list[Event] = ["accepted", "rejected", "validation_ok", "failed", "executed"]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def happened(event: Event, days_ago: float = 0.0, sha256: str = "a" * 64) -> PastEvent:
    return PastEvent("plot", event, NOON - days_ago * DAY, sha256)


@pytest.mark.parametrize(
    ("events", "share"),
    [
        ([], 0.5),
        ([happened("accepted")], 2 / 3),
        ([happened("rejected")], 1 / 3),
        ([happened("accepted"), happened("rejected")], 0.5),
        ([happened("accepted", 30)], 1.5 / 2.5),
        ([happened("rejected", 60)], 1 / 2.25),
        ([happened("accepted", -10)], 2 / 3),
        ([happened("executed")] * 8, 0.9),
    ],
)
def test_success_is_a_share_that_starts_at_a_half_and_forgets(
    events: list[PastEvent], share: float
) -> None:
    assert history_success(events, NOON) == pytest.approx(share, abs=1e-6)


def test_trying_the_same_content_again_does_not_lift_a_tool() -> None:
    once = history_success([happened("validation_ok")], NOON)
    assert history_success([happened("validation_ok")] * 50, NOON) == once
    assert history_success([happened("failed"), happened("validation_ok")], NOON) == once
    other = happened("failed", sha256="b" * 64)
    assert history_success([happened("validation_ok"), other], NOON) == 0.5


def test_a_half_life_of_zero_forgets_nothing() -> None:
    assert history_success([happened("accepted", 10_000)], NOON, 0.0) == pytest.approx(2 / 3)


PAST = st.builds(
    happened, st.sampled_from(EVENTS), st.floats(-10, 3000), st.sampled_from(["a" * 64, "b" * 64])
)


@settings(deadline=None)
@given(st.lists(PAST, max_size=30), PAST)
def test_success_lies_between_0_and_1_and_a_good_event_never_lowers_it(
    events: list[PastEvent], last: PastEvent
) -> None:
    before = history_success(events, NOON)
    assert 0.0 < before < 1.0 or before in {0.0, 1.0}
    after = history_success([*events, replace(last, event="executed")], NOON)
    worse = history_success([*events, replace(last, event="rejected")], NOON)
    assert worse <= before <= after


def test_what_is_remembered_is_read_back(layout: Layout) -> None:
    path = layout.action("analysis", "plot") / "plot.py"
    remember(
        layout, noon(), path, "accepted", "ab" * 32,
        route_id="route-001", intent="plot it", tz=EAST,
    )  # fmt: skip
    remember(layout, noon(), path.with_name("other.py"), "failed", "cd" * 32, tz=EAST)
    [row, _] = read_records(history_file(path.parent)).rows
    assert row == {
        "ts": "2025-10-31T12:00:00.000+04:00",
        "event": "accepted",
        "name": "plot",
        "hash": "sha256:" + "ab" * 32,
        "run_id": "",
        "route_id": "route-001",
        "intent": "plot it",
        "signature": None,
    }
    history = read_history(path.parent)
    event = PastEvent("plot", "accepted", NOON, "ab" * 32, "plot it", None, "route-001")
    assert history.of("plot") == (event,)
    assert [event.event for event in history.of("other")] == ["failed"]


def test_no_history_is_no_events(layout: Layout) -> None:
    assert read_history(layout.action("analysis", "plot")) == ToolHistory(())


def test_a_lost_history_is_made_up_from_the_records_of_promotions(layout: Layout) -> None:
    folder = layout.action("analysis", "plot")
    record = {
        "name": "plot.py",
        "status": "stable",
        "created_at": "2025-10-31T12:00:00+04:00",
        "tool_hash": "sha256:" + "ab" * 32,
    }
    append_record(folder / "metadata.jsonl", record)
    append_record(folder / "metadata.jsonl", {**record, "status": "moved"})
    append_record(folder / "metadata.jsonl", {"name": "broken"})
    assert read_history(folder).of("plot") == (PastEvent("plot", "accepted", NOON, "ab" * 32),)
    remember(layout, noon(), folder / "plot.py", "accepted", "ab" * 32)
    assert len(read_history(folder).of("plot")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"ts": "2025-10-31T12:00:00", "event": "accepted", "name": "plot", "hash": "x"}',
        '{"ts": "2025-10-31T12:00:00+04:00", "event": "liked", "name": "plot", "hash": "x"}',
        '{"ts": "2025-10-31T12:00:00+04:00", "event": ["x"], "name": "plot", "hash": "x"}',
        '{"ts": "9999-12-31T23:59:59-23:59", "event": "accepted", "name": 1, "hash": "x"}',
        '{"ts": "soon", "event": "accepted", "name": "plot", "hash": "x"}',
        "not json",
        '{"ts": ',
    ],
)
def test_a_line_that_says_nothing_is_reported_and_skipped(layout: Layout, line: str) -> None:
    folder = layout.action("analysis", "plot")
    write(history_file(folder), line)
    remember(layout, noon(), folder / "plot.py", "executed", "ab" * 32)
    history = read_history(folder)
    assert [event.event for event in history.events] == ["executed"]
    assert len(history.findings) == 1


def test_an_unknown_event_and_a_place_outside_are_refused(layout: Layout) -> None:
    with pytest.raises(InputError, match="event must be one of"):
        remember(layout, noon(), layout.root / "a.py", "liked", "")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="path must lie below"):
        remember(layout, noon(), Path("/elsewhere/a.py"), "accepted", "")


def test_a_failure_that_says_what_the_tool_was_called_with_is_no_trial_and_counts_each_time() -> (
    None
):
    failure = replace(happened("failed"), signature="run(path='x.py')")
    assert history_success([failure] * 3, NOON) == pytest.approx(1 / 5)
    assert history_success([failure, happened("validation_ok")], NOON) == 0.5


def test_a_history_is_read_again_only_when_it_changed(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(layout.domains / "charts/plot/plot.py", "")
    read: list[Path] = []

    def counted(file: Path, most_bytes: int) -> Records:
        read.append(file)
        return read_records(file, most_bytes)

    monkeypatch.setattr("prefrontal.routing.catalog.history.read_records", counted)
    assert read_history(path.parent).events == read_history(path.parent).events == ()
    assert len(read) == 2
    remember(layout, noon(), path, "accepted", "a" * 64, tz=EAST)
    assert [each.event for each in read_history(path.parent).of("plot")] == ["accepted"]
    file = history_file(path.parent)
    other = write(tmp_path / "other", file.read_text().replace("accepted", "rejected"))
    other.replace(file)
    assert [each.event for each in read_history(path.parent).of("plot")] == ["rejected"]
    assert len(read) == 6
    file.unlink()
    assert read_history(path.parent).events == ()
