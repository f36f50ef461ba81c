"""The gate's last layer as it was first, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

from ..errors import shown
from ..pulse.asking import question as asked
from ..types import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..decisions.decision import Decision
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..types import SignalEvent


@dataclass(frozen=True, slots=True)
class EscalationDecision:
    """What the gate decided about one window for one module.

    question: what to ask the agent; None when it is not woken.
    confidence: the score, as it was handed in.
    window: the events that were judged; the caller's own sequence, not a copy.
    activation_id: what feedback and `explain` ask for; None outside a registry.
    reason: why, as a code of `prefrontal.types.Reason`; empty outside a registry.
    audit: the agent would have slept; it is woken now to learn whether that is right.

    Raises ValueError for an escalation without a question: the agent is never woken for nothing.
    """

    module_id: str
    should_escalate: bool
    question: str | None
    confidence: float
    window: Sequence[SignalEvent]
    activation_id: str | None = None
    reason: str = ""
    audit: bool = False

    def __post_init__(self) -> None:
        if not self.should_escalate:
            return
        if not isinstance(self.question, str) or not self.question.strip():
            raise ValueError(
                f"question must be a non-blank string when should_escalate is True, "
                f"got {shown(self.question)}"
            )


class PrefrontalLayer:
    """Lets a score at or above its threshold through, if there is a question to ask.

    threshold: 0..1. It gates every module; a fingerprint's `default_threshold` is not read here.
    """

    __slots__ = ("_threshold",)

    def __init__(self, threshold: float = 0.65) -> None:
        self.set_threshold(threshold)

    @property
    def threshold(self) -> float:
        """The score from which a window may escalate, 0..1."""
        return self._threshold

    def set_threshold(self, t: float) -> None:
        """Replace the threshold. Raises ValueError outside 0..1, TypeError for no number."""
        if not isinstance(t, bool):
            _require_number("threshold", t)
        if isinstance(t, bool) or not 0 <= t <= 1:
            raise ValueError(f"threshold must be a number in 0..1, got {shown(t)}")
        self._threshold = float(t)

    def evaluate(
        self,
        module_id: str,
        score: float,
        window: Sequence[SignalEvent],
        fingerprint: ModuleFingerprint,
    ) -> EscalationDecision:
        """Gate the score and form the question about the window's last event.

        A score equal to the threshold passes; NaN never does. Refused, too, without an error:
        a template that is missing, blank or broken, and a question that comes out blank (an
        empty window has the location ""). Raises TypeError when the score is not a number.
        """
        _require_number("score", score)
        question = None
        if score >= self._threshold:  # False for NaN
            question = asked(fingerprint.question_template, module_id, window)
        return EscalationDecision(module_id, question is not None, question, score, window)


def _require_number(name: str, value: object) -> None:
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, Real)):
        raise TypeError(f"{name} must be a number, got {shown(value)}")


def escalation(decision: Decision) -> EscalationDecision:
    """The decision in the spelling of before; it must be a wake that was asked."""
    return EscalationDecision(
        decision.subject,
        decision.acted,
        decision.question,
        decision.score,
        decision.window,
        decision.id,
        decision.reason,
        decision.reason == Reason.AUDIT,
    )
