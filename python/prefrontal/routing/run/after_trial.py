"""Stores the outcome of a trial: in the tools' history, and as a pending route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog.history import Event, remember
from ..promotion.pending import PendingRoute, Why, add_pending
from ..ranking.tool_ranker import key_of

if TYPE_CHECKING:
    from ..types import Tool
    from .request import RouteRequest
    from .route import TrialModule
    from .workbench import Workbench


NOT_APPROVED = "not approved by a person."


def note_in_history(bench: Workbench, module: TrialModule, event: Event) -> None:
    """Append to the history of an existing tool; not for a new module or a dry run."""
    if module.tool is not None:
        note_of_tool(bench, module.request, module.tool, event, module.sha256)


def note_of_tool(
    bench: Workbench, request: RouteRequest, tool: Tool, event: Event, sha256: str
) -> None:
    """Append to the history of the tool; not in a dry run."""
    if request.mode.dry_run:
        return
    remember(
        bench.layout,
        bench.clock,
        tool.spec.path,
        event,
        sha256,
        route_id=request.trace.route_id,
        intent=request.prompt if event in {"accepted", "rejected"} else None,
        tz=bench.tz,
        name=None if tool.runnable else key_of(tool),
    )


def rejection(request: RouteRequest, tool: Tool | None) -> str:
    """What a person's no is called: of a tool that runs here with how to take it back."""
    if tool is None or not tool.runnable or request.mode.dry_run:
        return NOT_APPROVED
    back = f"prefrontal route resume {request.trace.route_id} asks again."
    return f"{NOT_APPROVED[:-1]}; {back}"


def list_as_pending(bench: Workbench, module: TrialModule, why: Why, summary: str) -> None:
    """List a new module as pending, so that its route can be resumed; not for a tool."""
    request, decision = module.request, module.decision
    if module.tool is not None or request.mode.dry_run:
        return
    waiting = PendingRoute(
        route_id=request.trace.route_id,
        run_id=request.trace.run_id,
        why=why,
        prompt=request.prompt,
        domain=module.intent.domain,
        action=module.intent.action,
        policy=decision.policy,
        module=bench.layout.relative(module.path),
        sha256=module.sha256,
        description=request.description,
        summary=summary,
        plan=decision.plan,
    )
    add_pending(bench.layout, bench.clock, waiting, tz=bench.tz)
