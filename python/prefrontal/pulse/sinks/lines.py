"""Escalations as lines of JSON."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING

from .outcome import Outcome, as_line

if TYPE_CHECKING:
    from ..prefrontal import EscalationDecision


class LinesSink:
    """One line of JSON for each escalation, on an open text stream."""

    def __init__(self, stream: IO[str], *, close: bool = False) -> None:
        self._stream = stream
        self._close = close
        self._lock = Lock()

    def deliver(self, decision: EscalationDecision) -> Outcome:
        line = as_line(decision) + "\n"
        try:
            with self._lock:
                self._stream.write(line)
                self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            return Outcome(False, f"cannot be written: {error}", down_for_s=0.0)
        return Outcome(True, "written")

    def close(self) -> None:
        """Close the stream, where this sink was told to own it."""
        if self._close:
            with self._lock, suppress(OSError):
                self._stream.close()
