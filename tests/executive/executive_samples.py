"""Wakes, choices and settings for tests of the executive."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from prefrontal.assembly.frozen_moments import FrozenMoments
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import WakePayload
from prefrontal.executive.nouns import ASK, SELECT, ActOutcome, Choice, Option, Status
from prefrontal.executive.reviewer.reflection import AgentReviewer
from prefrontal.executive.trust_standings import TrustStandings
from prefrontal.settings.executive import ExecutiveSettings
from prefrontal.testing import ManualClock, make_runtime
from prefrontal.types import SignalEvent

NOW = 1_700_000_000.0


def event(actor: str | None = "ada", text: str = "please look", at: float = NOW) -> SignalEvent:
    told = {"text": text} if actor is None else {"text": text, "actor": actor}
    return SignalEvent("tracker", "issue/7", "created", 1.0, at, told)


def wake(number: int = 1, actor: str | None = "ada", **fields: Any) -> Decision:
    return Decision(
        id=sha256(f"wake {number}".encode()).hexdigest()[:32],
        time=NOW,
        payload=WakePayload(),
        subject="issues",
        acted=True,
        reason="woke",
        score=0.9,
        threshold=0.5,
        question="Something changed at issue/7. Does it matter?",
        propensity=1.0,
        window=(event(actor, **fields),),
    )


def chosen(tool: str = "git/summarise", side_effect: float = 0.5) -> Choice:
    features = {"side_effect": side_effect}
    option = Option(tool, tool.rpartition("/")[2], 0.8, {"path": "."}, (), features)
    return Choice("summarise it", SELECT, (option,), 0.6, f"{tool} fits")


ASKED = Choice("what is this?", ASK, (), 0.6, "no tool fits")
DONE = ActOutcome(Status.DONE, "two files changed", {"files": 2}, True, True)
FAILED = ActOutcome(Status.FAILED, "exit status 1", None, None, False)


class Reviewing:
    """A reviewer on a clock of its own."""

    def __init__(
        self,
        config: dict[str, Any] | None = None,
        workspace: Path | None = None,
        settings: dict[str, Any] | None = None,
        subagent: Any = None,
    ) -> None:
        self.clock = ManualClock(NOW)
        self.moments = FrozenMoments(self.clock)
        self.settings = ExecutiveSettings(**(settings or {}))
        self.standings = TrustStandings(self.settings.trust)
        self.runtime = make_runtime(
            config, clock=self.moments, workspace=workspace, subagent=subagent
        )
        self.reviewer = AgentReviewer(self.runtime, self.settings, self.standings)

    def episode(self, number: int, actor: str | None = "ada", judged: float | None = 1.0) -> Any:
        """One wake from hearing to reflection, a minute after the one before."""
        self.clock.advance(60.0)
        self.moments.take()
        one = wake(number, actor)
        self.reviewer.hear(one)
        self.clock.advance(1.0)
        self.moments.take()
        return self.reviewer.reflect(one, chosen(), DONE, judged)
