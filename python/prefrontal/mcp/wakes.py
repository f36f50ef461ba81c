"""The wakes as a resource: what was asked, in the order in which it was kept."""

from __future__ import annotations

import math

from pydantic import Field

from ..decisions.log import Decision
from ..pulse.lane import escalation
from ..pulse.sinks import as_dict
from .offered import Answer
from .served import Served
from .waking import ExplainedEvent

AFTER = "after/"
PAGE = 100
"""Wakes in one reading."""


class Asked(Answer):
    """One question, with the fields that every sink gets."""

    id: str = Field(description="of the decision; the same in every telling: act on it once")
    module: str
    question: str
    score: float | None
    reason: str = Field(description="woke or audit")
    audit: bool = Field(description="it would have slept, and is asked to learn what is missed")
    time: str | None = Field(description="of the last event, ISO 8601 in UTC")
    location: str
    events: list[ExplainedEvent]
    label: float | None = Field(default=None, description="null: nobody has said")

    @classmethod
    def of(cls, record: Decision) -> Asked:
        told = as_dict(escalation(record))
        score = record.score if math.isfinite(record.score) else None
        return cls.model_validate(told | {"score": score, "label": record.label})


class WakesAnswer(Answer):
    wakes: list[Asked] = Field(description="in the order in which they were kept")
    last: str | None = Field(description="read on at prefrontal://wakes/after/ and this")
    more: bool = Field(description="whether there is more to read on")


def wakes(served: Served, name: str) -> WakesAnswer:
    """The newest wakes, or those after the decision that the name says ("after/ID").

    Raises InputError for a decision that was not kept.
    """
    served.log.flush()
    told = name.removeprefix(AFTER) if name else None
    found = list(served.log.wakes_after(told, PAGE if told is None else PAGE + 1))
    page = found[:PAGE]
    return WakesAnswer(
        wakes=[Asked.of(each) for each in page],
        last=page[-1].id if page else told,
        more=len(found) > PAGE,
    )
