"""A log record for each escalation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pulse.prefrontal import EscalationDecision
    from ..pulse.shells.watch import Watch

log = logging.getLogger("prefrontal.wakes")


def log_wakes(registry: Watch, *, questions: bool = False) -> Callable[[], None]:
    """Log each wake and audit at level INFO; calling the answer ends that.

    The record's `decision` holds decision_id, module, reason and score and, when `questions` is
    set, the question, which shows paths and texts. What slept is counted, not logged.
    """

    def handler(decision: EscalationDecision) -> None:
        told: dict[str, object] = {
            "decision_id": decision.activation_id,
            "module": decision.module_id,
            "reason": str(decision.reason),
            "score": float(decision.confidence),
        }
        if questions:
            told["question"] = decision.question
        log.info("%s: %s", decision.module_id, decision.reason, extra={"decision": told})

    return registry.on_escalation(handler)
