"""The route that is taken up again: one that waits, or one whose tool a person rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InputError
from ..catalog.discovery import discover_all
from ..catalog.history import history_file, last_prompts, read_history
from ..promotion.pending import PendingRoute, pending_routes
from ..ranking.tool_ranker import key_of

if TYPE_CHECKING:
    from ..catalog.history import PastEvent
    from ..layout import Layout
    from ..types import Tool


def waiting_route(layout: Layout, route_id: str) -> PendingRoute:
    """The route of that id. Raises InputError naming those that wait, or what else can be done."""
    waiting = pending_routes(layout)
    if any(route.route_id == route_id for route in waiting.routes):
        return waiting.find(route_id)
    for tool in discover_all(layout).tools:
        rejection = _rejection(tool, route_id)
        if rejection is not None:
            return _of_rejection(tool, rejection)
    return waiting.find(route_id)


def _rejection(tool: Tool, route_id: str) -> PastEvent | None:
    """The no of that route to the tool, unless it was taken back since."""
    name = tool.name if tool.runnable else key_of(tool)
    events = read_history(tool.spec.path.parent).of(name)
    rejected = last_prompts(events, "rejected")
    for event in reversed(events):
        if event.route_id == route_id and event.event == "rejected" and event.intent in rejected:
            return event
    return None


def _of_rejection(tool: Tool, rejection: PastEvent) -> PendingRoute:
    if not tool.runnable:
        line = f"delete the line of {rejection.route_id} in {history_file(tool.spec.path.parent)}"
        rule = f"be of a route that is tried here; to take your no to {tool.name} back, {line}"
        raise InputError(f"route_id must {rule}, got {rejection.route_id!r}")
    prompt = rejection.intent or ""
    return PendingRoute(
        route_id=rejection.route_id,
        run_id="",
        why="rejected",
        prompt=prompt,
        domain=tool.domain,
        action=tool.action,
        policy="select",
        module=tool.relative,
        sha256=rejection.sha256,
        description=prompt,
        summary="not approved by a person.",
    )
