"""What a running gate says of itself, kept in the log for who looks from another process."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import SourceError

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.log import DecisionLog

STATUS = "status"
"""The name of the state in the log of decisions."""
EVERY_S = 5.0
"""How often it is written, while anything changes."""

_KEYS = (
    "running",
    "events",
    "waiting",
    "refused_by_queue",
    "broken_events",
    "handler_errors",
    "gaps",
    "held_back",
    "crowded",
    "decisions",
    "gate",
    "sources",
)

log = logging.getLogger("prefrontal.pulse")


class StatusNote:
    """Keeps some of `status()`, with `at` (Unix seconds), `pid` and `unwritten` (refusals lost).

    Failures are logged and change nothing: it is told to people alone.
    """

    def __init__(
        self, decisions: DecisionLog, status: Callable[[], dict[str, Any]], clock: Clock
    ) -> None:
        self._decisions = decisions
        self._status = status
        self._clock = clock
        self._kept: dict[str, Any] = {}
        self._looked_at: float | None = None
        self._warned: set[str] = set()

    def look(self, last: bool = False) -> None:
        """Write the status when it is time and it is another one, or, at the end, in any case."""
        now = self._clock.monotonic()
        if not last and self._looked_at is not None and now - self._looked_at < EVERY_S:
            return
        self._looked_at = now
        try:
            self._keep(last)
        except SourceError as error:
            log.error("the status could not be kept: %s", error)
        except Exception as error:
            log.exception("the status could not be kept: %s", error)

    def _warn(self, gate: dict[str, dict[str, Any]]) -> None:
        """Tell of each module whose recall is below what was asked, once."""
        warnings = {name: facts["warning"] for name, facts in gate.items() if facts["warning"]}
        for name in warnings.keys() - self._warned:
            log.warning("%s: %s", name, warnings[name])
        self._warned = set(warnings)

    def _keep(self, last: bool) -> None:
        facts = self._status()
        self._warn(facts["gate"])
        status = {name: facts[name] for name in _KEYS} | {
            "pid": os.getpid(),
            "unwritten": self._decisions.unwritten,
        }
        if last or status != self._kept:
            self._kept = status
            content = json.dumps(status | {"at": self._clock.now()}, default=str)
            self._decisions.save_state(STATUS, content.encode(), 0)
