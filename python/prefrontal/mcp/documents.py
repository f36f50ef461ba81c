"""A decision as a client sees it: the fields of `decisions.document`, with what each means."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .offered import ToolAnswer


class Contribution(ToolAnswer):
    name: str
    words: str = Field(description="what the name means to a person")
    amount: float | None = Field(description="of a wake log-odds: above 0 for waking")


class JudgedEvent(ToolAnswer):
    source: str
    location: str
    delta_type: str
    magnitude: float | None
    time: str | None = Field(description="ISO 8601 in UTC")


class DecisionDocument(ToolAnswer):
    """One decision of any kind."""

    version: int = Field(description="of this shape")
    id: str = Field(description="the same in every telling: act on it once")
    kind: str = Field(description="wake, route, act, assessment, belief or directive")
    subject: str = Field(description="of a wake the module; else who or what it is about")
    time: str | None = Field(description="ISO 8601 in UTC")
    acted: bool = Field(description="whether the agent was woken; else whether it was done")
    reason: str = Field(description="woke, audit, below_threshold, cooldown, quiet_hours, ...")
    score: float | None = Field(description="of a wake the probability, 0..1, that it matters")
    threshold: float | None
    question: str | None = Field(description="of a wake what to ask the agent; null when it sleeps")
    sentence: str = Field(description="why it was decided so")
    summary: str = Field(description="what was decided, on one line")
    propensity: float
    why: list[Contribution]
    events: list[JudgedEvent]
    label: float | None = Field(description="1 it mattered, 0 it did not, null nobody has said")
    labelled_at: str | None = Field(description="ISO 8601 in UTC")
    cause: str | None = Field(description="id of the decision that led to it")
    payload: dict[str, Any] = Field(description="what else belongs to its kind")


class Handed(ToolAnswer):
    sink: str
    state: str = Field(description="pending, done or given up")
    attempts: int
    next_at: str | None = Field(description="of the next try, ISO 8601 in UTC")
    detail: str


class Explanation(DecisionDocument):
    told_by: str | None = Field(description="of what was held back: the question that told of it")
    chain: list[DecisionDocument] = Field(description="what led to it and what followed, in order")
    deliveries: list[Handed] = Field(description="how far it got with each durable sink")
