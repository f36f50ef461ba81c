"""Whether a route may be kept without asking, and its exit code if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..exit_codes import INVALID, NEEDS_APPROVAL, NO_SANDBOX, OK, UNSURE
from ..ranking.decide import shown
from ..ranking.precedence import micro

if TYPE_CHECKING:
    from ...settings.routing import Routing
    from ..types import ParsedIntent, RouteDecision, ValidationReport


@dataclass(frozen=True, slots=True)
class ApprovalVerdict:
    """approved: keep it. exit_code: 0 exactly then. sentence: every reason, the first decides."""

    approved: bool
    exit_code: int
    sentence: str


def auto_approval(
    parsed: ParsedIntent,
    decision: RouteDecision,
    report: ValidationReport | None,
    settings: Routing,
    *,
    enforced: bool,
    allow_generated: bool = False,
    uncovered: Sequence[str] = (),
) -> ApprovalVerdict:
    """Whether `--non-interactive` keeps the route.

    Only with enough confidence, a domain and an action that were both found (no widened search),
    every selected tool at tau (a step of a composition may be below it: then a person must agree),
    nothing generated unless `allow_generated`, a sandbox that confines (`enforced`), and a
    validation that passed. report: None when nothing was validated. uncovered: clauses of the
    prompt that no selected tool serves; with one of them a person must agree.
    """
    objections = [
        *_about_parsing(parsed, settings),
        *_about_scores(decision, settings),
        *[(UNSURE, f"nothing covers {clause!r}") for clause in uncovered],
        *_about_origin(decision, allow_generated),
        *([] if enforced else [(NO_SANDBOX, "the sandbox does not confine it")]),
        *_about_validation(report),
    ]
    if not objections:
        return ApprovalVerdict(
            True, OK, "approved: confidence, scores and validation are good enough."
        )
    reasons = "; ".join(reason for _, reason in objections)
    return ApprovalVerdict(False, objections[0][0], f"not approved: {reasons}.")


def _about_parsing(parsed: ParsedIntent, settings: Routing) -> list[tuple[int, str]]:
    reasons = []
    least, confidence = micro(settings.parser.threshold), micro(parsed.confidence)
    if confidence < least:
        reasons.append((UNSURE, f"confidence {shown(confidence)} is below {shown(least)}"))
    for name, value in (("domain", parsed.domain), ("action", parsed.action)):
        if value is None:
            reasons.append((UNSURE, f"no {name} was found"))
    return reasons


def _about_scores(decision: RouteDecision, settings: Routing) -> list[tuple[int, str]]:
    tau = micro(settings.ranker.threshold)
    return [
        (UNSURE, f"{spec.path.name} has {shown(micro(spec.score))}, below tau {shown(tau)}")
        for spec in decision.selected
        if micro(spec.score) < tau
    ]


def _about_origin(decision: RouteDecision, allow_generated: bool) -> list[tuple[int, str]]:
    if decision.policy == "generate":
        if not allow_generated:
            return [(NEEDS_APPROVAL, "generated code needs a person's approval")]
    elif not decision.selected:
        return [(UNSURE, "no tool was selected")]
    return []


def _about_validation(report: ValidationReport | None) -> list[tuple[int, str]]:
    if report is None:
        return [(INVALID, "it was not validated")]
    return [] if report.ok else [(INVALID, f"validation failed ({report.summary.rstrip('.')})")]
