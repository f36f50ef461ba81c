"""A window, the module that it concerns, and the score that it got there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..decisions.payloads import WakePayload
from .budgets.fair_shares import source_of
from .incidents.bursts import burst_events
from .moment import shifted

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.payloads import Burst, Moment
    from ..types import SignalEvent
    from .gate_module import GateModule
    from .learning.limbic import LimbicLayer


class ScoredWindow(NamedTuple):
    """What a gate decides about. score: of the window's `module`, at `moment`."""

    module: GateModule
    score: float
    window: tuple[SignalEvent, ...]
    moment: Moment

    @property
    def module_id(self) -> str:
        return self.module.fingerprint.module_id

    @property
    def source(self) -> str:
        """Whose budget a question about it is spent of."""
        return source_of(self.window)

    @property
    def scored_events(self) -> tuple[SignalEvent, ...]:
        """What the score is of: the window, or the burst that it belongs to."""
        return scored_events(self.window, self.moment.burst)


def decision_events(decision: Decision) -> tuple[SignalEvent, ...]:
    """What the score of a decision is of, and so what its label teaches."""
    wake = decision.payload
    return scored_events(decision.window, wake.burst if isinstance(wake, WakePayload) else None)


def score_now(limbic: LimbicLayer, decision: Decision) -> float:
    """The score that a decision's window would have by now, as labels came since."""
    wake = decision.payload
    standing = wake.standing if isinstance(wake, WakePayload) else None
    score = limbic.score(decision.subject, decision_events(decision))
    return score if standing is None else shifted(score, standing.shift)


def scored_events(window: tuple[SignalEvent, ...], burst: Burst | None) -> tuple[SignalEvent, ...]:
    return window if burst is None else burst_events(burst, window)
