from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.pending import PendingRoute, add_pending, pending_routes
from prefrontal.routing.promotion.retention import Sweep, sweep
from prefrontal.testing import ManualClock

from ..project import EAST, NOON, layout_of, noon, write

DAY = 86_400.0


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def aged(path: Path, days: float) -> Path:
    """The file or folder, last changed so many days ago."""
    if not path.exists() and not path.is_symlink():
        write(path, "x")
    os.utime(path, (NOON - days * DAY,) * 2, follow_symlinks=False)
    return path


def swept(layout: Layout, **options: Any) -> Sweep:
    plain: dict[str, Any] = {"log_days": 7, "tmp_days": 7, "tz": EAST}
    return sweep(layout, noon(), **(plain | options))


def test_temporary_modules_go_when_nothing_in_them_changed_for_days(layout: Layout) -> None:
    old = aged(layout.route_tmp("route-001") / "made.py", 8).parent
    aged(old, 8)
    young = aged(layout.route_tmp("route-002") / "made.py", 6).parent
    aged(young, 30)
    loose = aged(layout.tmp / "loose.py", 8)
    found = swept(layout)
    assert found.ran and found.removed == (loose, old) and found.findings == ()
    assert young.exists() and not old.exists()


def test_hidden_files_stay_but_for_halves_of_killed_writes(layout: Layout) -> None:
    kept = [".counters.json", ".mypy/cache/x", ".promotion.json", ".promotion.lock", ".cache"]
    for name in kept:
        aged(layout.tmp / name, 99)
    half = aged(layout.tmp / "..counters.json.00ff.tmp", 99)
    young = aged(layout.tmp / "..counters.json.00fe.tmp", 0)
    assert swept(layout).removed == (half,)
    assert all((layout.tmp / name).exists() for name in kept) and young.exists()


def test_logs_go_by_the_day_in_their_name(layout: Layout) -> None:
    logs = layout.logs
    old = [
        write(logs / "app/2025-10-23/app.log", "x").parent,
        write(logs / "runs/run-20251023-2359-abc/steps.log", "x").parent,
        write(logs / "validation/2024-12-31/route-001-1-ruff.log", "x").parent,
    ]
    kept = [
        write(logs / "app/2025-10-24/app.log", "x"),
        write(logs / "app/notes/app.log", "x"),
        write(logs / "runs/run-20251024-0000-abc/steps.log", "x"),
        write(logs / "runs/my-run/steps.log", "x"),
        write(logs / "metrics/validation_ms.jsonl", "x"),
        write(logs / "mine/2020-01-01/x", "x"),
    ]
    found = swept(layout)
    assert sorted(found.removed) == sorted(old)
    assert all(path.exists() for path in kept) and not any(path.exists() for path in old)


def test_a_sweep_is_done_once_a_day_unless_asked_again(layout: Layout) -> None:
    aged(layout.tmp / "a.py", 8)
    assert swept(layout).ran
    old = aged(layout.tmp / "b.py", 8)
    assert swept(layout) == Sweep(False) and old.exists()
    assert swept(layout, again=True).removed == (old,)
    aged(layout.tmp / "c.py", 8)
    assert sweep(layout, ManualClock(NOON + DAY), log_days=7, tmp_days=7, tz=EAST).ran


def test_what_may_be_at_work_stays_even_when_nothing_is_kept(layout: Layout) -> None:
    young = aged(layout.tmp / "young.py", 0.5 / 24)
    old = aged(layout.tmp / "old.py", 2 / 24)
    assert swept(layout, tmp_days=0).removed == (old,) and young.exists()


def test_promoted_files_are_never_touched(layout: Layout) -> None:
    tool = aged(layout.action("analysis", "plot") / "plot.py", 9999)
    aged(layout.tmp / "a.py", 9999)
    assert tool not in swept(layout, tmp_days=0, log_days=0).removed and tool.exists()


def test_links_are_deleted_and_what_they_point_at_is_not(layout: Layout, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / "2020-01-01" / "kept.py", "x")
    layout.tmp.mkdir()
    link = layout.tmp / "route-001"
    link.symlink_to(outside.parent)
    aged(link, 8)
    inner = layout.route_tmp("route-002")
    inner.mkdir()
    (inner / "link").symlink_to(outside.parent)
    aged(inner / "link", 8)
    aged(inner, 8)
    layout.logs.mkdir()
    (layout.logs / "app").symlink_to(outside.parent.parent)
    found = swept(layout)
    assert found.removed == (link, inner) and not link.is_symlink()
    assert outside.exists()
    assert [one.path.name for one in found.findings] == ["app"]


def test_a_folder_of_temporary_modules_that_is_a_link_is_left_alone(
    layout: Layout, tmp_path: Path
) -> None:
    outside = aged(tmp_path / "outside" / "a.py", 99)
    layout.tmp.symlink_to(outside.parent)
    found = swept(layout)
    assert not found.ran and "is a link" in found.findings[0].text
    assert list(outside.parent.iterdir()) == [outside]


def test_nothing_is_made_where_nothing_is(layout: Layout) -> None:
    assert swept(layout) == Sweep(False)
    assert list(layout.root.iterdir()) == []


def test_the_pending_list_loses_its_old_and_torn_lines(layout: Layout) -> None:
    module = "_tmp/route-001/made.py"
    route = PendingRoute(
        "route-001", "run-1", "invalid", "plot", None, None, "generate", module, "ab" * 32
    )
    aged(layout.root / module, 0)
    path = layout.tmp / "pending.jsonl"
    for days in (8, 6):
        add_pending(layout, ManualClock(NOON - days * DAY), route, tz=EAST)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"ts": "2025-10-31T1')
    aged(path, 99)
    swept(layout)
    assert path.read_bytes().count(b"\n") == 1
    found = pending_routes(layout)
    assert found.routes == (route,) and found.findings == ()


def test_what_cannot_be_deleted_is_told(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = aged(layout.tmp / "a.py", 8)
    other = aged(layout.tmp / "b.py", 8)
    unlink = Path.unlink

    def refusing(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError(1, "Operation not permitted")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refusing)
    found = swept(layout)
    assert found.removed == (other,)
    assert [str(one) for one in found.findings] == [
        f"{stuck}: cannot be deleted: Operation not permitted"
    ]


def test_a_tree_of_any_depth_goes(layout: Layout) -> None:
    """Deeper than Python recurses, and its paths are longer than the system takes."""
    old = layout.route_tmp("route-001")
    old.mkdir(parents=True)
    here = os.open(old, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("deep" * 4, dir_fd=here)
        inner = os.open("deep" * 4, os.O_RDONLY, dir_fd=here)
        os.utime(here, (NOON - 8 * DAY,) * 2)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.utime(here, (NOON - 8 * DAY,) * 2)
    os.close(here)
    outside = write(layout.root / "domains/d/a/kept.py", "x")
    (old / "link").symlink_to(outside.parent, target_is_directory=True)
    os.utime(old / "link", (NOON - 8 * DAY,) * 2, follow_symlinks=False)
    aged(old, 8)
    assert swept(layout).removed == (old,)
    assert outside.exists() and not old.exists()
