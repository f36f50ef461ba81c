"""Choices, outcomes and conclusions as decisions of the log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from ..decisions.decision import ACT, ROUTE, Decision
from .nouns import ASK, ActOutcome, Choice, Conclusion, Consent, HeardBelief, Option, Status

AGENT = "agent"
"""Subject of an act that asked the agent rather than running a tool."""
MOST_CONSIDERED = 10
_ENDED = (Status.DONE, Status.NOTHING, Status.ASKED)


def followed_id(cause: str, word: str) -> str:
    """The id of what follows from a decision: the same whenever it is decided again."""
    return sha256(f"{cause}:{word}".encode()).hexdigest()[:32]


def route_record(
    wake: Decision, choice: Choice, consent: Consent | None, at: float, taught: int = 0
) -> Decision:
    """How a wake was routed. acted: whether a tool may be run, or the agent be asked.

    taught: number of the last label of a person that was known.
    """
    option = choice.option
    held = consent is not None and not consent.given
    details: dict[str, Any] = {
        "policy": choice.policy,
        "tool": "" if option is None else option.tool,
        "arguments": {} if option is None else dict(option.arguments),
        "sentence": choice.sentence,
        "considered": [_considered(each) for each in _listed(choice)],
        "picked": min(choice.picked, MOST_CONSIDERED - 1),
        **choice.details,
    }
    if taught:
        details["taught"] = taught
    if choice.heard:
        details["beliefs"] = [each.key for each in choice.heard]
    if option is not None and option.plan is not None:
        details["plan"] = dict(option.plan)
    if consent is not None:
        details["verdict"] = {"decision": consent.decision, "reasoning": consent.reasoning}
    return Decision(
        id=followed_id(wake.id, ROUTE),
        time=at,
        kind=ROUTE,
        subject=choice.policy if option is None else option.name,
        acted=not held,
        reason=str(Status.DEFERRED) if held else choice.policy,
        score=choice.score,
        threshold=choice.threshold,
        question=choice.prompt,
        propensity=1.0,
        window=(),
        why=() if option is None else option.why,
        cause=wake.id,
        details=details,
    )


def choice_of(route: Decision, heard: Sequence[HeardBelief] = ()) -> Choice:
    """The choice that `route_record` kept, as far as acting and learning need.

    heard: beliefs that may have been told; those that were are in the choice.
    """
    told = route.details
    options = tuple(_option(each, told) for each in told.get("considered", ()))
    fits = told.get("policy") != ASK
    return Choice(
        prompt=route.question or "",
        policy=str(told.get("policy")),
        options=options if fits else (),
        threshold=route.threshold,
        sentence=str(told.get("sentence", "")),
        picked=int(told.get("picked", 0)) if fits else 0,
        heard=tuple(each for each in heard if each.key in told.get("beliefs", ())),
        nearest=() if fits else options,
    )


def act_record(cause: Decision, choice: Choice, outcome: ActOutcome, at: float) -> Decision:
    """What came of a route, or of a directive."""
    option = choice.option
    return Decision(
        id=followed_id(cause.id, ACT),
        time=at,
        kind=ACT,
        subject=AGENT if option is None else option.name,
        acted=outcome.status in _ENDED,
        reason=str(outcome.status),
        score=math.nan,
        threshold=math.nan,
        question=outcome.text,
        propensity=1.0,
        window=(),
        cause=cause.id,
        details={
            "status": str(outcome.status),
            "value": outcome.value,
            "useful": outcome.useful,
            "accepted": outcome.accepted,
            "seconds": outcome.seconds,
            **outcome.details,
        },
    )


def outcome_of(act: Decision) -> ActOutcome:
    """The outcome that `act_record` kept."""
    told = dict(act.details)
    return ActOutcome(
        Status(told.pop("status")),
        act.question or "",
        told.pop("value"),
        told.pop("useful"),
        told.pop("accepted"),
        told.pop("seconds"),
        told,
    )


def conclusion_record(act: Decision, conclusion: Conclusion, place: int) -> Decision:
    """What reflection came to after an act. place: of the conclusion among those that came."""
    return Decision(
        id=followed_id(act.id, f"{conclusion.kind}:{place}"),
        time=act.time,
        kind=conclusion.kind,
        subject=conclusion.subject,
        acted=conclusion.changed,
        reason=conclusion.reason,
        score=conclusion.score,
        threshold=math.nan,
        question=conclusion.text,
        propensity=1.0,
        window=(),
        cause=act.id,
        details=conclusion.details,
    )


def _listed(choice: Choice) -> tuple[Option, ...]:
    """The best, and in the last place the one that was picked from further down."""
    listed = (choice.options or choice.nearest)[:MOST_CONSIDERED]
    if choice.option is None or choice.picked < MOST_CONSIDERED:
        return listed
    return (*listed[:-1], choice.option)


def _considered(option: Option) -> dict[str, Any]:
    return {
        "tool": option.tool,
        "name": option.name,
        "score": option.score,
        "flags": list(option.flags),
        "features": dict(option.features),
    }


def _option(told: Mapping[str, Any], route: Mapping[str, Any]) -> Option:
    chosen = told["tool"] == route.get("tool")
    return Option(
        tool=told["tool"],
        name=told["name"],
        score=told["score"],
        arguments=route.get("arguments", {}) if chosen else {},
        features=told["features"],
        flags=tuple(told["flags"]),
        plan=route.get("plan") if chosen else None,
    )
