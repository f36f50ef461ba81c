"""The second stage: the tools where a prompt points, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..catalog.discovery import narrowed
from ..prompt.clarify import capped
from ..prompt.parser import clause_actions
from ..ranking.precedence import micro, tie_rule
from ..ranking.tool_ranker import key_of
from .route import ParsedPrompt, Ranking

if TYPE_CHECKING:
    from ..types import Candidate, Discovery, ParsedIntent
    from .workbench import Workbench


def rank(bench: Workbench, parsed: ParsedPrompt) -> Ranking:
    """Rank the tools where the intent points, and those that the prompt calls by name; all, if none
    of them runs.

    All of them, too, where the folder is no more than a guess, where no tool lies in one, and for
    several clauses, each of which may be for another folder.
    """
    also = clause_actions(parsed.request.asked, parsed.taxonomy, parsed.clauses)
    discovery = narrowed(parsed.tools, parsed.intent, also)
    sure = parsed.is_sure(bench.settings.parser.threshold)
    if not _has_folders(parsed):
        discovery = replace(parsed.tools, search="everywhere")
    elif not any(tool.runnable for tool in discovery.tools):
        discovery = replace(parsed.tools, search="widened")
    elif not sure or len(parsed.clauses) > 1:
        discovery = replace(parsed.tools, search="everywhere")
    else:
        discovery = _with_those_by_name(parsed, discovery)
    return _rank(bench, parsed, parsed.intent, discovery)


def rank_everywhere(bench: Workbench, ranking: Ranking) -> Ranking:
    """Rank all tools of the project; what could not be read of them was said before."""
    discovery = replace(ranking.parsed.tools, findings=(), search="widened")
    return _rank(bench, ranking.parsed, ranking.intent, discovery)


def ties(candidates: Sequence[Candidate], harmless_first: bool) -> list[dict[str, str]]:
    """Neighbours with one score, and the rule that put one of them first."""
    pairs = [
        (one, two) for one, two in pairwise(candidates) if micro(one.score) == micro(two.score)
    ]
    rules = [(one, two, tie_rule(one, two, harmless_first)) for one, two in pairs]
    return [
        {"first": key_of(one.tool), "second": key_of(two.tool), "rule": rule}
        for one, two, rule in rules
    ]


def _has_folders(parsed: ParsedPrompt) -> bool:
    """Whether any tool lies in a folder; those of servers lie in none."""
    return any(tool.action is not None for tool in parsed.tools.tools)


def _with_those_by_name(parsed: ParsedPrompt, discovery: Discovery) -> Discovery:
    """With the tools elsewhere that the prompt calls by their whole names."""
    keys = parsed.ranker.by_name(parsed.request.asked) - {key_of(one) for one in discovery.tools}
    more = [tool for tool in parsed.tools.tools if key_of(tool) in keys]
    return replace(discovery, tools=(*discovery.tools, *more)) if more else discovery


def _rank(
    bench: Workbench, parsed: ParsedPrompt, intent: ParsedIntent, discovery: Discovery
) -> Ranking:
    """Score what was discovered, for the prompt and for each of its clauses."""
    request, ranker, settings = parsed.request, parsed.ranker, bench.settings.ranker
    unsure = _has_folders(parsed) and not parsed.is_sure(bench.settings.parser.threshold)
    request.trace.add("discover", **_discover_event(discovery), unsure=unsure)
    among = {key_of(tool) for tool in discovery.tools}
    candidates = ranker.candidates(request.asked, parsed.clauses, among)
    request.trace.add(
        "rank",
        candidates=len(candidates),
        features=list(candidates[0].features) if candidates else [],
        weights=settings.weights.model_dump(),
        top_score=round(candidates[0].score, 6) if candidates else None,
        decision="ranked",
        threshold=settings.threshold,
        compose_margin=settings.compose_margin,
        harmless_first=settings.harmless_first,
        calibration=ranker.constants(request.asked),
        relevance=round(ranker.relevance(request.asked), 6),
        ranked=[_candidate_event(one) for one in candidates],
        ties=ties(candidates, settings.harmless_first),
        findings=ranker.notes,
    )
    intent = capped(intent, discovery, bench.settings.parser.threshold)
    return Ranking(parsed, intent, discovery, candidates)


def _discover_event(discovery: Discovery) -> dict[str, Any]:
    shared = [tool for tool in discovery.tools if tool.shared]
    owners = {tool.name: tool for tool in discovery.tools if not tool.shared and tool.runnable}
    return {
        "candidates": len(discovery.tools),
        "decision": discovery.search,
        "search": discovery.search,
        "tools": [key_of(tool) for tool in discovery.tools],
        "shadowed": [
            {"shared": tool.relative, "chosen": owners[tool.name].relative}
            for tool in shared
            if tool.name in owners
        ],
        "findings": [str(finding) for finding in discovery.findings],
    }


def _candidate_event(candidate: Candidate) -> dict[str, Any]:
    """A candidate as the trace keeps it."""
    return {
        "tool": candidate.tool.relative,
        "name": candidate.tool.name,
        "shared": candidate.tool.shared,
        "runnable": candidate.tool.runnable,
        "score": micro(candidate.score) / 1e6,
        "features": {name: round(value, 6) for name, value in candidate.features.items()},
        "matched": list(candidate.matched),
        "clauses": [round(score, 6) for score in candidate.clauses],
        "flags": list(candidate.flags),
    }
