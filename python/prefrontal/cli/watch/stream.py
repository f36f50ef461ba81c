"""A watch as the command of an OpenClaw stream schedule: a line on standard output wakes the agent.

OpenClaw takes the lines of standard error, too, so nothing but faults is said there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pulse.sinks import DeliveryOutcome

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from .screen import Screen

OPENCLAW_STREAM = "openclaw-stream"
"""The name of the format, and of the sink in the log."""
GIVE_UP_S = 86_400.0
MARK = "wake: "
"""How each line begins, for `--stream-mode match --stream-match '^wake: '`."""
LONGEST_LINE = 4_000
"""Characters; OpenClaw cuts a batch at 16,384 bytes."""


class OpenClawStream:
    """The role `Sink`: a line is what a question becomes; `screen` prints it.

    It is durable: what a killed watch had decided and not printed is printed at the next start.
    """

    def __init__(self) -> None:
        self.screen: Screen | None = None

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        if self.screen is None or not self.screen.line(stream_line(decision)):
            return DeliveryOutcome(ok=False, detail="nobody reads standard output", down_for_s=1.0)
        return DeliveryOutcome(ok=True, detail="printed")

    def close(self) -> None: ...


def stream_line(decision: Decision) -> str:
    """The question and the id, on one line."""
    question = " ".join((decision.question or "").split())
    if len(question) > LONGEST_LINE:
        question = question[: LONGEST_LINE - 1] + "…"
    return f"{MARK}{question} [{decision.id}]"
