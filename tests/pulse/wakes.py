"""A wake to hand over."""

from __future__ import annotations

from prefrontal.pulse.prefrontal import EscalationDecision
from prefrontal.types import Reason, SignalEvent


def wake(
    location: str = "/in/a b.pdf", question: str = "New: /in/a b.pdf?", timestamp: float = 1.5
) -> EscalationDecision:
    event = SignalEvent("filesystem", location, "created", 1.0, timestamp)
    return EscalationDecision("inv", True, question, 0.9, (event,), "f" * 32, Reason.WOKE)
