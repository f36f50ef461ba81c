"""Files that were approved in a small project, and their promotion."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from prefrontal.routing.identity import Identities
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.promotion import Promoter, Promotion
from prefrontal.routing.promotion.promotion_draft import PromotionRequest
from prefrontal.routing.types import Approval

from .project import EAST, a_byte, noon, write

ONE = '"""Plots."""\n\n\ndef run(a, b=1):\n    """Plot."""\n    return a\n'
FIXED = ONE.replace("return a", "return a + 0")
WIDER = FIXED.replace("b=1", "b=1, c=2")
NARROW = FIXED.replace("(a, b=1)", "(a)")


def promoter(layout: Layout) -> Promoter:
    clock = noon()
    identities = Identities(layout, clock, a_byte, EAST)
    return Promoter(layout, clock, identities, "prefrontal_v0.1.0", EAST)


def request(layout: Layout, source: str | bytes | Path, **changes: Any) -> PromotionRequest:
    """An approved request; text becomes a temporary module first."""
    if not isinstance(source, Path):
        path = write(layout.route_tmp("route-001") / "made.py", "")
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        source = path
    approval = Approval("me", "2025-10-31T11:59:00+04:00", sha256(source.read_bytes()).hexdigest())
    plain: dict[str, Any] = {
        "domain": "analysis",
        "action": "visualise",
        "name": "plot_matrix",
        "description": "Plots a matrix",
        "run_id": "run-20251031-1200-abc",
        "route_id": "route-001",
        "approval": approval,
        "intent": "plot it",
    }
    return PromotionRequest(source, **(plain | changes))


def promoted(layout: Layout, source: str | bytes | Path, **changes: Any) -> Promotion:
    return promoter(layout).promote(request(layout, source, **changes))


def target(layout: Layout) -> Path:
    return layout.action("analysis", "visualise") / "plot_matrix.py"
