"""The router as a tool: which tools would serve a prompt, wired how. Nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ..assembly.router import build_layout, build_router
from ..errors import InputError
from ..routing import Mode, Route
from ..routing.plans.steps import plan_notes
from .offered import Arguments, Offered, ToolAnswer

if TYPE_CHECKING:
    from ..routing.types import Tool, ToolSpec
    from .served import Served

_NEAREST = 5


class RouteArguments(Arguments):
    prompt: Annotated[str, Field(min_length=1, max_length=8000)] = Field(
        description="what is wanted, in words"
    )


class RankedAnswer(ToolAnswer):
    tool: str = Field(description="path below the folder of tools")
    name: str
    score: float = Field(description="0..1; of tools at 0.60 or more most are the right one")
    matched: list[str] = Field(description="words of the prompt that the tool's texts hold")


class ChosenTool(ToolAnswer):
    tool: str = Field(description="path below the folder of tools, as among the nearest")
    name: str = Field(description="what it is called, for a tool of a server there")
    server: str | None = Field(
        description="the MCP server on which you call it; null for a function of the project"
    )
    path: str = Field(description="its file; for a tool of a server the list that names it")
    entry: str = Field(description="the function to call in that file; empty on a server")
    arguments: list[str]
    score: float


class RouteAnswer(ToolAnswer):
    route_id: str
    run_id: str = Field(description="prefrontal route explain RUN_ID tells it again")
    policy: str | None = Field(description="select, compose or generate: no tool fits")
    selected: list[ChosenTool] = Field(description="in the order of the calls; empty for generate")
    plan: dict[str, Any] | None = Field(description="steps, inputs and outputs")
    notes: list[str] = Field(
        description="what is left out as not to be done, which steps you call on a server, which"
        " hand nothing on, and what none serves"
    )
    reason: str
    domain: str | None
    action: str | None
    confidence: float = Field(description="0..1, how sure the parser is of domain and action")
    nearest: list[RankedAnswer]

    @classmethod
    def of(cls, route: Route) -> RouteAnswer:
        decision, intent = route.decision, route.intent
        return cls(
            route_id=route.route_id,
            run_id=route.run_id,
            policy=decision.policy,
            selected=[
                ChosenTool(
                    tool=_of(route, each).relative,
                    name=_of(route, each).name,
                    server=None if _of(route, each).runnable else each.path.stem,
                    path=str(each.path),
                    entry=each.entry if _of(route, each).runnable else "",
                    arguments=[argument.name for argument in each.args],
                    score=each.score,
                )
                for each in decision.selected
            ],
            plan=decision.plan,
            notes=plan_notes(
                decision.plan, route.uncovered, route.request.denied, caller="you call"
            ),
            reason=decision.reason,
            domain=intent.domain,
            action=intent.action,
            confidence=intent.confidence,
            nearest=[
                RankedAnswer(
                    tool=each.tool.relative,
                    name=each.tool.name,
                    score=each.score,
                    matched=list(each.matched),
                )
                for each in route.candidates[:_NEAREST]
            ],
        )


def _of(route: Route, spec: ToolSpec) -> Tool:
    assert route.ranking is not None, "what was selected was ranked"
    return route.ranking.tool_of(spec)


def route_tool(served: Served, arguments: RouteArguments) -> RouteAnswer:
    settings = served.settings.routing
    workflows = served.settings.path(settings.workflows_root)
    if not workflows.is_dir():
        rule = "be a folder of tools (routing.workflows_root in prefrontal.yml)"
        raise InputError(f"workflows must {rule}, got {str(workflows)!r}")
    router = build_router(settings, build_layout(settings, workflows), tries=False)
    return RouteAnswer.of(router.route(arguments.prompt, Mode(plan_only=True, interactive=False)))


TOOLS = (
    Offered(
        "route_tool",
        "Which tools would do this?",
        "Rank the tools of the project for a prompt and plan the calls: one tool, several wired"
        " together, or none. It only plans: nothing is run. The route is kept in the project's"
        " logs.",
        RouteArguments,
        RouteAnswer,
        route_tool,
    ),
)
