"""The gate's tools: is this worth waking for, was it, and why."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from ..decisions.document import document, explanation
from ..decisions.payloads import ACT, ROUTE, WAKE
from ..errors import InputError
from ..types import SignalEvent
from .documents import DecisionDocument, Explanation
from .offered import Arguments, Offered, ToolAnswer

if TYPE_CHECKING:
    from ..decisions.log import Decision
    from .progress import Progress
    from .served import Served

WORDS = {"useful": 1.0, "useless": 0.0, "right": 1.0, "wrong": 0.0}
LABELLED = (WAKE, ROUTE, ACT)
MOST_EVENTS = 1000
_Text = Annotated[str, Field(min_length=1, max_length=4096)]
_Long = Annotated[str, Field(max_length=100_000)]
_Share = Annotated[float, Field(ge=0.0, le=1.0)]
_Id = Annotated[str, Field(min_length=4, max_length=64)]


class GivenEvent(Arguments):
    """One thing that changed."""

    source: _Text = Field(
        description='"filesystem", "git", "log", "network", "memory" or a name of your own; only'
        " modules that declare it, or that declare nothing, are asked"
    )
    location: _Text = Field(description="absolute path, URL or namespace")
    delta_type: _Text = Field(
        default="modified", description='"created", "modified", "deleted" or a word of your own'
    )
    magnitude: float = Field(default=1.0, description="size of the change, 0..1 by convention")
    timestamp: float | None = Field(default=None, description="Unix seconds; now when left out")
    actor: _Long | None = Field(default=None, description="who did it")
    text: _Long | None = Field(default=None, description="what it is about: a subject line")
    features: dict[str, Any] = Field(
        default_factory=dict, description="more that the gate reads: extension, size_bytes, ..."
    )

    def signal(self, now: float) -> SignalEvent:
        """As the gate takes it."""
        extra = {"actor": self.actor, "text": self.text}
        features = {key: value for key, value in extra.items() if value is not None}
        moment = now if self.timestamp is None else self.timestamp
        return SignalEvent(
            self.source,
            self.location,
            self.delta_type,
            self.magnitude,
            moment,
            {**features, **self.features},
        )


class WakeArguments(Arguments):
    events: Annotated[list[GivenEvent], Field(min_length=1, max_length=MOST_EVENTS)] = Field(
        description="one event, or a window of events that belong together, the latest last"
    )
    module: _Text | None = Field(
        default=None, description="ask this module alone; all that are concerned when left out"
    )


class WakeAnswer(ToolAnswer):
    wake: bool = Field(description="whether any module wakes the agent")
    questions: list[str] = Field(description="what to ask the agent, one a wake")
    decisions: list[DecisionDocument] = Field(
        description="empty when no module declares such an event"
    )
    thresholds: dict[str, str] = Field(
        description="module -> what the gate does about its threshold, with a warning when less is"
        " caught than was asked"
    )


class FeedbackArguments(Arguments):
    id: _Id = Field(description="of the decision, or its beginning (four characters or more)")
    label: Literal["useful", "useless", "right", "wrong"] | _Share = Field(
        description="of a wake: was it worth it (useful, useless); of a route or an act: was the"
        " choice right (right, wrong); or a number from 0 to 1"
    )


class FeedbackAnswer(ToolAnswer):
    id: str
    kind: str
    subject: str
    label: float
    before: float | None = Field(description="the label that it had")


class ExplainArguments(Arguments):
    id: _Id = Field(description="of the decision, or its beginning (four characters or more)")


async def should_wake(served: Served, arguments: WakeArguments, _: Progress) -> WakeAnswer:
    now = served.clock.now()
    window = [each.signal(now) for each in arguments.events]
    try:
        records = served.gate.judge(window, arguments.module)
    except TypeError as error:  # a feature of the wrong type; the sentence names it
        raise InputError(str(error)) from None
    questions = [each.question for each in records if each.question is not None]
    decisions = [DecisionDocument.model_validate(document(each)) for each in records]
    return WakeAnswer(
        wake=bool(questions),
        questions=questions,
        decisions=decisions,
        thresholds={each.subject: served.gate.threshold(each.subject).line() for each in records},
    )


def give_feedback(served: Served, arguments: FeedbackArguments) -> FeedbackAnswer:
    if (kind := served.gate.find(arguments.id).kind) not in LABELLED:
        raise InputError(f"id must belong to a wake, a route or an act, got one of kind {kind}")
    label = WORDS[arguments.label] if isinstance(arguments.label, str) else arguments.label + 0.0
    before = served.gate.label(arguments.id, label)
    return FeedbackAnswer(
        id=before.id, kind=before.kind, subject=before.subject, label=label, before=before.label
    )


def explain_decision(served: Served, arguments: ExplainArguments) -> Explanation:
    return explained(served, arguments.id)


def explained(served: Served, decision_id: str) -> Explanation:
    """A decision of any kind, with what led to it and what followed. Raises InputError."""
    record = served.gate.find(decision_id)
    above: list[Decision] = []
    cause = record.cause
    while cause is not None and (before := served.log.get(cause)) is not None:
        above.insert(0, before)
        cause = before.cause
    chain = [*above, *served.log.followed(record.id)]
    with closing(served.log.deliveries()) as deliveries:
        handed = deliveries.of(record.id)
    told_by = served.log.fold_questions([record.id]).get(record.id)
    return Explanation.model_validate(explanation(record, chain, handed, told_by=told_by))


TOOLS = (
    Offered(
        "should_wake",
        "Is this worth waking the agent for?",
        "Ask before an agent is woken for something that changed. The answer says whether to wake,"
        " with which question, and why. Each decision is kept and has an id: say with"
        " give_feedback whether it was worth it, and the gate learns.",
        WakeArguments,
        WakeAnswer,
        should_wake,
    ),
    Offered(
        "give_feedback",
        "Say whether a wake was worth it",
        "Label a decision by its id: useful, useless, or a number from 0 to 1. The last word"
        " counts. The gate learns from it at once.",
        FeedbackArguments,
        FeedbackAnswer,
        give_feedback,
        repeatable=True,
    ),
    Offered(
        "explain_decision",
        "Why was this decided?",
        "Everything that is kept of one decision: score, threshold, what pushed the score, the"
        " events, the label.",
        ExplainArguments,
        Explanation,
        explain_decision,
        read_only=True,
    ),
)
