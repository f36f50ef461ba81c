"""Gives each wake to people and to the sinks that are told once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from ..decisions.answerable import ID_LENGTH

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...pulse.sinks import Sink
    from .screen import Screen
    from .session import WatchSession
    from .telemetry import Say


class Handling(Protocol):
    """What is done with the wakes of a watch."""

    def begin(self) -> None:
        """The watch has begun."""
        ...

    def take(self, decision: Decision) -> object:
        """Called for each wake, on threads of the gate."""
        ...

    def finish(self, timeout_s: float) -> bool:
        """The gate has ended: end, too; whether it was in time."""
        ...

    def summary(self) -> list[str]:
        """What there is to say at the end, a line each."""
        ...


class HandOver:
    """Gives each wake to people and sinks."""

    def __init__(self, session: WatchSession, screen: Screen, say: Say) -> None:
        self._session = session
        self._screen = screen
        self._say = say

    def begin(self) -> None: ...

    def take(self, decision: Decision) -> None:
        """Print it, then give it to every sink.

        The durable ones have it from the log already, unless that could not be written.
        """
        self._screen.show(decision, self._session.state.path)
        self._session.outbox.take(decision)
        give_once(decision, self._session.sinks, self._say)

    def finish(self, timeout_s: float) -> bool:
        return True

    def summary(self) -> list[str]:
        return []


def give_once(decision: Decision, sinks: Iterable[tuple[str, Sink]], say: Say) -> list[str]:
    """Tell each sink once; what went wrong with those that failed, told on standard error, too."""
    failed = []
    for name, sink in sinks:
        outcome = sink.deliver(decision)
        if not outcome.ok:
            tries = f" after {outcome.attempts} tries" if outcome.attempts > 1 else ""
            shown_id = decision.id[:ID_LENGTH]
            failed.append(f"{name} failed for {shown_id}: {outcome.detail}{tries}")
            say(failed[-1], decision)
    return failed
