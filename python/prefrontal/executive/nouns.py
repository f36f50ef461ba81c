"""What passes from one stage of the loop to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.payloads import (
        AssessmentPayload,
        BeliefPayload,
        ControlPick,
        DirectivePayload,
        PromptReading,
        ToolRun,
    )

SELECT, COMPOSE, ASK = "select", "compose", "ask"
"""Policies of a choice: one tool, several after each other, or the agent itself."""


class Status(StrEnum):
    """What became of a choice."""

    DONE = "done"
    NOTHING = "nothing"
    INVALID = "invalid"
    FAILED = "failed"
    ASKED = "asked"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class HeardBelief:
    """A belief that holds now and is told to whoever chooses and acts. confidence: 0..1.

    quoted: words of others went into it and nobody approved it; it is told as a quote, and chooses
    nothing.
    """

    key: str
    text: str
    confidence: float
    pinned: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that could be done about a wake.

    tool: its key, the path below the tools' folder; several joined by " + " for a composition.
    name: for people. score: 0..1, how well it fits. arguments: what it would be called with.
    why: (feature, amount) behind the score, largest first. features: finite numbers by name, for
    a selector. flags: what else the ranking did. plan: the composition, None for one tool.
    """

    tool: str
    name: str
    score: float
    arguments: Mapping[str, Any] = field(default_factory=dict)
    why: tuple[tuple[str, float], ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    plan: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be done about a wake, and what else could have been.

    prompt: what was routed. policy: SELECT, COMPOSE or ASK (no tool fits: the agent is asked).
    options: those that may be taken, best first; empty for ASK. picked: the place of the one that
    is. threshold: the score from which a tool fits. sentence: why, for people. heard: the beliefs
    that were told. nearest: what came close, where nothing fits. reading: what the prompt was taken
    to mean. control: what the control agent said.
    """

    prompt: str
    policy: str
    options: tuple[Option, ...]
    threshold: float
    sentence: str
    picked: int = 0
    heard: tuple[HeardBelief, ...] = ()
    nearest: tuple[Option, ...] = ()
    reading: PromptReading | None = None
    control: ControlPick | None = None

    @property
    def option(self) -> Option | None:
        """What is to be done; None when the agent is to be asked."""
        return self.options[self.picked] if self.options else None

    @property
    def score(self) -> float:
        """Of the option, or of what came nearest; NaN without either."""
        best = self.option or (self.nearest[0] if self.nearest else None)
        return math.nan if best is None else best.score


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """What came of acting.

    text: in words, bounded. value: what the tool returned, as JSON values. useful: whether the
    wake was worth it; None when that is not known yet. accepted: whether the choice was right,
    likewise. seconds: how long it took. tool_run: None when no tool was run or tried.
    """

    status: Status
    text: str
    value: Any = None
    useful: bool | None = None
    accepted: bool | None = None
    seconds: float = 0.0
    tool_run: ToolRun | None = None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What reflection came to: an assessment, a belief or a directive.

    payload, subject, text, changed, reason, score: as `Decision` says of payload, subject,
    question, acted, reason and score.
    """

    payload: AssessmentPayload | BeliefPayload | DirectivePayload
    subject: str
    text: str
    changed: bool
    reason: str
    score: float = math.nan

    @property
    def kind(self) -> str:
        """As of `Decision`."""
        return self.payload.kind


@dataclass(frozen=True, slots=True)
class Episode:
    """One wake from its question to what was learned from it. records: all that was kept."""

    wake: Decision
    choice: Choice
    outcome: ActOutcome
    conclusions: tuple[Conclusion, ...]
    records: tuple[Decision, ...]
