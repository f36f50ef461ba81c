"""The phases at the end: validate, approve, promote; and what the project learns from each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog.history import Event, remember
from ..exit_codes import INVALID, NEEDS_APPROVAL, NO_SANDBOX, OK, UNSURE
from ..layout import is_slug
from ..promotion.approval import auto_approval
from ..promotion.pending import PendingRoute, Why, add_pending, close_pending
from ..promotion.promotion import Promoter
from ..promotion.promotion_draft import PromotionRequest
from ..ranking.coverage import uncovered
from ..ranking.decide import Bar
from ..ranking.ranking import key_of
from ..trials.validation import validate
from ..types import Approval
from .route import Phase, Route

if TYPE_CHECKING:
    from .router import Router

ANSWERS = {
    True: "approved by a person.",
    False: "not approved by a person.",
    None: "nobody answered, so it is not approved.",
}

SHARED_DOMAIN = "general"
"""Where a composition goes when the prompt names no domain."""


def validate_module(router: Router, route: Route) -> Phase | None:
    """Try the module where it cannot hurt."""
    assert router.runner is not None, "a route that validates needs a runner"
    assert route.module is not None, "a module is chosen first"
    with router.waiting(f"trying {route.module.name} out"):
        report = validate(
            route.module,
            layout=router.layout,
            route_id=route.route_id,
            runner=router.runner,
            settings=router.settings,
            trace=route.trace,
            clock=router.clock,
            day=router.time.day(),
            generated=route.tool is None,
            example=route.tool.example if route.tool else None,
            expected_sha256=route.sha256,
            allow_weak_sandbox=route.mode.allow_weak_sandbox,
        )
    route.report = report
    weak = not (router.runner.enforced or route.mode.allow_weak_sandbox)
    if not weak:  # a machine without a sandbox says nothing of the tool
        _remember(router, route, "validation_ok" if report.ok else "failed")
    if not report.ok:
        route.end(NO_SANDBOX if weak else INVALID, f"validation {report.summary}")
        _wait(router, route, "invalid", report.summary)
        return None
    if route.mode.dry_run:
        route.end(OK, "dry run: nothing was kept.")
        return None
    return approve


def approve(router: Router, route: Route) -> Phase | None:
    """By a person, or by the rule when nobody is there."""
    operator = router.operator_for(route)
    if operator is None:
        by, answer, code, sentence = _by_rule(router, route)
    else:
        by, answer, code = "operator", operator.agree(_question(route)), NEEDS_APPROVAL
        sentence = ANSWERS[answer]
    route.trace.add(
        "approve",
        decision={True: "approved", False: "rejected", None: "unanswered"}[answer],
        by=by,
        sentence=sentence,
        sha256=route.sha256,
    )
    if answer:
        route.approval = Approval(by, router.time.stamp(), route.sha256)
        return promote
    if operator is not None and answer is False:
        _remember(router, route, "rejected")
    _wait(router, route, "rejected", sentence)
    route.end(code, sentence)
    return None


def promote(router: Router, route: Route) -> None:
    """Keep it, with its record; a tool of a server has none, only its history."""
    assert route.approval is not None and route.module is not None, "approve comes first"
    if route.tool is not None and not route.tool.runnable:
        _remember(router, route, "accepted")
        route.trace.add("promote", decision="accepted", was="accepted", tool=key_of(route.tool))
        route.end(OK, f"{route.tool.name} is the tool; it runs on its server.")
        return
    parsed = route.intent()
    domain, action = _place(route)
    promoter = Promoter(router.layout, router.clock, router.identities, _created_by(), router.tz)
    done = promoter.promote(
        PromotionRequest(
            source=route.module,
            domain=domain,
            action=action,
            name=route.module.stem,
            description=route.description,
            run_id=route.run_id,
            route_id=route.route_id,
            approval=route.approval,
            intent=parsed.intent,
            status="experimental" if route.chosen().policy == "generate" else "stable",
            model=_model(router, route),
            rag={"enabled": router.settings.rag_enabled, "index": None},
        )
    )
    route.promoted = done.path
    route.trace.add(
        "promote",
        decision=done.was,
        artifacts=[done.path],
        was=done.was,
        path=router.layout.relative(done.path),
        version=done.version,
        revision=done.revision,
        sha256=done.sha256,
        why=done.why,
        findings=[str(finding) for finding in done.findings],
    )
    if route.resumed:
        close_pending(router.layout, router.clock, route.route_id, tz=router.tz)
    route.end(OK, "kept.")


def _by_rule(router: Router, route: Route) -> tuple[str, bool | None, int, str]:
    if route.tool is not None and not route.tool.runnable:
        return "rule", False, UNSURE, f"{route.tool.name} cannot be run here, so nothing was tried."
    widened = route.discovery is not None and route.discovery.search == "widened"
    if widened and route.chosen().policy != "generate":
        return "rule", False, UNSURE, "not approved: it was found by a widened search."
    assert router.runner is not None
    verdict = auto_approval(
        route.intent(),
        route.chosen(),
        route.report,
        router.settings,
        enforced=router.runner.enforced,
        allow_generated=route.mode.allow_generated,
        uncovered=_uncovered(router, route),
    )
    return "rule", verdict.approved, verdict.exit_code, verdict.sentence


def _uncovered(router: Router, route: Route) -> list[str]:
    """Clauses of the prompt that the chosen tools do not serve."""
    floor = Bar.of(router.settings.ranker).floor
    count = len(route.clauses)
    places = uncovered(route.chosen().selected, route.candidates, count, floor)
    return [route.clauses[place].text for place in places]


def _question(route: Route) -> str:
    assert route.module is not None
    where = route.tool.name if route.tool else route.module.name
    made = {"select": "Use", "compose": "Keep the composition", "generate": "Keep the generated"}
    return f"{made[route.chosen().policy]} {where}?"


def _place(route: Route) -> tuple[str, str]:
    """Where a new tool belongs: the place of the prompt, or of the tool that is already there."""
    parsed, tool = route.intent(), route.tool
    domain = (tool.domain if tool else None) or parsed.domain or SHARED_DOMAIN
    action = (tool.action if tool else None) or parsed.action or "composed"
    assert is_slug(domain) and is_slug(action), "folders have such names"
    return domain, action


def _wait(router: Router, route: Route, why: Why, summary: str) -> None:
    """A module that was made for this route may be taken up again; a tool lies where it lay."""
    if route.tool is not None or route.module is None or route.mode.dry_run:
        return
    parsed, decision = route.intent(), route.chosen()
    waiting = PendingRoute(
        route_id=route.route_id,
        run_id=route.run_id,
        why=why,
        prompt=route.prompt,
        domain=parsed.domain,
        action=parsed.action,
        policy=decision.policy,
        module=router.layout.relative(route.module),
        sha256=route.sha256,
        description=route.description,
        summary=summary,
        plan=decision.plan,
    )
    add_pending(router.layout, router.clock, waiting, tz=router.tz)


def _remember(router: Router, route: Route, event: Event) -> None:
    """A line in the history of an existing tool; a module on trial and a dry run leave none."""
    if route.tool is None or route.module is None or route.mode.dry_run:
        return
    intent = route.prompt if event in {"accepted", "rejected"} else None
    remember(
        router.layout,
        router.clock,
        route.module,
        event,
        route.sha256,
        route_id=route.route_id,
        intent=intent,
        tz=router.tz,
        name=None if route.tool.runnable else key_of(route.tool),
    )


def _model(router: Router, route: Route) -> dict[str, object]:
    model = router.model if route.chosen().policy == "generate" else None
    if model is None:
        return {"provider": "none", "name": None, "temperature": 0.0}
    return {"provider": model.provider, "name": model.name, "temperature": model.temperature}


def _created_by() -> str:
    from ... import __version__

    return f"prefrontal {__version__}"
