"""The fifth stage: approval and promotion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core import __version__
from ..exit_codes import NEEDS_APPROVAL, UNSURE
from ..layout import is_slug
from ..promotion.approval import auto_approval
from ..promotion.pending import close_pending
from ..promotion.promotion import Promoter, Promotion
from ..promotion.promotion_draft import PromotionRequest
from ..ranking.tool_ranker import key_of
from ..types import Approval
from .after_trial import NOT_APPROVED, list_as_pending, note_in_history, rejection
from .request import Ending

if TYPE_CHECKING:
    from .route import TrialModule, TrialReport
    from .workbench import Workbench

ANSWERS = {
    True: "approved by a person.",
    False: NOT_APPROVED,
    None: "nobody answered, so it is not approved.",
}

SHARED_DOMAIN = "general"
"""Where a composition goes when the prompt names no domain."""


def approve(bench: Workbench, report: TrialReport) -> Approval | Ending:
    """The approval of a person, or of the rule when nobody can be asked."""
    module = report.module
    operator = bench.operator_for(module.request.mode)
    if operator is None:
        by, answer, code, sentence = _by_rule(bench, report)
    else:
        by, code = "operator", NEEDS_APPROVAL
        said_so = module.agreed and not module.runnable  # nothing was tried since
        answer = said_so or operator.agree(_question(module))
        sentence = ANSWERS[answer]
        if answer is False:
            sentence = rejection(module.request, module.tool)
    module.request.trace.add(
        "approve",
        decision={True: "approved", False: "rejected", None: "unanswered"}[answer],
        by=by,
        sentence=sentence,
        sha256=module.sha256,
    )
    if answer:
        return Approval(by, bench.time.stamp(), module.sha256)
    if operator is not None and answer is False:
        note_in_history(bench, module, "rejected")
    list_as_pending(bench, module, "rejected", sentence)
    return Ending(code, sentence)


def promote(bench: Workbench, module: TrialModule, approval: Approval) -> Promotion | None:
    """Promote the module; a server's tool has no record, only a history."""
    request, tool = module.request, module.tool
    if tool is not None and not tool.runnable:
        note_in_history(bench, module, "accepted")
        request.trace.add("promote", decision="accepted", was="accepted", tool=key_of(tool))
        return None
    promoter = Promoter(
        bench.layout, bench.clock, bench.identities, f"prefrontal {__version__}", bench.tz
    )
    promotion = promoter.promote(_promotion_request(bench, module, approval))
    request.trace.add(
        "promote",
        decision=promotion.was,
        artifacts=[promotion.path],
        was=promotion.was,
        path=bench.layout.relative(promotion.path),
        version=promotion.version,
        revision=promotion.revision,
        sha256=promotion.sha256,
        why=promotion.why,
        findings=[str(finding) for finding in promotion.findings],
    )
    if request.resumed:
        close_pending(bench.layout, bench.clock, request.trace.route_id, tz=bench.tz)
    return promotion


def _by_rule(bench: Workbench, report: TrialReport) -> tuple[str, bool | None, int, str]:
    module = report.module
    if module.widened and module.decision.policy != "generate":
        return "rule", False, UNSURE, "not approved: it was found by a widened search."
    if module.rivals:
        others = " and ".join(module.rivals)
        return "rule", False, UNSURE, f"not approved: {others} would fit as well; say which."
    if not module.runnable:
        return "rule", False, NEEDS_APPROVAL, _of_a_server(module)
    assert bench.runner is not None, "what was validated had a runner"
    verdict = auto_approval(
        module.intent,
        module.decision,
        report.validation,
        bench.settings,
        enforced=bench.runner.enforced,
        allow_generated=module.request.mode.allow_generated,
        uncovered=module.uncovered,
    )
    return "rule", verdict.approved, verdict.exit_code, verdict.sentence


def _of_a_server(module: TrialModule) -> str:
    assert module.tool is not None, "what cannot be run here is a tool of a server"
    where = f"runs on the server {module.tool.spec.path.stem}, so nothing was tried here"
    return f"not approved: {module.tool.name} {where}; it needs a person's yes."


def _question(module: TrialModule) -> str:
    name = module.tool.name if module.tool else module.path.name
    verbs = {"select": "Use", "compose": "Keep the composition", "generate": "Keep the generated"}
    others = f" ({' and '.join(module.rivals)} would fit as well)" if module.rivals else ""
    return f"{verbs[module.decision.policy]} {name}{others}?"


def _promotion_request(
    bench: Workbench, module: TrialModule, approval: Approval
) -> PromotionRequest:
    request, generated = module.request, module.decision.policy == "generate"
    domain, action = _place(module)
    return PromotionRequest(
        source=module.path,
        domain=domain,
        action=action,
        name=module.path.stem,
        description=request.description,
        run_id=request.trace.run_id,
        route_id=request.trace.route_id,
        approval=approval,
        intent=module.intent.intent,
        parts=module.parts,
        status="experimental" if generated else "stable",
        model=_model(bench, generated),
        rag={"enabled": bench.settings.rag_enabled, "index": None},
    )


def _place(module: TrialModule) -> tuple[str, str]:
    """The folder of a new tool: that of the existing tool, else that of the prompt."""
    intent, tool = module.intent, module.tool
    domain = (tool.domain if tool else None) or intent.domain or SHARED_DOMAIN
    action = (tool.action if tool else None) or intent.action or "composed"
    assert is_slug(domain) and is_slug(action), "folders have such names"
    return domain, action


def _model(bench: Workbench, generated: bool) -> dict[str, object]:
    model = bench.model if generated else None
    if model is None:
        return {"provider": "none", "name": None, "temperature": 0.0}
    return {"provider": model.provider, "name": model.name, "temperature": model.temperature}
