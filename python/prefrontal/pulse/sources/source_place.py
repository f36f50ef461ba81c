"""Where a source goes on: kept by a gate with its decisions, or in a file without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...storage.files import write_atomic
from .source_batch import SourceBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ...types import SignalEvent
    from .running import Outlet


class SourcePlace:
    """The one place of a source, as text.

    name: of the place in the log. state_path: the file that is read while the log knows no place,
    and written where events go somewhere else than to a gate.
    """

    def __init__(self, name: str, outlet: Outlet, state_path: Path | None = None) -> None:
        self._name = name
        self._outlet = outlet
        self._state_path = state_path
        self._saved = ""

    def read(self) -> bytes | None:
        """Where the last start ended; None when there was none. Raises OSError, SourceError."""
        intake = self._outlet.intake
        content = None if intake is None else intake.place(self._name)
        if content is None and self._state_path is not None and self._state_path.exists():
            content = self._state_path.read_bytes()
        return content

    def keep(self, content: str) -> None:
        """Keep a place that no event led to, now. Raises SourceError."""
        if (intake := self._outlet.intake) is not None:
            intake.keep(self._name, content.encode())
        elif self._state_path is not None and content != self._saved:
            write_atomic(self._state_path, content)
        self._saved = content

    def hand_on(
        self,
        events: Iterable[SignalEvent],
        content: str,
        *,
        together: bool = False,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> bool:
        """Hand events on with the place after them; False when the source ends before.

        together: as one window. meanwhile: as of `Outlet.put`.
        """
        places = ((self._name, content.encode()),) if content != self._saved else ()
        batch = SourceBatch(self._name, tuple(events), places, together)
        if not (batch.events or places):
            return True
        if not self._outlet.put(batch, meanwhile):
            return False
        if self._outlet.intake is None:
            self.keep(content)
        self._saved = content
        return True
