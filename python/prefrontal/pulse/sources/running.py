"""What the sources share: where events go, and how a thread of theirs waits and ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ...types import SignalEvent

Push = Callable[[SignalEvent], object]
"""Takes an event; False says that it was refused."""

log = logging.getLogger("prefrontal.pulse")


class Outlet:
    """Hands events on and counts what became of them; a receiver that raises is logged."""

    def __init__(self) -> None:
        self.push: Push = _nowhere
        self.pushed = 0
        self.refused = 0
        self.failed = 0

    def __call__(self, event: SignalEvent) -> bool:
        """Hand it on; whether it was taken."""
        try:
            taken = self.push(event)
        except Exception:
            self.failed += 1
            log.exception("An event about %r could not be handed on", event.location)
            return False
        if taken is False:
            self.refused += 1
            return False
        self.pushed += 1
        return True

    def counts(self) -> dict[str, object]:
        return {"events": self.pushed, "refused": self.refused, "failed": self.failed}


def _nowhere(event: SignalEvent) -> bool:
    return False
