"""Who waits for the answer of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .report import Report


class GateCaller(Protocol):
    """The process that was called."""

    def go_on(self) -> None:
        """A step is done: there is life in who decides."""
        ...

    def print(self, report: Report) -> bool:
        """Print the answer; whether somebody took it."""
        ...
