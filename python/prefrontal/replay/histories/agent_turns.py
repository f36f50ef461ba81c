"""From the lines of a session to turns: what came to the agent, and whether it answered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .agent_replies import is_noop
from .windows import EARLIEST, LATEST

KINDS = ("user", "heartbeat", "cron", "hook", "system", "agent")
"""What came: a person's turn, a poll, a timer, a webhook, an event, a message of another agent."""

_MOST_NAMES = 100
_MILLISECONDS = 1e11  # later than the year 5138 in seconds, 1973 in milliseconds


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that came to the agent. time: Unix seconds; identity: the line's own id, if any."""

    kind: str
    text: str
    time: float
    place: str
    line: int
    identity: str = ""


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """One message of the agent.

    text: what it says, None when it says nothing yet (thoughts only). calls: it asks for tools, so
    more will come. failed: the model failed. told: it reported by a tool (True), or said by a tool
    that there is nothing to report (False).
    """

    time: float | None
    text: str | None
    calls: bool = False
    failed: bool = False
    told: bool | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool gave something back; the agent's answer is what it says after the last one."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """A person stopped the agent: whatever it said is no verdict."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is no part of a turn; `why` is what it is counted under."""

    why: str


def beside(name: object, known: Container[str]) -> LeftOut:
    """A line that is no message: of a known type or role, or of one that is counted by name."""
    if type(name) is str:
        return LeftOut("other" if name in known else f"unknown:{name[:40]}")
    return LeftOut(f"unknown:{type(name).__name__}")


Line = Arrival | AgentAnswer | ToolResult | Interruption | LeftOut


@dataclass(frozen=True, slots=True)
class Turn:
    """What came, whether the answer said something, and when that was known (Unix seconds)."""

    arrival: Arrival
    relevant: bool
    known_at: float


class Turns:
    """Takes the lines of one session in their order and gives each turn when it is over.

    A turn that got no answer, was stopped or failed has no label; it is counted and left out.
    """

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._arrival: Arrival | None = None

    def take(self, line: Line) -> Turn | None:
        """The turn that this line ended, if any."""
        done = None
        if isinstance(line, Arrival):
            done = self.end()
            self._begin(line)
        elif isinstance(line, LeftOut):
            known = line.why in self._counts or len(self._counts) < _MOST_NAMES
            self._counts[line.why if known else "unknown:others"] += 1
        elif self._arrival is None:
            self._counts["unasked"] += isinstance(line, AgentAnswer)
        elif isinstance(line, AgentAnswer):
            self._answer(line)
        elif isinstance(line, ToolResult):
            self._answered = self._spoke = False
        else:
            self._stopped = True
        return done

    def end(self) -> Turn | None:
        """The turn that was open, at the end of the session."""
        arrival, self._arrival = self._arrival, None
        if arrival is None:
            return None
        if self._stopped or self._failed:
            self._counts["stopped" if self._stopped else "failed"] += 1
            return None
        if self._told is None and not self._answered:
            self._counts["unanswered"] += 1
            return None
        relevant = self._spoke if self._told is None else self._told
        return Turn(arrival, relevant, max(arrival.time, self._known_at))

    def _begin(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._answered = self._spoke = self._failed = self._stopped = False
        self._told: bool | None = None
        self._known_at = arrival.time

    def _answer(self, answer: AgentAnswer) -> None:
        assert self._arrival is not None
        self._failed = answer.failed
        if answer.failed:
            return
        self._known_at = self._known_at if answer.time is None else answer.time
        if answer.told is not None:
            self._told = answer.told or bool(self._told)
        if answer.calls:
            self._answered = self._spoke = False
        elif answer.text is not None:
            self._answered = True
            woken = self._arrival.kind != "user"
            self._spoke = self._spoke or not is_noop(answer.text, woken)


def moment(value: Any) -> float | None:
    """Unix seconds of an ISO text, of seconds or of milliseconds; None for anything else."""
    if type(value) is str:
        try:
            read = datetime.fromisoformat(value.strip())
            # A time without a zone is UTC: both tools write UTC, and a replay is the same anywhere.
            seconds = (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    elif type(value) in (int, float) and abs(value) < 1e15 and math.isfinite(value):
        seconds = value / 1000 if value > _MILLISECONDS else float(value)
    else:
        return None
    return seconds if EARLIEST <= seconds <= LATEST else None


def content_blocks(content: Any) -> list[dict[str, Any]]:
    """The parts of a message: a text is one part; what is no part is not there."""
    if type(content) is str:
        return [{"type": "text", "text": content}]
    if type(content) is list:
        return [
            {"type": "text", "text": part} if type(part) is str else part
            for part in content
            if type(part) in (str, dict)
        ]
    return []


def word(value: Any) -> str:
    """A text as it is; "" for anything else, also for what no set can look up."""
    return value if type(value) is str else ""


def text_of(blocks: list[dict[str, Any]]) -> str | None:
    """The texts of the parts, a line each; None when no part is text."""
    texts = [
        block["text"]
        for block in blocks
        if block.get("type") in ("text", "input_text", "output_text")
        and type(block.get("text")) is str
    ]
    return "\n".join(texts) if texts else None
