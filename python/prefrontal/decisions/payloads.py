"""What belongs to a decision of each kind, besides what all have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ..types import Standing

WAKE, ROUTE, ACT = "wake", "route", "act"
ASSESSMENT, BELIEF, DIRECTIVE = "assessment", "belief", "directive"

REFLECTION, APPROVED = "reflection", "approved"
EDITED_QUESTION = "edited_question"
"""Origins of a directive: a reflection, the operator's approval, a person who would have asked
otherwise."""


class Burst(NamedTuple):
    """Alike windows, one close after the other, as they stood at the last of them.

    name: what they say. place: where. windows: how many came. began: the first, Unix seconds.
    since: the first window of all that the gate knows of. look: whether it is decided about at this
    one; the others share what was decided last. features: its novelty, rate and company, by name.
    """

    name: str = ""
    place: str = ""
    windows: int = 0
    began: float = 0.0
    since: float = 0.0
    look: bool = False
    features: tuple[tuple[str, str], ...] = ()


class Moment(NamedTuple):
    """What all decisions about one event share.

    event: its number among those of this start, from 1. time: Unix seconds. monotonic: seconds.
    labels: number of the last label learned before. slept: how many windows had slept before, over
    all modules whose audits are drawn with one chance. standing: of who is behind the event. alone:
    one module was asked by its name, whatever it watches. burst: that it belongs to, where bursts
    are decided about.
    """

    event: int = 0
    time: float = 0.0
    monotonic: float = 0.0
    labels: int = 0
    slept: int = 0
    standing: Standing | None = None
    alone: bool = False
    burst: Burst | None = None


class FoldedWindow(NamedTuple):
    """A window that was held back, as the question names it that tells of it.

    id: of its own decision. time: Unix seconds. reason: what held it back. name: in a few words.
    """

    id: str = ""
    time: float = 0.0
    reason: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class WakePayload:
    """How a gate came to decide about a window.

    run: the start of the gate, eight hexadecimal digits; empty where no gate kept one. gathered:
    the moment of each event of the window, where wakes were asked as one. closed: asked before
    their time was up, since the gate ended. held_back: why an audit that was drawn was not asked.
    wished: a person set the threshold. meanwhile: what slept since the module was asked last, as
    places on the scale of scores and how much is expected to matter at each; where its threshold
    follows from that. waits: held back by nothing but a hold, so that a question must tell of it.
    folded: what was held back and this question tells of, oldest first. late: asked when a hold
    ended, about one of them. opening: the decision with which the burst was opened that the window
    belongs to. ended: the burst is over. update: asked again about an incident that goes on.
    crowded: held back while so many waited already that a question counts it without naming it.
    crowd: how many of these were counted by this question.
    """

    kind: ClassVar[str] = WAKE
    run: str = ""
    moment: Moment | None = None
    gathered: tuple[Moment, ...] = ()
    closed: bool = False
    held_back: str | None = None
    wished: bool = False
    meanwhile: tuple[tuple[int, float], ...] = ()
    waits: bool = False
    folded: tuple[FoldedWindow, ...] = ()
    late: bool = False
    opening: str = ""
    ended: bool = False
    update: bool = False
    crowded: bool = False
    crowd: int = 0

    @property
    def standing(self) -> Standing | None:
        """Of who is behind the event; None when nobody is known to be."""
        return None if self.moment is None else self.moment.standing

    @property
    def burst(self) -> Burst | None:
        """That the window belongs to, where bursts are decided about."""
        return None if self.moment is None else self.moment.burst


@dataclass(frozen=True, slots=True)
class Considered:
    """A tool that could have been chosen, as `executive.Option` describes it."""

    tool: str = ""
    name: str = ""
    score: float = 0.0
    flags: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptReading:
    """What a prompt was taken to mean. confidence: 0..1. search: "exact" or "widened"."""

    domain: str | None = None
    action: str | None = None
    confidence: float = 0.0
    search: str = ""


@dataclass(frozen=True, slots=True)
class ControlPick:
    """What the control agent said of the options.

    committed: it had seen enough to say. probing: it tried another one out. harm, goal: how sure
    it was of either. why: (name, amount), the largest first.
    """

    committed: bool = False
    probing: bool = False
    harm: float = 0.0
    goal: float = 0.0
    why: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether a step may be taken. decision: "approve", "conditional" or "deny"."""

    decision: str = ""
    reasoning: str = ""

    @property
    def given(self) -> bool:
        return self.decision == "approve"


@dataclass(frozen=True, slots=True)
class RoutePayload:
    """How a wake was routed.

    tool: its key; empty where the agent is asked. considered: the best, and the one that was
    taken, at place `picked`. taught: number of the last label of a person that was known, 0 for
    none. beliefs: keys of those that were heard. plan: the composition, None for one tool. consent:
    None where nobody was consulted.
    """

    kind: ClassVar[str] = ROUTE
    policy: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    sentence: str = ""
    considered: tuple[Considered, ...] = ()
    picked: int = 0
    reading: PromptReading | None = None
    control: ControlPick | None = None
    taught: int = 0
    beliefs: tuple[str, ...] = ()
    plan: Mapping[str, Any] | None = None
    consent: Consent | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """What came of trying a tool before it ran."""

    ok: bool = False
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What was run. sha256: of its bytes. validation: None where it had passed before. level: of
    the sandbox; None where it was not run.
    """

    tool: str = ""
    sha256: str = ""
    validation: Validation | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class ActPayload:
    """What came of acting; the fields are those of `executive.ActOutcome`."""

    kind: ClassVar[str] = ACT
    status: str = ""
    value: Any = None
    useful: bool | None = None
    accepted: bool | None = None
    seconds: float = 0.0
    tool_run: ToolRun | None = None


@dataclass(frozen=True, slots=True)
class CycleReference:
    """The reflection that came to it. trigger: what started it. reflector: who reflected."""

    number: int
    trigger: str = ""
    reflector: str = ""


@dataclass(frozen=True, slots=True)
class AssessmentPayload:
    """How far a peer is trusted, -10..+10, from now on, and what was proposed.

    before: None for a new peer. info_score: how much is known of it, 0..10.
    """

    kind: ClassVar[str] = ASSESSMENT
    trust: int = 0
    before: int | None = None
    proposed: int = 0
    clamped: bool = False
    info_score: int | None = None
    cycle: CycleReference | None = None


@dataclass(frozen=True, slots=True)
class BeliefPayload:
    """What is held true. change: added, reaffirmed, revised or expired.

    expires_at: Unix seconds; None for never. old: its text before it was revised. quarantined: kept
    back until there is more evidence.
    """

    kind: ClassVar[str] = BELIEF
    change: str = ""
    expires_at: float | None = None
    evidence: tuple[str, ...] = ()
    pinned: bool = False
    quarantined: bool = False
    peer: str | None = None
    rationale: str = ""
    provenance: str = ""
    old: str | None = None
    cycle: CycleReference | None = None


@dataclass(frozen=True, slots=True)
class DirectivePayload:
    """What the agent is asked to do. origin: REFLECTION, APPROVED or EDITED_QUESTION.

    directive: its id in the cortex. expires_at: Unix seconds. why: why it waits or was dropped.
    asked: of an edited question, how it was asked.
    """

    kind: ClassVar[str] = DIRECTIVE
    origin: str = ""
    directive: str = ""
    action: str = ""
    message: str = ""
    rationale: str = ""
    why: str = ""
    expires_at: float | None = None
    cycle: CycleReference | None = None
    asked: str | None = None


Payload: TypeAlias = (
    WakePayload | RoutePayload | ActPayload | AssessmentPayload | BeliefPayload | DirectivePayload
)
PAYLOADS: Mapping[str, type[Payload]] = {
    each.kind: each
    for each in (
        WakePayload,
        RoutePayload,
        ActPayload,
        AssessmentPayload,
        BeliefPayload,
        DirectivePayload,
    )
}
"""By kind, in the order in which one leads to the next."""
