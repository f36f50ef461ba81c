"""Before a route: finishes an interrupted promotion, sweeps, lists pending routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..promotion.pending import pending_routes
from ..promotion.promotion import Promoter
from ..promotion.retention import sweep
from ..trace import log_app

if TYPE_CHECKING:
    from .workbench import Workbench


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
    for route in pending_routes(layout).routes[-3:]:
        lines.append(
            f"waiting: {route.route_id} ({route.why}): {route.description};"
            f" prefrontal route resume {route.route_id}"
        )
    if settings.sandbox.network == "on":
        lines.append(
            "warning: routing.sandbox.network is on: modules on trial reach the network; they need"
            " --allow-weak-sandbox and a person's yes"
        )
    return lines
