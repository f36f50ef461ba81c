"""The resources that every stage of a route uses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol

from ..local_time import LocalTime

if TYPE_CHECKING:
    from ...clock import Clock
    from ...protocols import CodeModel, Embedder, Runner
    from ...settings.routing import Routing
    from ..identity import Identities
    from ..layout import Layout
    from .request import Mode

Waiting = Callable[[str], AbstractContextManager[Any]]


class Operator(Protocol):
    """The person in front of the router."""

    def answer(self, question: str) -> str:
        """The reply to a question; empty for none."""
        ...

    def agree(self, question: str) -> bool | None:
        """Yes or no; None when nobody answers, which approves nothing and teaches nothing."""
        ...


@dataclass(slots=True)
class Workbench:
    """A project's folders and settings, its sandbox, its models and the person to ask.

    runner: where modules are tried out; None when a route goes no further than its plan. model:
    writes a tool when none fits, or None. operator: whom to ask, None for nobody. waiting: entered
    while something takes its time, with a word for it.
    """

    layout: Layout
    settings: Routing
    clock: Clock
    tz: tzinfo | None
    identities: Identities
    runner: Runner | None
    model: CodeModel | None
    embedder: Embedder | None
    operator: Operator | None
    waiting: Waiting

    @property
    def time(self) -> LocalTime:
        return LocalTime(self.clock, self.tz)

    def operator_for(self, mode: Mode) -> Operator | None:
        """Whom a route of this mode may ask."""
        return self.operator if mode.interactive else None
