"""The third stage: a tool, a composition, or that a tool must be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..plans.links import tool_reference
from ..plans.plan import as_argument_name, free_name, plan_document
from ..plans.references import Reference
from ..plans.steps import mark_servers
from ..plans.wiring import wire
from ..ranking.coverage import Share, texts_of
from ..ranking.decide import Bar, decide, shown
from ..ranking.precedence import micro, rejected_before
from ..ranking.removal import asks_to_remove, may_remove
from ..ranking.tool_ranker import key_of
from ..types import Candidate, Plan, PlanStep, RouteDecision, Tool
from .after_trial import note_of_tool, rejection
from .ranking import rank_everywhere
from .request import ANSWER_ALONE, NOTHING_ASKED
from .route import Ranking, ToolChoice
from .server_steps import with_servers
from .transcript import NO_GENERATOR, NOT_ASKED, two_places
from .which_tool import which_tool

if TYPE_CHECKING:
    from ...settings.routing import Ranker
    from .request import RouteRequest
    from .workbench import Workbench


def choose(bench: Workbench, ranking: Ranking, *, servers: bool = False) -> ToolChoice:
    """Decide; before a tool is written, look everywhere once.

    servers: whether a composition may have steps that run on servers, for whoever calls these.
    """
    if ranking.parsed.request.asks_nothing:
        return _nothing(bench, ranking, NOTHING_ASKED)
    intent, decision = ranking.intent, _decision(bench, ranking)
    if decision.policy == "generate" and not ranking.complete:
        ranking = rank_everywhere(bench, ranking)
        decision = _decision(bench, ranking)
        if decision.policy != "generate":  # something is taken from elsewhere
            intent = ranking.intent
    if decision.policy == "generate" and _answers_alone(ranking):
        return _nothing(bench, ranking, ANSWER_ALONE)
    if servers:
        decision = with_servers(bench, ranking, decision)
    answer = which_tool(bench, ranking, decision)
    decision = _or_nearest(bench, ranking, answer.decision)
    agreed = answer.agreed or decision is not answer.decision
    return _traced(bench, ToolChoice(ranking, intent, decision, answer.rivals, agreed))


def _answers_alone(ranking: Ranking) -> bool:
    """Whether the prompt is the answer to a question, and of no tool's words."""
    return ranking.parsed.request.is_answer and not any(one.matched for one in ranking.candidates)


def _nothing(bench: Workbench, ranking: Ranking, why: str) -> ToolChoice:
    """The choice for a prompt that asks for nothing."""
    nothing = RouteDecision(ranking.parsed.request.trace.route_id, "generate", [], None, why)
    return _traced(bench, ToolChoice(ranking, ranking.intent, nothing))


def _traced(bench: Workbench, choice: ToolChoice) -> ToolChoice:
    """The choice, which the trace has then."""
    ranking, decision = choice.ranking, choice.decision
    request, candidates = ranking.parsed.request, ranking.candidates
    generates = decision.policy == "generate"
    request.trace.add(
        decision.policy,
        candidates=len(candidates),
        top_score=round(candidates[0].score, 6) if candidates else None,
        policy=decision.policy,
        decision=decision.reason,
        selected=[
            {"tool": key_of(ranking.tool_of(spec)), "entry": spec.entry, "score": spec.score}
            for spec in decision.selected
        ],
        plan=decision.plan,
        threshold=bench.settings.ranker.threshold,
        **(_generator(bench, request) if generates else _left_open(bench, choice)),
    )
    return choice


def _generator(bench: Workbench, request: RouteRequest) -> dict[str, str]:
    """Whether a model is asked to write a tool, as the trace keeps it; a plan is made without."""
    if bench.model is None and not request.mode.plan_only:
        return {"generator": NO_GENERATOR}
    return {"generator": "asked" if request.mode.may_generate else NOT_ASKED}


def _left_open(bench: Workbench, choice: ToolChoice) -> dict[str, Any]:
    """What is asked for and no selected tool does, as the trace keeps it: acts, and the clauses
    that nothing covers besides.
    """
    clauses = choice.ranking.parsed.clauses
    acts = [{"act": act, "clause": clauses[at].text} for at, act in choice.open_acts().items()]
    uncovered = choice.uncovered_clauses(Bar.of(bench.settings.ranker).floor)
    of_acts = {one["clause"] for one in acts}
    return {"open_acts": acts, "uncovered": [one for one in uncovered if one not in of_acts]}


def planned(choice: ToolChoice) -> RouteDecision:
    """The decision with a plan for a selected tool, too: its one call."""
    ranking, decision = choice.ranking, choice.decision
    if decision.policy != "select":
        return decision
    tool = ranking.tool_of(decision.selected[0])
    plan = single_step(tool, ranking.parsed.request.description)
    document = plan_document(plan)
    mark_servers(document, (tool,))
    return replace(decision, plan=document)


def single_step(tool: Tool, description: str) -> Plan:
    """The plan that calls one tool with what it requires."""
    params: dict[str, str] = {}
    for arg in tool.spec.args:
        if arg.required:
            name = as_argument_name(arg.name, "input")
            params[arg.name] = free_name(name, params.values())
    outputs = {name: name for name in tool.returns if name.isidentifier()} or {"result": "*"}
    inputs = {name: str(Reference("", param)) for name, param in params.items()}
    step = PlanStep("s1", tool_reference(tool, ()), inputs, outputs)
    return Plan(description, (step,), tuple(params.values()), tuple(outputs))


def _decision(bench: Workbench, ranking: Ranking) -> RouteDecision:
    parsed = ranking.parsed
    request, tools = parsed.request, ranking.discovery.tools

    def plan_for(parts: Sequence[Share]) -> Plan | None:
        hints = [hint.passage.text for hint in parsed.hints]
        texts = texts_of(parts, parsed.clauses)
        chosen = [share.candidate for share in parts]
        return wire(chosen, request.description, texts=texts, tools=tools, hints=hints)

    return decide(
        request.trace.route_id,
        ranking.intent,
        ranking.candidates,
        parsed.clauses,
        bench.settings.ranker,
        plan_for,
    )


def _or_nearest(bench: Workbench, ranking: Ranking, decision: RouteDecision) -> RouteDecision:
    """A tool just below tau, or behind a rejected one, may be taken if a person says so.

    Where something is to be removed, so may either of the two nearest that remove or change.
    """
    mode, settings = ranking.parsed.request.mode, bench.settings.ranker
    operator = bench.operator_for(mode)
    if decision.policy != "generate" or mode.plan_only or operator is None:
        return decision
    candidates = ranking.candidates
    near = _offers(ranking, micro(settings.threshold) - micro(settings.compose_margin))
    scores = " or ".join(f"{one.tool.name} {two_places(one.score)}" for one in near)
    for one in near:
        which = "it" if len(near) == 1 else one.tool.name
        why = _why_not(one, candidates, settings)
        answer = operator.agree(f"nearest: {scores}, {why}. Take {which}?")
        if answer is False:
            _note_no(bench, ranking.parsed.request, one.tool)
        if answer:
            spec = replace(one.tool.spec, score=one.score)
            score = shown(micro(one.score))
            reason = f"{one.tool.name} has {score}, {why}; taken because a person said so."
            return RouteDecision(decision.route_id, "select", [spec], None, reason)
    return decision


def _note_no(bench: Workbench, request: RouteRequest, tool: Tool) -> None:
    """The no to an offered tool counts as one to a selected tool."""
    note_of_tool(bench, request, tool, "rejected", tool.sha256)
    sentence = f"{tool.name}: {rejection(request, tool)}"
    request.trace.add("approve", decision="rejected", by="operator", sentence=sentence)


def _why_not(offer: Candidate, candidates: Sequence[Candidate], settings: Ranker) -> str:
    if micro(offer.score) < micro(settings.threshold):
        return f"below τ {settings.threshold:.2f}"
    return f"but {rejected_before(candidates)}"


def _offers(ranking: Ranking, floor: int) -> list[Candidate]:
    """What may be taken below tau: the best from `floor` on; to remove something, the best two."""
    prompt, candidates = ranking.parsed.request.asked, ranking.candidates
    if asks_to_remove(prompt):
        able = [one for one in candidates if one.matched and may_remove(one.tool)]
        return able[:2]
    return [one for one in candidates[:1] if micro(one.score) >= floor]
