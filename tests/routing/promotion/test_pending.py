from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.pending import (
    PendingRoute,
    add_pending,
    close_pending,
    pending_file,
    pending_routes,
)
from prefrontal.routing.records import append_record

from ..project import EAST, layout_of, noon, write

ROUTE = PendingRoute(
    "route-001",
    "run-20251031-1200-abc",
    "rejected",
    "plot it",
    "analysis",
    None,
    "compose",
    "_tmp/route-001/made.py",
    "ab" * 32,
    "plots",
    "not approved",
    {"plan": {"steps": []}},
)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def waiting(layout: Layout, *routes: PendingRoute) -> tuple[PendingRoute, ...]:
    for route in routes:
        write(layout.root / route.module, "x = 1\n")
        add_pending(layout, noon(), route, tz=EAST)
    return pending_routes(layout).routes


def test_a_route_that_waits_comes_back_as_it_was(layout: Layout) -> None:
    assert pending_routes(layout).routes == ()
    assert waiting(layout, ROUTE) == (ROUTE,)
    assert pending_routes(layout).find("route-001") == ROUTE


def test_a_route_is_listed_once_with_what_was_said_last(layout: Layout) -> None:
    other = replace(ROUTE, route_id="route-002", why="invalid")
    again = replace(ROUTE, summary="again")
    assert waiting(layout, ROUTE, other, again) == (other, again)


def test_a_closed_route_and_one_without_its_module_are_not_listed(layout: Layout) -> None:
    other = replace(ROUTE, route_id="route-002", module="_tmp/route-002/made.py")
    waiting(layout, ROUTE, other)
    close_pending(layout, noon(), "route-001", tz=EAST)
    assert pending_routes(layout).routes == (other,)
    (layout.root / other.module).unlink()
    assert pending_routes(layout).routes == ()
    with pytest.raises(InputError, match=r"a route that waits \(none\), got 'route-002'"):
        pending_routes(layout).find("route-002")


def test_an_unknown_route_is_refused_with_those_that_wait(layout: Layout) -> None:
    waiting(layout, ROUTE)
    with pytest.raises(InputError, match=r"waits \(route-001\), got 'route-9'"):
        pending_routes(layout).find("route-9")


@pytest.mark.parametrize(
    "change",
    [
        {"why": "bored"},
        {"policy": 1},
        {"sha256": None},
        {"domain": 1},
        {"module": "a\0b"},
        {"plan": []},
    ],
)
def test_a_line_that_says_nothing_is_reported(layout: Layout, change: dict[str, object]) -> None:
    waiting(layout, ROUTE)
    line = {"route_id": "route-002", **{key: getattr(ROUTE, key) for key in ROUTE.__slots__}}
    append_record(pending_file(layout), {**line, "route_id": "route-002", **change})
    found = pending_routes(layout)
    assert found.routes == (ROUTE,) and "no route that waits" in found.findings[0].text


def test_a_module_outside_is_not_listed(layout: Layout, tmp_path: Path) -> None:
    write(tmp_path / "x.py", "x = 1\n")
    add_pending(layout, noon(), replace(ROUTE, module="../x.py"))
    assert pending_routes(layout).routes == ()
