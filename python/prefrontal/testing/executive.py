"""Stand-ins for the roles of the executive: they do what the test says, and note what they hear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..executive.nouns import ASK, ActOutcome, Choice, Conclusion, HeardBelief, Status

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.payloads import Consent
    from ..types import SignalEvent

ASKED = Choice("prompt", ASK, (), 0.6, "no tool fits")


@dataclass
class ScriptedWaker:
    """Wakes for what `wakes` makes of a signal."""

    wakes: Callable[[SignalEvent], Sequence[Decision]]

    def wake(self, event: SignalEvent) -> Sequence[Decision]:
        return self.wakes(event)


@dataclass
class ScriptedChooser:
    """Makes the choice of the test. heard, learned: what it was told."""

    make: Callable[[Decision], Choice] = lambda _: ASKED
    heard: list[tuple[HeardBelief, ...]] = field(default_factory=list)
    learned: list[ActOutcome] = field(default_factory=list)

    def choose(self, wake: Decision, beliefs: Sequence[HeardBelief]) -> Choice:
        self.heard.append(tuple(beliefs))
        return self.make(wake)

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        self.learned.append(outcome)


@dataclass
class ScriptedActor:
    """Gives the outcome of the test. acted: (what for, choice) of each act."""

    make: Callable[[Decision], ActOutcome] = lambda _: ActOutcome(Status.ASKED, "asked")
    acted: list[tuple[Decision, Choice]] = field(default_factory=list)

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        self.acted.append((wake, choice))
        return self.make(wake)


@dataclass
class ScriptedReviewer:
    """Holds the beliefs of the test, consents as it says, concludes what it says.

    judged: what it was told of how acts and wakes turned out.
    """

    beliefs: tuple[HeardBelief, ...] = ()
    verdict: Consent | None = None
    make: Callable[[Decision], Sequence[Conclusion]] = lambda _: ()
    judged: list[float | None] = field(default_factory=list)

    def hear(self, wake: Decision) -> Sequence[HeardBelief]:
        return self.beliefs

    def consent(self, wake: Decision, choice: Choice) -> Consent | None:
        return self.verdict

    def reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, score: float | None
    ) -> Sequence[Conclusion]:
        self.judged.append(score)
        return self.make(wake)

    def judge(self, wake: Decision, score: float) -> None:
        self.judged.append(score)


@dataclass
class ScriptedSelector:
    """Picks the option in the place `pick`. modes: what it was told the agent is about."""

    pick: int = 0
    modes: list[str] = field(default_factory=list)
    learned: list[ActOutcome] = field(default_factory=list)

    def enter(self, mode: str) -> None:
        self.modes.append(mode)

    def select(self, wake: Decision, choice: Choice) -> Choice:
        return replace(choice, picked=self.pick)

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        self.learned.append(outcome)


class SteppingMoments:
    """A second further at each call of `take`."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now

    def take(self) -> float:
        self._now += 1.0
        return self._now
