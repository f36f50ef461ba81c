"""Asks which of several tools is meant that fit a prompt equally well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..ranking.decide import shown
from ..ranking.precedence import micro
from ..ranking.rivals import rivals
from ..types import Candidate, RouteDecision

if TYPE_CHECKING:
    from .route import Ranking
    from .workbench import Workbench

MOST_CHOICES = 5


@dataclass(frozen=True, slots=True)
class MeantTool:
    """rivals: names of tools that fit as well. agreed: whether a person said that it is meant."""

    decision: RouteDecision
    rivals: tuple[str, ...] = ()
    agreed: bool = False


def which_tool(bench: Workbench, ranking: Ranking, decision: RouteDecision) -> MeantTool:
    """The decision, for the tool that a person says is meant, and the names of rivals left.

    Without an answer it is the best tool, with its rivals. At most one question is asked in a
    route: after one about the folder the rivals are named only. A prompt of several clauses may
    mean several tools, so nobody is asked.
    """
    if decision.policy != "select" or len(ranking.parsed.clauses) > 1:
        return MeantTool(decision)
    choices = _labelled(rivals(ranking.candidates, bench.settings.ranker)[:MOST_CHOICES])
    if not choices or not _is_open(decision, choices):
        return MeantTool(decision)
    chosen = _answer(bench, ranking, choices)
    if chosen is not None:
        reason = f"{_has(chosen)}; a person said so."
        return MeantTool(_selected(decision, chosen, reason), agreed=True)
    (_, best), *others = choices.items()
    also = " and ".join(f"{name} {_score(one)}" for name, one in others)
    reason = f"{_has(best)}, and {also}: either may be meant."
    return MeantTool(_selected(decision, best, reason), tuple(name for name, _ in others))


def _is_open(decision: RouteDecision, choices: Mapping[str, Candidate]) -> bool:
    """Whether the decision is no other tool than one of the choices."""
    places = [one.tool.spec.place for one in choices.values()]
    return all(spec.place in places for spec in decision.selected)


def _labelled(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    """By name, or by path where two have one name."""
    names = [one.tool.name for one in candidates]
    return {
        one.tool.name if names.count(one.tool.name) == 1 else one.tool.relative: one
        for one in candidates
    }


def _answer(
    bench: Workbench, ranking: Ranking, choices: Mapping[str, Candidate]
) -> Candidate | None:
    """The tool that a person says is meant; None without an answer that names one."""
    parsed, intent = ranking.parsed, ranking.intent
    if parsed.asked:
        return None
    request = parsed.request
    *front, last = choices
    question = f"tool={', '.join(front)} or {last}?"
    operator = None if request.mode.plan_only else bench.operator_for(request.mode)
    reply = operator.answer(question) if operator else None
    choice = _meant(reply or "", choices)
    request.trace.add(
        "clarify",
        decision="skipped" if reply is None else "asked",
        question=question,
        choices=list(choices),
        answer=reply,
        understood=choice is not None,
        domain=intent.domain,
        action=intent.action,
        confidence=intent.confidence,
    )
    return choice


def _meant(reply: str, choices: Mapping[str, Candidate]) -> Candidate | None:
    """A number from 1 on, or a name in any case."""
    text = reply.strip().casefold().removeprefix("tool=").strip()
    if text.isascii() and text.isdigit():
        place = int(text[:9])
        return list(choices.values())[place - 1] if 1 <= place <= len(choices) else None
    by_name = {name.casefold(): one for name, one in choices.items()}
    return by_name.get(text) or by_name.get(text.replace(" ", "_"))


def _selected(decision: RouteDecision, choice: Candidate, reason: str) -> RouteDecision:
    spec = replace(choice.tool.spec, score=micro(choice.score) / 1e6)
    return replace(decision, policy="select", selected=[spec], reason=reason)


def _has(candidate: Candidate) -> str:
    return f"{candidate.tool.name} has {_score(candidate)}"


def _score(candidate: Candidate) -> str:
    return shown(micro(candidate.score))
