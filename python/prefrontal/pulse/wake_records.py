"""What the gate knows of a refusal and a group, and the decisions it makes for the log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from ..decisions.decision import Decision, slept_id
from ..decisions.payloads import Moment, WakePayload
from .moment import reasons

if TYPE_CHECKING:
    from ..types import Reason, SignalEvent
    from .holds import HeldWindow
    from .learning.limbic import LimbicLayer
    from .scored_window import ScoredWindow

REASONS = 12
"""Most reasons that a record names for a score."""


class Refusal(NamedTuple):
    """A window that woke nobody: below which threshold, and why.

    more: of its payload, besides run and moment.
    """

    number: int
    scored: ScoredWindow
    threshold: float
    reason: Reason
    more: WakePayload | None


@dataclass(slots=True)
class WindowGroup:
    """Wakes of one module that are asked as one when the time is up.

    moments: of each event. held: the windows, as they wait in the log.
    """

    due: float
    moments: list[Moment] = field(default_factory=list)
    window: list[SignalEvent] = field(default_factory=list)
    score: float = 0.0
    held: list[HeldWindow] = field(default_factory=list)

    def add(self, scored: ScoredWindow, held: HeldWindow | None) -> None:
        """Gather one more window. held: as it waits, if it does."""
        self.window.extend(scored.window)
        self.moments.extend([scored.moment] * len(scored.window))
        self.score = max(self.score, scored.score)
        if held is not None:
            self.held.append(held)

    def payload(self, closed: bool) -> WakePayload:
        """What the record keeps of the events that were gathered."""
        return WakePayload(gathered=tuple(self.moments), closed=closed)


class WakeRecords:
    """Makes the records of one start. run: eight hexadecimal digits that tell it from others.
    first_id: what the ids of its refusals are counted from.

    limbic: says what pushed a score; without it no record does.
    """

    def __init__(self, limbic: LimbicLayer | None) -> None:
        self._limbic = limbic
        self.first_id = uuid4().int
        self.run = f"{self.first_id:032x}"[:8]

    def refused(self, refusal: Refusal) -> Decision:
        """The record of a refusal, with what pushes its score now."""
        scored = refusal.scored
        return Decision(
            id=self.refusal_id(refusal),
            time=scored.moment.time,
            subject=scored.module_id,
            acted=False,
            reason=refusal.reason,
            score=scored.score,
            threshold=refusal.threshold,
            question=None,
            propensity=1.0,
            window=scored.window,
            payload=self.payload(scored.moment, refusal.more),
            why=self.why(scored),
        )

    def asked(
        self,
        decision_id: str,
        scored: ScoredWindow,
        reason: Reason,
        question: str,
        propensity: float,
        threshold: float,
        more: WakePayload | None,
    ) -> Decision:
        """The record of a question. Arguments as the fields of `Decision`."""
        return Decision(
            id=decision_id,
            time=scored.moment.time,
            subject=scored.module_id,
            acted=True,
            reason=reason,
            score=scored.score,
            threshold=threshold,
            question=question,
            propensity=propensity,
            window=scored.window,
            payload=self.payload(scored.moment, more),
            why=self.why(scored),
        )

    def refusal_id(self, refusal: Refusal) -> str:
        """Its id, in a fraction of uuid4's time; the odd factor spreads the first digits."""
        return slept_id(self.first_id, refusal.number)

    def why(self, scored: ScoredWindow) -> tuple[tuple[str, float], ...]:
        """What pushes the score now, the strongest first."""
        if self._limbic is None:
            return ()
        pushed = self._limbic.contributions(scored.module_id, scored.scored_events)
        return reasons(scored.moment, pushed, REASONS)

    def payload(self, moment: Moment, more: WakePayload | None) -> WakePayload:
        """more: what it holds besides run and moment."""
        if more is None:
            return WakePayload(self.run, moment)
        return replace(more, run=self.run, moment=moment)


def with_wish(more: WakePayload | None) -> WakePayload:
    """The payload of a decision whose threshold a person set says so."""
    return replace(more or WakePayload(), wished=True)
