"""Select, compose or generate: a pure function of the parsed intent and the ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..plans.plan import plan_document
from ..types import Candidate, ParsedIntent, Plan, RouteDecision, SubIntent
from .coverage import Share, covers_all, needed_for_all, shares, tools_of
from .precedence import FOLLOWS, micro, rejected_before, shadowed, tie_key

if TYPE_CHECKING:
    from ...settings.routing import Ranker

PlanFor = Callable[[Sequence[Share]], Plan | None]

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """Scores in millionths. tau: to be selected; floor: to cover a clause, the margin less."""

    tau: int
    margin: int
    floor: int

    @classmethod
    def of(cls, settings: Ranker) -> Bar:
        """floor is tau less the margin, and never below 0."""
        tau, margin = micro(settings.threshold), micro(settings.compose_margin)
        return cls(tau, margin, max(0, tau - margin))


def decide(
    route_id: str,
    parsed: ParsedIntent,
    ranked: Sequence[Candidate],
    clauses: Sequence[SubIntent],
    settings: Ranker,
    plan_for: PlanFor,
) -> RouteDecision:
    """What to do with a prompt; the order of `ranked` does not matter.

    A candidate covers a clause when its score for the clause is at least tau less the margin; of
    one clause alone the candidate's own score speaks. In this order: a tool that reaches tau and
    covers every clause, and is at none of them worse than another by more than the margin, is
    selected; two or more tools that cover different clauses are composed, if `plan_for` (asked
    once, in the order of the clauses) has a plan for them; the first tool that reaches tau is
    selected; else one must be generated. What only FOLLOWS a rejected tool counts as below tau. A
    shared tool with the name of a domain tool is never
    selected, but may be a step.

    The score of a selected tool is the one it was taken by: in a composition, for its clause.
    Scores are compared in whole millionths. Raises InputError for scores outside 0..1 and for a
    candidate without a score for each of several clauses.
    """
    ordered = sorted(ranked, key=lambda one: tie_key(one, settings.harmless_first))
    bar, count = Bar.of(settings), len(clauses)
    eligible, warnings = shadowed(ordered, bar.floor)
    reaching = [candidate for candidate in eligible if micro(candidate.score) >= bar.tau]
    reaching = [candidate for candidate in reaching if FOLLOWS not in candidate.flags]
    needed = needed_for_all(eligible, count, bar.floor, bar.margin)
    whole = next((one for one in reaching if covers_all(one, needed)), None)
    if whole is not None:
        return _select(route_id, whole, _all_of_it(whole, count, bar), warnings)
    steps = shares(ordered, count, bar.floor)
    several = tools_of(steps) > 1
    plan = plan_for(steps) if several else None
    if plan is not None:
        return composed(route_id, plan, steps, clauses, bar)
    unwired = ("the tools that cover its clauses cannot be wired",) if several else ()
    if reaching:
        return _select(route_id, reaching[0], _best_of_it(reaching[0], bar), unwired + warnings)
    reason = _sentence(_nothing(parsed, eligible, bar), unwired + warnings)
    return RouteDecision(route_id, "generate", [], None, reason)


def shown(score: int) -> str:
    """Millionths as a figure with two decimals, or with as many as it takes to be exact."""
    text = f"{score // 1_000_000}.{score % 1_000_000:06d}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.ljust(2, '0')}"


def _select(route_id: str, choice: Candidate, why: str, notes: Sequence[str]) -> RouteDecision:
    if not choice.tool.runnable:
        notes = ("it cannot be run here", *notes)
    spec = replace(choice.tool.spec, score=micro(choice.score) / 1e6)
    return RouteDecision(route_id, "select", [spec], None, _sentence(why, notes))


def composed(
    route_id: str, plan: Plan, parts: Sequence[Share], clauses: Sequence[SubIntent], bar: Bar
) -> RouteDecision:
    """The decision for that plan, with what each step is for and what nothing covers."""
    specs = [replace(share.candidate.tool.spec, score=share.score / 1e6) for share in parts]
    steps = ", ".join(
        f"{_name(share.candidate)} {shown(share.score)} for "
        + " and ".join(repr(clauses[place].text) for place in share.clauses)
        for share in parts
    )
    covered = {place for share in parts for place in share.clauses}
    missing = [f"nothing covers {one.text!r}" for i, one in enumerate(clauses) if i not in covered]
    why = f"{len(parts)} steps of at least {shown(bar.floor)} cover {len(covered)} of "
    why += f"{len(clauses)} clauses: {steps}"
    document = plan_document(plan)
    return RouteDecision(route_id, "compose", specs, document, _sentence(why, missing))


def _all_of_it(choice: Candidate, count: int, bar: Bar) -> str:
    extent = f" and covers all {count} clauses" if count > 1 else ""
    return f"{_reaches(choice, bar)}{extent}"


def _best_of_it(choice: Candidate, bar: Bar) -> str:
    return f"{_reaches(choice, bar)}, though it does not cover every clause"


def _reaches(choice: Candidate, bar: Bar) -> str:
    return f"{_name(choice)} has {shown(micro(choice.score))}, at least tau {shown(bar.tau)}"


def _nothing(parsed: ParsedIntent, eligible: Sequence[Candidate], bar: Bar) -> str:
    place = f"domain={parsed.domain or '?'} action={parsed.action or '?'}"
    if not eligible:
        return f"there is no tool for {place}"
    nearest = ", ".join(f"{_name(one)} {shown(micro(one.score))}" for one in eligible[:_NEAREST])
    rejected = rejected_before(eligible)
    also = f"; {rejected}" if rejected else ""
    if micro(eligible[0].score) >= bar.tau:
        return f"no tool for {place} may be taken unasked; nearest: {nearest}{also}"
    return f"no tool for {place} reaches tau {shown(bar.tau)}; nearest: {nearest}{also}"


def _name(candidate: Candidate) -> str:
    tool = candidate.tool
    return f"{tool.spec.path.name}::{tool.spec.entry}" if tool.runnable else tool.name


def _sentence(why: str, notes: Sequence[str]) -> str:
    return "; ".join([why, *notes]) + "."
