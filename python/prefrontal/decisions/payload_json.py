"""A payload as the JSON object of its row, and back.

The keys are those that logs have had since they keep anything here. A key that is missing, or that
holds what it cannot mean, counts as never written; one that is unknown is passed over: a log of any
release can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ..errors import InputError
from ..typed_fields import recover
from .payloads import (
    ACT,
    ASSESSMENT,
    BELIEF,
    DIRECTIVE,
    EDITED_QUESTION,
    PAYLOADS,
    ROUTE,
    WAKE,
    ActPayload,
    AssessmentPayload,
    BeliefPayload,
    CycleReference,
    DirectivePayload,
    Moment,
    Payload,
    RoutePayload,
    WakePayload,
)

Plain = dict[str, Any]
_FLAGS = ("closed", "wished", "waits", "late", "ended", "update", "crowded")
"""Of a wake: written where they are true."""


def to_plain(payload: Payload) -> Plain:
    """The object; empty when there is nothing to keep."""
    if payload == PAYLOADS[payload.kind]():
        return {}
    return cast("Callable[[Payload], Plain]", _WRITE[payload.kind])(payload)


def from_plain(kind: str, plain: Plain, time: float) -> Payload:
    """The payload of a decision of that kind, decided at Unix second `time`.

    Raises InputError for a kind that this release does not know.
    """
    if kind not in _NEST:
        raise InputError(f"kind must be one of {', '.join(_NEST)}, got {kind!r}")
    empty = PAYLOADS[kind]()
    return recover(PAYLOADS[kind], _NEST[kind](plain, time), empty)


def _wake_to_plain(wake: WakePayload) -> Plain:
    plain: Plain = {"run": wake.run} if wake.run else {}
    if wake.moment is not None:
        plain |= _moment_to_plain(wake.moment)
    if wake.gathered:
        plain["gathered"] = [_moment_to_plain(each) | {"time": each.time} for each in wake.gathered]
    if wake.held_back is not None:
        plain["held_back"] = wake.held_back
    if wake.meanwhile:
        plain["meanwhile"] = [list(each) for each in wake.meanwhile]
    if wake.folded:
        plain["folded"] = [each._asdict() for each in wake.folded]
    if wake.opening:
        plain["opening"] = wake.opening
    if wake.crowd:
        plain["crowd"] = wake.crowd
    return plain | {name: True for name in _FLAGS if getattr(wake, name)}


def _moment_to_plain(moment: Moment) -> Plain:
    plain: Plain = {
        "event": moment.event,
        "monotonic": moment.monotonic,
        "labels": moment.labels,
        "slept": moment.slept,
    }
    if (standing := moment.standing) is not None:
        plain |= {"peer": standing.peer, "trust": standing.trust, "shift": standing.shift}
        if standing.wakes_per_hour is not None:
            plain["budget"] = standing.wakes_per_hour
    if moment.alone:
        plain["alone"] = True
    if (burst := moment.burst) is not None:
        plain["burst"] = burst._asdict() | {"features": dict(burst.features)}
    return plain


def _route_to_plain(route: RoutePayload) -> Plain:
    plain: Plain = {
        "policy": route.policy,
        "tool": route.tool,
        "arguments": dict(route.arguments),
        "sentence": route.sentence,
        "considered": [
            {
                "tool": each.tool,
                "name": each.name,
                "score": each.score,
                "flags": list(each.flags),
                "features": dict(each.features),
            }
            for each in route.considered
        ],
        "picked": route.picked,
    }
    if (reading := route.reading) is not None:
        plain |= {
            "domain": reading.domain,
            "action": reading.action,
            "confidence": reading.confidence,
            "search": reading.search,
        }
    if (control := route.control) is not None:
        plain["control"] = {
            "committed": control.committed,
            "probing": control.probing,
            "harm": control.harm,
            "goal": control.goal,
            "why": [[name, amount] for name, amount in control.why],
        }
    if route.taught:
        plain["taught"] = route.taught
    if route.beliefs:
        plain["beliefs"] = list(route.beliefs)
    if route.plan is not None:
        plain["plan"] = dict(route.plan)
    if (consent := route.consent) is not None:
        plain["verdict"] = {"decision": consent.decision, "reasoning": consent.reasoning}
    return plain


def _act_to_plain(act: ActPayload) -> Plain:
    plain: Plain = {
        "status": act.status,
        "value": act.value,
        "useful": act.useful,
        "accepted": act.accepted,
        "seconds": act.seconds,
    }
    if (ran := act.tool_run) is not None:
        plain |= {"tool": ran.tool, "sha256": ran.sha256}
        if ran.validation is not None:
            plain["validation"] = {"ok": ran.validation.ok, "summary": ran.validation.summary}
        if ran.level is not None:
            plain["level"] = ran.level
    return plain


def _assessment_to_plain(assessment: AssessmentPayload) -> Plain:
    return {
        "trust": assessment.trust,
        "before": assessment.before,
        "proposed": assessment.proposed,
        "clamped": assessment.clamped,
        "info_score": assessment.info_score,
        **_cycle_to_plain(assessment.cycle),
    }


def _belief_to_plain(belief: BeliefPayload) -> Plain:
    plain: Plain = {
        "change": belief.change,
        "expires_at": belief.expires_at,
        "evidence": list(belief.evidence),
        "pinned": belief.pinned,
        "quarantined": belief.quarantined,
        "peer": belief.peer,
        "rationale": belief.rationale,
        "provenance": belief.provenance,
    }
    if belief.old is not None:
        plain["old"] = belief.old
    return plain | _cycle_to_plain(belief.cycle)


def _directive_to_plain(directive: DirectivePayload) -> Plain:
    if directive.origin == EDITED_QUESTION:
        return {"kind": directive.origin, "asked": directive.asked}
    plain: Plain = {
        "kind": directive.origin,
        "directive": directive.directive,
        "action": directive.action,
        "message": directive.message,
        "rationale": directive.rationale,
        "why": directive.why,
        "expires_at": directive.expires_at,
    }
    if directive.asked is not None:
        plain["asked"] = directive.asked
    return plain | _cycle_to_plain(directive.cycle)


def _cycle_to_plain(cycle: CycleReference | None) -> Plain:
    if cycle is None:
        return {}
    plain: Plain = {"cycle": cycle.number}
    if cycle.trigger:
        plain["trigger"] = cycle.trigger
    if cycle.reflector:
        plain["reflector"] = cycle.reflector
    return plain


_WRITE = {
    WAKE: _wake_to_plain,
    ROUTE: _route_to_plain,
    ACT: _act_to_plain,
    ASSESSMENT: _assessment_to_plain,
    BELIEF: _belief_to_plain,
    DIRECTIVE: _directive_to_plain,
}


def _wake(plain: Plain, time: float) -> Plain:
    rows = plain.get("gathered")
    gathered = [
        _moment(each, each.get("time"))
        for each in (rows if isinstance(rows, list) else ())
        if isinstance(each, dict)
    ]
    moment = _moment(plain, time) if _is_whole(plain.get("event")) else None
    return plain | {"moment": moment, "gathered": gathered}


def _moment(plain: Plain, time: object) -> Plain:
    standing = _if_text(plain, "peer")
    if standing is not None:
        standing = standing | {"wakes_per_hour": plain.get("budget")}
    burst = plain.get("burst")
    if isinstance(burst, dict) and isinstance(features := burst.get("features"), dict):
        burst = burst | {"features": [[name, str(value)] for name, value in features.items()]}
    return plain | {"time": time, "standing": standing, "burst": burst}


def _route(plain: Plain, _: float) -> Plain:
    return plain | {"reading": _if_text(plain, "search"), "consent": plain.get("verdict")}


def _act(plain: Plain, _: float) -> Plain:
    return plain | {"tool_run": _if_text(plain, "sha256")}


def _reflection(plain: Plain, _: float) -> Plain:
    return plain | {"cycle": plain | {"number": plain.get("cycle")}, "origin": plain.get("kind")}


def _if_text(plain: Plain, key: str) -> Plain | None:
    """The row where it holds a text there: so it says that it has the part."""
    return plain if isinstance(plain.get(key), str) else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_NEST: Mapping[str, Callable[[Plain, float], Plain]] = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _reflection,
    BELIEF: _reflection,
    DIRECTIVE: _reflection,
}
"""From the keys of a row to those of the payload, whose parts stand beside each other there."""
