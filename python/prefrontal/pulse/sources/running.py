"""What the sources share: where events go, and how a thread of theirs waits and ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from time import monotonic

from ...types import SignalEvent
from .source_batch import Intake, SourceBatch

Push = Callable[[SignalEvent], object]
"""Takes an event; False says that it was refused."""

MEANWHILE_S = 1.0
log = logging.getLogger("prefrontal.pulse")


class Outlet:
    """Hands events on and counts what became of them; a receiver that raises is logged."""

    def __init__(self) -> None:
        self.push: Push = _nowhere
        self.is_ended: Callable[[], bool] = lambda: False
        self.pushed = 0
        self.refused = 0
        self.failed = 0

    def __call__(self, event: SignalEvent) -> bool:
        """Hand it on; whether it was taken."""
        try:
            answer = self.push(event)
        except Exception:
            self.failed += 1
            log.exception("An event about %r could not be handed on", event.location)
            return False
        if answer is False:
            self.refused += 1
            return False
        self.pushed += 1
        return True

    @property
    def intake(self) -> Intake | None:
        """What keeps places with decisions; None when events go somewhere else."""
        return self.push if isinstance(self.push, Intake) else None

    def put(self, batch: SourceBatch, meanwhile: Callable[[], object] = lambda: None) -> bool:
        """Hand a batch on, waiting for room; False when the source ends before.

        meanwhile: called about each second while it waits.
        """
        intake = self.intake
        if intake is None:
            for event in batch.events:
                self(event)
            return True
        while True:
            due = monotonic() + MEANWHILE_S
            if intake.put(batch, partial(self._is_ended_by, due)):
                break
            if self.is_ended() or monotonic() < due:  # or nobody takes anything any more
                self.refused += 0 if batch.places else len(batch.events)
                return False
            meanwhile()
        self.pushed += len(batch.events)
        return True

    def _is_ended_by(self, due: float) -> bool:
        return self.is_ended() or monotonic() >= due

    def counts(self) -> dict[str, object]:
        return {"events": self.pushed, "refused": self.refused, "failed": self.failed}


def _nowhere(event: SignalEvent) -> bool:
    return False
