"""A log record for each escalation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..decisions.document import mention

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..pulse.shells.watch import Watch

log = logging.getLogger("prefrontal.wakes")


def log_wakes(registry: Watch, *, questions: bool = False) -> Callable[[], None]:
    """Log each wake and audit at level INFO; calling the answer ends that.

    The record's `decision` holds id, kind, subject, acted, reason and score and, when `questions`
    is set, the question, which shows paths and texts. What slept is counted, not logged.
    """

    def handler(decision: Decision) -> None:
        text = mention(decision)
        if questions:
            text["question"] = decision.question
        log.info("%s: %s", decision.subject, decision.reason, extra={"decision": text})

    return registry.on_wake(handler)
