"""Who does what in the loop. `assembly` fills the roles from the domains, tests from doubles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.payloads import Consent
    from ..types import SignalEvent
    from .nouns import ActOutcome, Choice, Conclusion, HeardBelief


class Waker(Protocol):
    """Decides which signals the agent is woken for."""

    def wake(self, event: SignalEvent) -> Sequence[Decision]:
        """The wakes that follow from the signal, each on the disk; mostly none."""
        ...


class Chooser(Protocol):
    """Finds the tool that answers a question."""

    def choose(self, wake: Decision, beliefs: Sequence[HeardBelief]) -> Choice:
        """What to do about the wake. The beliefs decide between what is equally good."""
        ...

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Take in what became of a choice: `outcome.status` and `outcome.accepted`."""
        ...


class Actor(Protocol):
    """Does what was chosen, where it cannot hurt, or asks the agent."""

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        """What came of it; whatever goes wrong is an outcome, too.

        wake: what it is done for; a directive, when reflection asked for it.
        """
        ...


class Reviewer(Protocol):
    """Remembers whom the agent dealt with, and looks back on it."""

    def hear(self, wake: Decision) -> Sequence[HeardBelief]:
        """Note that the wake's peer came with it; the beliefs that hold now."""
        ...

    def consent(self, wake: Decision, choice: Choice) -> Consent | None:
        """Whether the step may be taken; None when nobody needs to be consulted."""
        ...

    def reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, score: float | None
    ) -> Sequence[Conclusion]:
        """Note what was done, and reflect if something is due: what was concluded.

        score: -1 (bad for us) to +1 (good), None when the outcome says nothing of the peer.
        """
        ...

    def judge(self, wake: Decision, score: float) -> None:
        """Take in, later, how a wake of the peer turned out."""
        ...


class Selector(Protocol):
    """May prefer another of the options that were ranked, by the situation."""

    def enter(self, mode: str) -> None:
        """What the agent is about now; what may be written to memory follows from it."""
        ...

    def select(self, wake: Decision, choice: Choice) -> Choice:
        """The choice with another option picked, or as it is."""
        ...

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Take in what became of the option."""
        ...


class Store(Protocol):
    """Keeps decisions and labels durably: `decisions.log.DecisionLog`."""

    def append_many(self, records: Iterable[Decision]) -> None: ...
    def get(self, decision_id: str) -> Decision | None: ...
    def add_label(self, decision_id: str, label: float, at: float, source: str = ...) -> bool: ...
    def save_state(self, name: str, blob: bytes, through: int) -> None: ...
    def load_state(self, name: str) -> tuple[bytes, int] | None: ...
    def check_owner(self) -> None: ...


class Moments(Protocol):
    """The time of the loop: it stands still between two calls of `take`."""

    def take(self) -> float:
        """Go on to this moment, in Unix seconds."""
        ...
