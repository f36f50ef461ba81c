"""Compositions with tools of servers: planned and told, never tried or kept here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..exit_codes import NEEDS_APPROVAL, OK
from ..plans.plan import plan_document
from ..plans.steps import mark_servers, server_notes
from ..plans.wiring import wire
from ..ranking.coverage import clause_scores, shares, texts_of, tools_of, uncovered
from ..ranking.decide import Bar, composed
from .request import Ending

if TYPE_CHECKING:
    from ..types import RouteDecision
    from .request import Mode
    from .route import Ranking
    from .workbench import Workbench


def with_servers(bench: Workbench, ranking: Ranking, decision: RouteDecision) -> RouteDecision:
    """The decision, or a composition with tools of servers where these serve a clause for which
    the decision has no tool, or are called by their names.
    """
    clauses, candidates = ranking.parsed.clauses, ranking.candidates
    bar = Bar.of(bench.settings.ranker)
    if len(clauses) < 2 or all(one.tool.runnable for one in candidates):
        return decision
    if _serves_all(ranking, decision, bar):
        return decision
    steps = shares(candidates, len(clauses), bar.floor, handicap=bar.margin)
    if tools_of(steps) < 2 or all(share.candidate.tool.runnable for share in steps):
        return decision
    description = ranking.parsed.request.description
    chosen = [share.candidate for share in steps]
    texts, tools = texts_of(steps, clauses), ranking.discovery.tools
    plan = wire(chosen, description, texts=texts, tools=tools, servers=True)
    if plan is None:
        return decision
    composition = composed(decision.route_id, plan, steps, clauses, bar)
    document = plan_document(plan)
    mark_servers(document, (one.tool for one in chosen))
    return replace(composition, plan=document)


def untried(decision: RouteDecision, mode: Mode) -> Ending | None:
    """Where a composition with steps on servers stops; None for any other decision."""
    notes = server_notes(decision.plan)
    if not notes:
        return None
    code = OK if mode.dry_run or mode.interactive else NEEDS_APPROVAL
    return Ending(code, f"{'; '.join(notes)}; so nothing was tried or kept, the plan says how.")


def _serves_all(ranking: Ranking, decision: RouteDecision, bar: Bar) -> bool:
    """Whether the decision has a tool for each clause that any tool serves, and every tool of a
    server that the prompt calls by its name.
    """
    places = {spec.place for spec in decision.selected}
    count, candidates = len(ranking.parsed.clauses), ranking.candidates
    by_name = {one.tool.spec.place for one in candidates if one.by_name and not one.tool.runnable}
    left = uncovered(decision.selected, candidates, count, bar.floor)
    scores = [clause_scores(one, count) for one in candidates]
    return by_name <= places and all(row[clause] < bar.floor for row in scores for clause in left)
