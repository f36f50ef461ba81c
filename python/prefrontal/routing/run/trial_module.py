"""Prepares the module for the trial: a tool, a composition, or a generated module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ...storage.files import write_atomic
from ..exit_codes import NEEDS_APPROVAL, REFUSED, UNSURE
from ..generation.generator import GenerationRefusal, generate
from ..generation.guardrails import inspect_code
from ..layout import slug
from ..plans.links import resolve_tool
from ..plans.plan import parse_plan
from ..plans.render import render
from ..ranking.coverage import shares
from ..ranking.decide import Bar, shown
from ..ranking.precedence import rejected_before
from ..trials.hosts import hosts_of
from .request import NO_REQUEST, Ending
from .route import ToolChoice, TrialModule
from .transcript import two_places

if TYPE_CHECKING:
    from ..types import Candidate, Finding, Plan, PlanStep, Tool
    from .workbench import Workbench

_NEAREST = 3


def trial_module(bench: Workbench, choice: ToolChoice) -> TrialModule | Ending:
    """The module of the choice."""
    stages = {"select": _selected_tool, "compose": _composition, "generate": _generated_module}
    return stages[choice.decision.policy](bench, choice)


def check_again(bench: Workbench, module: TrialModule) -> Ending | None:
    """Inspect the generated module of a resumed route again: it may have been edited."""
    if module.decision.policy != "generate":
        return None
    rules = bench.settings.generator
    source = module.path.read_text(encoding="utf-8", errors="replace")
    reasons = inspect_code(source, rules.allowed_imports, rules.allow_writes, path=module.path)
    if not reasons:
        return None
    module.request.trace.add(
        "generate",
        policy="generate",
        decision="refused",
        artifacts=[module.path],
        provider="a person's edit",
        model=None,
        reasons=_lines(reasons),
    )
    return Ending(REFUSED, "the guardrails refused the module as it is now.")


def _selected_tool(bench: Workbench, choice: ToolChoice) -> TrialModule:
    """An existing tool, unchanged."""
    tool = choice.ranking.tool_of(choice.decision.selected[0])
    return _module(bench, choice, tool.spec.path, tool.sha256, tool)


def _composition(bench: Workbench, choice: ToolChoice) -> TrialModule:
    """The plan, written as a module that runs it."""
    plan = parse_plan(choice.decision.plan)
    tools = [tool for tool in choice.ranking.discovery.tools if tool.runnable]
    name = slug("_then_".join(_stem(step) for step in plan.steps), default="composed")
    source = render(plan, tools, bench.layout, name)
    folder = bench.layout.route_tmp(choice.decision.route_id)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.py"
    write_atomic(path, source)
    digest = sha256(source.encode()).hexdigest()
    used = tools_of(plan, tools)
    module = _module(bench, choice, path, digest)
    return replace(module, parts=parts_of(used), hosts=hosts_of(used))


def tools_of(plan: Plan, tools: Sequence[Tool]) -> list[Tool]:
    """The tools that the plan calls."""
    return [resolve_tool(step.tool, tools) for step in plan.steps]


def parts_of(tools: Sequence[Tool]) -> dict[Path, str]:
    """The files of a composition's tools, with their hashes when they were read."""
    return {tool.spec.path: tool.sha256 for tool in tools}


def _generated_module(bench: Workbench, choice: ToolChoice) -> TrialModule | Ending:
    """A new module; where none may be written, an ending that names the nearest tools."""
    request, model = choice.ranking.parsed.request, bench.model
    near, mode = choice.ranking.candidates[:_NEAREST], request.mode
    misses = f"nearest misses: {_scores(near)}" if near else "there are no tools yet"
    rejected = rejected_before(choice.ranking.candidates)
    misses = "; ".join([*_parts_that_fit(bench, choice), misses, *[rejected] * bool(rejected)])
    if choice.decision.reason in NO_REQUEST:
        return Ending(UNSURE, choice.decision.reason)
    if model is None:
        return Ending(UNSURE, f"no tool fits and no model is configured to write one; {misses}.")
    if not mode.may_generate:
        rule = "no tool fits, and generated code needs a person's approval"
        return Ending(NEEDS_APPROVAL, f"{rule}; {misses}.")
    with bench.waiting(f"waiting for {model.provider}"):
        route_id = choice.decision.route_id
        module = generate(
            model, choice.intent, bench.layout, route_id, bench.settings, nearest=near
        )
    refusal = module if isinstance(module, GenerationRefusal) else None
    request.trace.add(
        "generate",
        policy="generate",
        decision="refused" if refusal else "written",
        artifacts=module.artifacts,
        provider=model.provider,
        model=model.name,
        reasons=_lines(refusal.reasons) if refusal else [],
    )
    if isinstance(module, GenerationRefusal):
        count = len(module.reasons)
        reasons = f"{count} reasons" if count > 1 else "one reason"
        sentence = f"the guardrails refused the generated module for {reasons}; {misses}."
        return Ending(REFUSED, sentence)
    return _module(bench, choice, module.path, module.sha256)


def _parts_that_fit(bench: Workbench, choice: ToolChoice) -> list[str]:
    """For each clause of several that a tool serves: which one does."""
    clauses, candidates = choice.ranking.parsed.clauses, choice.ranking.candidates
    steps = shares(candidates, len(clauses), Bar.of(bench.settings.ranker).floor)
    return [
        f"{share.candidate.tool.name} {shown(share.score)} fits {clauses[place].text!r} alone"
        for share in steps
        for place in share.clauses
    ]


def _module(
    bench: Workbench, choice: ToolChoice, path: Path, digest: str, tool: Tool | None = None
) -> TrialModule:
    return TrialModule(
        choice.ranking.parsed.request,
        choice.intent,
        choice.decision,
        path,
        digest,
        tool,
        choice.uncovered_clauses(Bar.of(bench.settings.ranker).floor),
        choice.ranking.widened,
        rivals=choice.rivals,
        hosts=hosts_of([tool] if tool else []),
        agreed=choice.agreed,
    )


def _scores(candidates: Sequence[Candidate]) -> str:
    """For people: "plot_matrix 0.58, summarize_matrix 0.31"."""
    return ", ".join(f"{one.tool.name} {two_places(one.score)}" for one in candidates)


def _lines(reasons: Sequence[Finding]) -> list[str]:
    return [f"line {one.line}: {one.text}" if one.line else one.text for one in reasons]


def _stem(step: PlanStep) -> str:
    return step.tool.partition("::")[0].rpartition("/")[2].removesuffix(".py")
