"""Before a route: finishes an interrupted promotion, sweeps, says which routes wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plural import many
from ...storage.files import write_atomic
from ..promotion.pending import pending_routes
from ..promotion.promotion import Promoter
from ..promotion.retention import sweep
from ..trace import log_app

if TYPE_CHECKING:
    from pathlib import Path

    from ..promotion.pending import PendingRoute
    from .workbench import Workbench

MOST_NAMED = 3
_MARK = ".waiting"
"""The day of the latest call, and the routes that waited then."""


def tidy(bench: Workbench) -> list[str]:
    """Lines for the person. Raises SourceError when the project's folder cannot be written."""
    layout, settings, clock = bench.layout, bench.settings, bench.clock
    promoter = Promoter(layout, clock, bench.identities, "", bench.tz)
    lines = [str(finding) for finding in promoter.recover()]
    lines += [str(finding) for finding in pending_routes(layout).findings]  # a sweep drops them
    swept = sweep(
        layout, clock, log_days=settings.log_days(), tmp_days=settings.tmp_days(), tz=bench.tz
    )
    if swept.removed:
        lines.append(f"{len(swept.removed)} old logs and temporary modules were deleted")
        log_app(
            layout,
            clock,
            "sweep",
            tz=bench.tz,
            removed=[path.as_posix() for path in swept.removed],
        )
    lines += [str(finding) for finding in swept.findings]
    if settings.sandbox.network == "on":
        lines.append(
            "warning: routing.sandbox.network is on: modules on trial reach the network; they need"
            " --allow-weak-sandbox and a person's yes"
        )
    return lines


def waiting(bench: Workbench) -> list[str]:
    """A line for each route that waits since the last call, the latest three, and once a day how
    many others do. Raises SourceError when the project's folder cannot be written.
    """
    routes = pending_routes(bench.layout).routes
    mark, today = bench.layout.tmp / _MARK, bench.time.day()
    day, *known = _lines(mark) or [""]
    new = [route for route in routes if route.route_id not in known]
    lines = [waiting_line(route) for route in new[-MOST_NAMED:]]
    others = len(routes) - len(lines)
    if others and (day != today or len(new) > MOST_NAMED):
        more = "more " if lines else ""
        what = many(others, f"{more}route waits", f"{more}routes wait")
        lines.append(f"{what}; prefrontal route resume lists them")
    if new or (routes and day != today):
        ids = [route.route_id for route in routes]
        write_atomic(mark, "\n".join([today, *ids]) + "\n")
    return lines


def waiting_line(route: PendingRoute) -> str:
    """For people: which route waits, why, and how to go on with it."""
    going_on = f"prefrontal route resume {route.route_id}"
    return f"waiting: {route.route_id} ({route.why}): {route.description}; {going_on}"


def _lines(path: Path) -> list[str]:
    """The lines of a file; none where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return []
