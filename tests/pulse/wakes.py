"""A wake to hand over."""

from __future__ import annotations

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import WakePayload
from prefrontal.types import Reason, SignalEvent


def wake(
    location: str = "/in/a b.pdf", question: str = "New: /in/a b.pdf?", timestamp: float = 1.5
) -> Decision:
    event = SignalEvent("filesystem", location, "created", 1.0, timestamp)
    return Decision(
        "f" * 32, timestamp, "inv", True, Reason.WOKE, 0.9, 0.6, question, 1.0, (event,),
        WakePayload("5ce340fe"),
    )  # fmt: skip
