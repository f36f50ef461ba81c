"""The phases that only read: parse, clarify, discover, rank, decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ..catalog.discovery import CACHE_FOLDER, discover_all, narrowed, open_cache
from ..catalog.history import PastEvent, read_history
from ..plans.wiring import wire
from ..prompt.clarify import capped, question_for, resolve
from ..prompt.hints import Hint, HintIndex
from ..prompt.parser import by_ranking, clause_actions, parse
from ..prompt.passages import passages
from ..prompt.sub_intents import sub_intents
from ..prompt.taxonomy import Taxonomy
from ..ranking.decide import decide
from ..ranking.index_store import IndexStore
from ..ranking.precedence import tie_rule
from ..ranking.ranking import Ranking, key_of
from ..types import Candidate, Discovery, ParsedIntent, Plan, Tool
from .route import Phase, Route, candidate_event

if TYPE_CHECKING:
    from .router import Router


@dataclass(frozen=True, slots=True)
class Fit:
    """A tool's place and how well it fits a prompt, 0..1."""

    domain: str | None
    action: str | None
    score: float


def parse_prompt(router: Router, route: Route) -> Phase:
    """Find the domain and the action, from the words and from what was accepted before."""
    cache = open_cache(router.layout) if router.settings.cache_enabled else None
    route.every = discover_all(router.layout, cache=cache)
    taxonomy = route.taxonomy = Taxonomy.of(router.layout, route.every.tools)
    route.clauses = sub_intents(route.prompt, taxonomy.action_words())
    route.hints = _hints(router, route, taxonomy)
    threshold = router.settings.parser.threshold
    by_words = parse(
        route.prompt,
        taxonomy,
        clauses=route.clauses,
        hints=route.hints,
        embedder=router.embedder,
        threshold=threshold,
    )
    parsed = _by_experience(router, route, by_words)
    route.parsed = parsed
    route.trace.add(
        "parse",
        decision=f"domain={parsed.domain} action={parsed.action}",
        prompt=route.prompt,
        domain=parsed.domain,
        action=parsed.action,
        confidence=parsed.confidence,
        by_words=by_words.confidence,
        threshold=threshold,
        clauses=[clause.text for clause in route.clauses],
        rag_hits=[_hint_event(router, hint) for hint in route.hints],
    )
    return clarify


def clarify(router: Router, route: Route) -> Phase:
    """Ask the one question there may be; nobody there to ask leaves the best guess."""
    parsed, taxonomy = route.intent(), route.known()
    threshold = router.settings.parser.threshold
    question = question_for(parsed, taxonomy, threshold=threshold, clauses=route.clauses)
    if question is None:
        return find_tools
    operator = None if route.mode.plan_only else router.operator_for(route)
    reply = operator.answer(question.text) if operator else None
    if reply is not None:
        parsed = resolve(parsed, question, reply, taxonomy, clauses=route.clauses)
        route.parsed = parsed
    route.trace.add(
        "clarify",
        decision="skipped" if reply is None else "asked",
        question=question.text,
        choices=list(question.choices),
        answer=reply,
        domain=parsed.domain,
        action=parsed.action,
        confidence=parsed.confidence,
    )
    return find_tools


def find_tools(router: Router, route: Route) -> Phase:
    """The tools where the intent points, its clauses' actions included; all, if there are none."""
    also = clause_actions(route.prompt, route.known(), route.clauses)
    found = narrowed(route.all_tools(), route.intent(), also)
    if not any(tool.runnable for tool in found.tools):
        found = replace(route.all_tools(), search="widened")
    _keep(router, route, found)
    return rank_tools


def rank_tools(router: Router, route: Route) -> Phase:
    """Score what was found, for the prompt and for each of its clauses."""
    settings = router.settings.ranker
    ranking = _ranking(router, route)
    among = {key_of(tool) for tool in route.found().tools}
    route.candidates = ranking.candidates(route.prompt, route.clauses, among)
    top = route.candidates[0].score if route.candidates else None
    route.trace.add(
        "rank",
        candidates=len(route.candidates),
        features=list(route.candidates[0].features) if route.candidates else [],
        weights=settings.weights.model_dump(),
        top_score=None if top is None else round(top, 6),
        decision="ranked",
        threshold=settings.threshold,
        compose_margin=settings.compose_margin,
        harmless_first=settings.harmless_first,
        calibration=ranking.constants(route.prompt),
        relevance=round(ranking.relevance(route.prompt), 6),
        ranked=[candidate_event(one) for one in route.candidates],
        ties=ties(route.candidates, settings.harmless_first),
        findings=ranking.notes,
    )
    return choose


def choose(router: Router, route: Route) -> Phase:
    """Decide; before a tool is generated, look everywhere once."""

    def plan_for(chosen: Sequence[Candidate]) -> Plan | None:
        hints = [hint.passage.text for hint in route.hints]
        return wire(chosen, route.description, tools=route.found().tools, hints=hints)

    parsed = route.intent()
    decision = decide(
        route.route_id, parsed, route.candidates, route.clauses, router.settings.ranker, plan_for
    )
    exact = route.found().search == "exact"
    every = route.all_tools()
    if decision.policy == "generate" and exact and len(every.tools) > len(route.found().tools):
        route.before_widening = route.intent()
        _keep(router, route, replace(every, findings=(), search="widened"))
        return rank_tools
    if decision.policy == "generate" and route.before_widening is not None:
        route.parsed = route.before_widening  # nothing was taken from elsewhere
    from . import making  # here: what makes and tries modules takes its time to load

    decision = making.offer_nearest(router, route, decision)
    route.decision = decision
    route.trace.add(
        decision.policy,
        candidates=len(route.candidates),
        top_score=round(route.candidates[0].score, 6) if route.candidates else None,
        policy=decision.policy,
        decision=decision.reason,
        selected=[
            {"tool": key_of(route.tool_of(spec)), "entry": spec.entry, "score": spec.score}
            for spec in decision.selected
        ],
        plan=decision.plan,
        threshold=router.settings.ranker.threshold,
    )
    return making.after_decision(route)


def read_histories(
    tools: Sequence[Tool],
) -> tuple[dict[str, tuple[PastEvent, ...]], list[object]]:
    """Events of each tool by its key, and what could not be read of them."""
    by_folder: dict[object, list[Tool]] = {}
    for tool in tools:
        by_folder.setdefault(tool.spec.path.parent, []).append(tool)
    histories, findings = {}, list[object]()
    for members in by_folder.values():
        history = read_history(members[0].spec.path.parent)
        findings += history.findings
        for tool in members:
            events = history.of(tool.name if tool.runnable else key_of(tool))
            if events:
                histories[key_of(tool)] = events
    return histories, findings


def ties(candidates: Sequence[Candidate], harmless_first: bool) -> list[dict[str, str]]:
    """Neighbours with one score, and the rule that put one of them first."""
    pairs = pairwise(candidates)
    found = [(one, two, tie_rule(one, two, harmless_first)) for one, two in pairs]
    return [
        {"first": key_of(one.tool), "second": key_of(two.tool), "rule": rule}
        for one, two, rule in found
        if rule != "score"
    ]


def _ranking(router: Router, route: Route) -> Ranking:
    """Of every tool, built once a route: a tool's score does not depend on where one looks."""
    if route.ranking is None:
        tools = route.all_tools().tools
        histories, findings = read_histories(tools)
        store = IndexStore(_cache_folder(router))
        settings, now = router.settings.ranker, router.clock.now()
        route.ranking = Ranking(tools, histories, settings, now, router.embedder, store)
        route.ranking.notes += [str(finding) for finding in findings]
        route.ranking.notes += [store.note] * bool(store.note)
    return route.ranking


def _by_experience(router: Router, route: Route, parsed: ParsedIntent) -> ParsedIntent:
    """Where a tool was accepted before, how well it fits may say more than the words do."""
    if len(route.clauses) > 1 or not route.all_tools().tools:
        return parsed
    ranking = _ranking(router, route)
    if not ranking.knows_accepted():
        return parsed
    found = [one for one in ranking.candidates(route.prompt) if ranking.was_accepted(one.tool)]
    return by_ranking(parsed, [Fit(one.tool.domain, one.tool.action, one.score) for one in found])


def _keep(router: Router, route: Route, found: Discovery) -> None:
    route.discovery = found
    route.parsed = capped(route.intent(), found, router.settings.parser.threshold)
    shared = [tool for tool in found.tools if tool.shared]
    owners = {tool.name: tool for tool in found.tools if not tool.shared and tool.runnable}
    route.trace.add(
        "discover",
        candidates=len(found.tools),
        decision=found.search,
        search=found.search,
        tools=[key_of(tool) for tool in found.tools],
        shadowed=[
            {"shared": tool.relative, "chosen": owners[tool.name].relative}
            for tool in shared
            if tool.name in owners
        ],
        findings=[str(finding) for finding in found.findings],
    )


def _cache_folder(router: Router) -> Path | None:
    return router.layout.tmp / CACHE_FOLDER if router.settings.cache_enabled else None


def _hints(router: Router, route: Route, taxonomy: Taxonomy) -> tuple[Hint, ...]:
    if not router.settings.rag_enabled:
        return ()
    found, _ = passages(router.layout, route.all_tools().tools)
    return HintIndex(found, taxonomy).search(route.prompt)


def _hint_event(router: Router, hint: Hint) -> dict[str, object]:
    path, project = hint.passage.path, router.layout.root.parent
    shown = path.relative_to(project) if path.is_relative_to(project) else path
    return {"file": shown.as_posix(), "line": hint.passage.line, "score": hint.score}
