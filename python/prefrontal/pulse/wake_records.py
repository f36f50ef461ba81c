"""What the gate knows of a module, a refusal and a group, and the records it makes of decisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ..decisions.log import Decision
from .recall.audit import LiveRecall

if TYPE_CHECKING:
    from ..types import Reason, SignalEvent
    from .fingerprint import ModuleFingerprint
    from .limbic import LimbicLayer
    from .moment import Moment
    from .prefrontal import EscalationDecision

REASONS = 12
"""Most reasons that a record names for a score."""

_SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835


@dataclass(slots=True)
class Module:
    """One registered module: its fingerprint, the score it wakes at, and what labels said.

    floor: the threshold it has when nothing else is said. wished: whether a person set it.
    """

    fingerprint: ModuleFingerprint
    threshold: float
    recall: LiveRecall = field(default_factory=LiveRecall)
    floor: float = field(init=False)
    wished: bool = False

    def __post_init__(self) -> None:
        self.floor = self.threshold

    def move(self, wish: float | None, recall: float | None) -> None:
        """Let the threshold follow: a person's wish, else the recall to keep, else the floor."""
        moved = None if recall is None else self.recall.threshold(recall)
        self.wished = wish is not None
        if wish is not None:
            self.threshold = wish
        else:
            self.threshold = self.floor if moved is None else moved


class Refusal(NamedTuple):
    """A window that woke nobody: who was asked, with which score, and why not.

    more: details besides those of the moment.
    """

    number: int
    moment: Moment
    window: tuple[SignalEvent, ...]
    module_id: str
    score: float
    threshold: float
    reason: Reason
    more: dict[str, Any] | None


@dataclass(slots=True)
class WindowGroup:
    """Wakes of one module that are asked as one when the time is up."""

    due: float
    moments: list[Moment]
    window: list[SignalEvent]
    score: float

    def details(self, closed: bool) -> dict[str, Any]:
        """What the record keeps of the events that were gathered."""
        told = [each.details() | {"time": each.time} for each in self.moments]
        return {"gathered": told, "closed": True} if closed else {"gathered": told}


class WakeRecords:
    """Makes the records of one start. run: eight hexadecimal digits that tell it from others."""

    def __init__(self, limbic: LimbicLayer, audit_share: float) -> None:
        self._limbic = limbic
        self._audit_share = audit_share
        self._first_id = uuid4().int
        self.run = f"{self._first_id:032x}"[:8]

    def woken(
        self,
        decision: EscalationDecision,
        module: Module,
        moment: Moment,
        more: dict[str, Any] | None,
    ) -> Decision:
        """The record of a wake or an audit. more: details besides those of the moment."""
        assert decision.activation_id is not None
        window = tuple(decision.window)
        return Decision(
            id=decision.activation_id,
            time=moment.time,
            kind="wake",
            subject=decision.module_id,
            acted=True,
            reason=decision.reason,
            score=decision.confidence,
            threshold=module.threshold,
            question=decision.question,
            propensity=self._audit_share if decision.audit else 1.0,
            window=window,
            why=self._why(decision.module_id, window, moment),
            details=self._details(moment, with_wish(more) if module.wished else more),
        )

    def refused(self, refusal: Refusal) -> Decision:
        """The record of a refusal, with what pushes its score now."""
        return Decision(
            id=self.refusal_id(refusal),
            time=refusal.moment.time,
            kind="wake",
            subject=refusal.module_id,
            acted=False,
            reason=refusal.reason,
            score=refusal.score,
            threshold=refusal.threshold,
            question=None,
            propensity=1.0,
            window=refusal.window,
            why=self._why(refusal.module_id, refusal.window, refusal.moment),
            details=self._details(refusal.moment, refusal.more),
        )

    def refusal_id(self, refusal: Refusal) -> str:
        """Its id, in a fraction of uuid4's time; the odd factor spreads the first digits."""
        return f"{(self._first_id + refusal.number * _SPREAD) % 2**128:032x}"

    def _why(
        self, module_id: str, window: tuple[SignalEvent, ...], moment: Moment
    ) -> tuple[tuple[str, float], ...]:
        return moment.reasons(self._limbic.contributions(module_id, window), REASONS)

    def _details(self, moment: Moment, more: dict[str, Any] | None) -> dict[str, Any]:
        told = {"run": self.run} | moment.details()
        return told | more if more else told


def with_wish(more: dict[str, Any] | None) -> dict[str, Any]:
    """The details of a decision whose threshold a person set say so."""
    return {**(more or {}), "wished": True}
