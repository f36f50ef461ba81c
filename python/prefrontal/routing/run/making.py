"""The phases between a decision and its trial: take the tool, render the plan, have it written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from ...storage.files import write_atomic
from ..exit_codes import NEEDS_APPROVAL, OK, REFUSED, UNSURE
from ..layout import slug
from ..plans.plan import parse_plan, plan_document
from ..ranking.decide import shown
from ..ranking.precedence import micro
from ..types import Finding, Plan, PlanStep, RouteDecision, Tool
from .route import Phase, Route, nearest_misses

if TYPE_CHECKING:
    from .router import Router


def after_decision(route: Route) -> Phase:
    """What a decision leads to."""
    if route.mode.plan_only:
        return show_plan
    making = {"select": take_tool, "compose": compose_module, "generate": generate_module}
    return making[route.chosen().policy]


def offer_nearest(router: Router, route: Route, decision: RouteDecision) -> RouteDecision:
    """A tool just below tau may be taken all the same, if a person says so."""
    operator = router.operator_for(route)
    settings = router.settings.ranker
    if decision.policy != "generate" or route.mode.plan_only or operator is None:
        return decision
    for best in route.nearest(1):
        floor = micro(settings.threshold) - micro(settings.compose_margin)
        if micro(best.score) < floor:
            continue
        score = shown(micro(best.score))
        question = f"nearest: {best.tool.name} {score}, below τ {settings.threshold:.2f}. Take it?"
        if operator.agree(question):
            spec = replace(best.tool.spec, score=best.score)
            reason = f"{best.tool.name} has {score}, below tau; taken because a person said so."
            return RouteDecision(route.route_id, "select", [spec], None, reason)
    return decision


def show_plan(router: Router, route: Route) -> None:
    """The end of `--plan`: a selected tool is a plan of one step."""
    decision = route.chosen()
    if decision.policy == "select":
        tool = route.tool_of(decision.selected[0])
        route.decision = replace(decision, plan=plan_document(single_step(tool, route.description)))
    if decision.policy == "generate":
        route.end(UNSURE, decision.reason)
    else:
        route.end(OK, decision.reason)


def take_tool(router: Router, route: Route) -> Phase | None:
    """An existing tool is tried as it lies there."""
    tool = route.tool_of(route.chosen().selected[0])
    route.tool, route.module, route.sha256 = tool, tool.spec.path, tool.sha256
    if tool.runnable:
        return _try_out()
    if route.mode.dry_run:
        route.end(OK, f"{tool.name} cannot be run here; {tool.relative} says which server has it.")
        return None
    from . import trying

    return trying.approve


def compose_module(router: Router, route: Route) -> Phase:
    """Write the plan as a module that runs it."""
    from ..plans.render import render

    plan = parse_plan(route.chosen().plan)
    tools = [tool for tool in route.found().tools if tool.runnable]
    name = slug("_then_".join(_stem(step) for step in plan.steps), default="composed")
    source = render(plan, tools, router.layout, name)
    _write(router, route, name, source)
    return _try_out()


def generate_module(router: Router, route: Route) -> Phase | None:
    """Have a module written, unless nobody may: then the nearest misses are all there is."""
    near = route.nearest()
    misses = f"nearest misses: {nearest_misses(near)}" if near else "there are no tools yet"
    if router.model is None:
        route.end(UNSURE, f"no tool fits and no model is configured to write one; {misses}.")
        return None
    if not (route.mode.interactive or route.mode.dry_run or route.mode.allow_generated):
        said = "no tool fits, and generated code needs a person's approval"
        route.end(NEEDS_APPROVAL, f"{said}; {misses}.")
        return None
    from ..generation.generator import Refusal, generate

    with router.waiting(f"waiting for {router.model.provider}"):
        made = generate(
            router.model,
            route.intent(),
            router.layout,
            route.route_id,
            router.settings,
            nearest=near,
        )
    refused = isinstance(made, Refusal)
    route.trace.add(
        "generate",
        policy="generate",
        decision="refused" if refused else "written",
        artifacts=made.artifacts,
        provider=router.model.provider,
        model=router.model.name,
        reasons=_told(made.reasons) if isinstance(made, Refusal) else [],
    )
    if isinstance(made, Refusal):
        count = len(made.reasons)
        told = f"{count} reasons" if count > 1 else "one reason"
        route.end(REFUSED, f"the guardrails refused the generated module for {told}; {misses}.")
        return None
    route.module, route.sha256 = made.path, made.sha256
    return _try_out()


def check_again(router: Router, route: Route) -> Phase | None:
    """The first phase of a route that is taken up: a generated module may have been edited."""
    assert route.module is not None, "a route that waits has a module"
    if route.chosen().policy != "generate":
        return _try_out()
    from ..generation.guardrails import inspect_code

    rules = router.settings.generator
    source = route.module.read_text(encoding="utf-8", errors="replace")
    found = inspect_code(source, rules.allowed_imports, rules.allow_writes, path=route.module)
    if not found:
        return _try_out()
    route.trace.add(
        "generate",
        policy="generate",
        decision="refused",
        artifacts=[route.module],
        provider="a person's edit",
        model=None,
        reasons=_told(found),
    )
    route.end(REFUSED, "the guardrails refused the module as it is now.")
    return None


def single_step(tool: Tool, description: str) -> Plan:
    """The plan that calls one tool with what it requires."""
    needed = [arg.name for arg in tool.spec.args if arg.required]
    outputs = {name: name for name in tool.returns if name.isidentifier()} or {"result": "*"}
    inputs = {name: "{{input." + name + "}}" for name in needed}
    file = tool.relative.rpartition("/")[2]
    step = PlanStep("s1", f"{file}::{tool.spec.entry}", inputs, outputs)
    return Plan(description, (step,), tuple(needed), tuple(outputs))


def _told(reasons: Sequence[Finding]) -> list[str]:
    return [f"line {one.line}: {one.text}" if one.line else one.text for one in reasons]


def _stem(step: PlanStep) -> str:
    return step.tool.partition("::")[0].rpartition("/")[2].removesuffix(".py")


def _try_out() -> Phase:
    from .trying import validate_module  # here: a plan needs nothing of it

    return validate_module


def _write(router: Router, route: Route, name: str, source: str) -> None:
    folder = router.layout.route_tmp(route.route_id)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.py"
    write_atomic(path, source)
    route.module, route.sha256 = path, sha256(source.encode()).hexdigest()
