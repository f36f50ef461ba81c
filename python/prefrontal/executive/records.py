"""Choices, outcomes and conclusions as decisions of the log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256

from ..decisions.decision import Decision
from ..decisions.payloads import ACT, ROUTE, ActPayload, Consent, Considered, RoutePayload
from .nouns import ASK, ActOutcome, Choice, Conclusion, HeardBelief, Option, Status

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
    payload = RoutePayload(
        policy=choice.policy,
        tool="" if option is None else option.tool,
        arguments={} if option is None else dict(option.arguments),
        sentence=choice.sentence,
        considered=tuple(map(_considered, _listed(choice))),
        picked=min(choice.picked, MOST_CONSIDERED - 1),
        reading=choice.reading,
        control=choice.control,
        taught=taught,
        beliefs=tuple(each.key for each in choice.heard),
        plan=None if option is None or option.plan is None else dict(option.plan),
        consent=consent,
    )
    return Decision(
        id=followed_id(wake.id, ROUTE),
        time=at,
        subject=choice.policy if option is None else option.name,
        acted=not held,
        reason=str(Status.DEFERRED) if held else choice.policy,
        score=choice.score,
        threshold=choice.threshold,
        question=choice.prompt,
        propensity=1.0,
        window=(),
        payload=payload,
        why=() if option is None else option.why,
        cause=wake.id,
    )


def choice_of(route: Decision, beliefs: Sequence[HeardBelief] = ()) -> Choice:
    """The choice that `route_record` kept, as far as acting and learning need.

    beliefs: beliefs that may have been told; those that were are in the choice.
    """
    payload = route_payload(route)
    options = tuple(_option(each, payload) for each in payload.considered)
    fits = payload.policy != ASK
    return Choice(
        prompt=route.question or "",
        policy=payload.policy,
        options=options if fits else (),
        threshold=route.threshold,
        sentence=payload.sentence,
        picked=payload.picked if fits else 0,
        heard=tuple(each for each in beliefs if each.key in payload.beliefs),
        nearest=() if fits else options,
    )


def route_payload(route: Decision) -> RoutePayload:
    """What the route keeps; nothing of a decision of another kind."""
    return route.payload if isinstance(route.payload, RoutePayload) else RoutePayload()


def act_record(cause: Decision, choice: Choice, outcome: ActOutcome, at: float) -> Decision:
    """What came of a route, or of a directive."""
    option = choice.option
    return Decision(
        id=followed_id(cause.id, ACT),
        time=at,
        subject=AGENT if option is None else option.name,
        acted=outcome.status in _ENDED,
        reason=str(outcome.status),
        score=math.nan,
        threshold=math.nan,
        question=outcome.text,
        propensity=1.0,
        window=(),
        payload=ActPayload(
            status=str(outcome.status),
            value=outcome.value,
            useful=outcome.useful,
            accepted=outcome.accepted,
            seconds=outcome.seconds,
            tool_run=outcome.tool_run,
        ),
        cause=cause.id,
    )


def outcome_of(act: Decision) -> ActOutcome:
    """The outcome that `act_record` kept."""
    payload = act.payload if isinstance(act.payload, ActPayload) else ActPayload()
    return outcome_from(payload, act.question or "", act.reason)


def outcome_from(payload: ActPayload, text: str, status: str = "") -> ActOutcome:
    """The outcome of a payload. status: where that has none."""
    return ActOutcome(
        Status(payload.status or status),
        text,
        payload.value,
        payload.useful,
        payload.accepted,
        payload.seconds,
        payload.tool_run,
    )


def conclusion_record(act: Decision, conclusion: Conclusion, place: int) -> Decision:
    """What reflection came to after an act. place: of the conclusion among those that came."""
    return Decision(
        id=followed_id(act.id, f"{conclusion.payload.kind}:{place}"),
        time=act.time,
        subject=conclusion.subject,
        acted=conclusion.changed,
        reason=conclusion.reason,
        score=conclusion.score,
        threshold=math.nan,
        question=conclusion.text,
        propensity=1.0,
        window=(),
        payload=conclusion.payload,
        cause=act.id,
    )


def _listed(choice: Choice) -> tuple[Option, ...]:
    """The best, and in the last place the one that was picked from further down."""
    listed = (choice.options or choice.nearest)[:MOST_CONSIDERED]
    if choice.option is None or choice.picked < MOST_CONSIDERED:
        return listed
    return (*listed[:-1], choice.option)


def _considered(option: Option) -> Considered:
    return Considered(
        option.tool, option.name, option.score, tuple(option.flags), dict(option.features)
    )


def _option(each: Considered, route: RoutePayload) -> Option:
    chosen = each.tool == route.tool
    return Option(
        tool=each.tool,
        name=each.name,
        score=each.score,
        arguments=route.arguments if chosen else {},
        features=each.features,
        flags=each.flags,
        plan=route.plan if chosen else None,
    )
