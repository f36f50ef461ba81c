"""A payload as the JSON object of its row, and back.

The keys are those that logs have had since they keep anything here. A key that is missing, or that
holds what it cannot mean, counts as never written; one that is unknown is passed over: a log of any
release can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ..errors import InputError
from ..types import Standing
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
    Burst,
    Consent,
    Considered,
    ControlPick,
    CycleReference,
    DirectivePayload,
    FoldedWindow,
    Moment,
    Payload,
    PromptReading,
    RoutePayload,
    ToolRun,
    Validation,
    WakePayload,
)

Plain = dict[str, Any]
_FLAGS = ("closed", "wished", "waits", "late", "ended", "update")
"""Of a wake: written where they are true."""


def to_plain(payload: Payload) -> Plain:
    """The object; empty when there is nothing to keep."""
    if payload == PAYLOADS[payload.kind]():
        return {}
    return cast("Callable[[Payload], Plain]", _WRITE[payload.kind])(payload)


def from_plain(kind: str, plain: Mapping[str, Any], time: float) -> Payload:
    """The payload of a decision of that kind, decided at Unix second `time`.

    Raises InputError for a kind that this release does not know.
    """
    if kind not in _READ:
        raise InputError(f"kind must be one of {', '.join(_READ)}, got {kind!r}")
    return _READ[kind](_Fields(plain), time)


class _Fields:
    """An object of a row, read key by key."""

    def __init__(self, plain: object) -> None:
        self.plain = plain if isinstance(plain, Mapping) else {}

    def text(self, key: str) -> str:
        return self.maybe_text(key) or ""

    def maybe_text(self, key: str) -> str | None:
        value = self.plain.get(key)
        return value if isinstance(value, str) else None

    def whole(self, key: str) -> int:
        return self.maybe_whole(key) or 0

    def maybe_whole(self, key: str) -> int | None:
        value = self.plain.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, key: str) -> float:
        value = self.maybe_number(key)
        return 0.0 if value is None else value

    def maybe_number(self, key: str) -> float | None:
        value = self.plain.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def flag(self, key: str) -> bool:
        return self.plain.get(key) is True

    def maybe_flag(self, key: str) -> bool | None:
        value = self.plain.get(key)
        return value if isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(each for each in self._list(key) if isinstance(each, str))

    def pairs(self, key: str) -> tuple[tuple[str, float], ...]:
        return tuple(
            (str(each[0]), each[1])
            for each in self._list(key)
            if isinstance(each, list) and len(each) == 2 and isinstance(each[1], int | float)
        )

    def places(self, key: str) -> tuple[tuple[int, float], ...]:
        return tuple(
            (each[0], float(each[1]))
            for each in self._list(key)
            if isinstance(each, list)
            and len(each) == 2
            and isinstance(each[0], int)
            and isinstance(each[1], int | float)
        )

    def mapping(self, key: str) -> Plain:
        return self.maybe_mapping(key) or {}

    def maybe_mapping(self, key: str) -> Plain | None:
        value = self.plain.get(key)
        return value if isinstance(value, dict) else None

    def objects(self, key: str) -> tuple[_Fields, ...]:
        return tuple(_Fields(each) for each in self._list(key) if isinstance(each, dict))

    def _list(self, key: str) -> list[Any]:
        value = self.plain.get(key)
        return value if isinstance(value, list) else []


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
    return plain | {name: True for name in _FLAGS if getattr(wake, name)}


def _wake(row: _Fields, time: float) -> WakePayload:
    return WakePayload(
        run=row.text("run"),
        moment=_moment(row, time) if row.maybe_whole("event") is not None else None,
        gathered=tuple(_moment(each, each.number("time")) for each in row.objects("gathered")),
        closed=row.flag("closed"),
        held_back=row.maybe_text("held_back"),
        wished=row.flag("wished"),
        meanwhile=row.places("meanwhile"),
        waits=row.flag("waits"),
        folded=tuple(_folded(each) for each in row.objects("folded")),
        late=row.flag("late"),
        opening=row.text("opening"),
        ended=row.flag("ended"),
        update=row.flag("update"),
    )


def _folded(row: _Fields) -> FoldedWindow:
    return FoldedWindow(row.text("id"), row.number("time"), row.text("reason"), row.text("name"))


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


def _moment(row: _Fields, time: float) -> Moment:
    peer, standing = row.maybe_text("peer"), None
    if peer is not None:
        budget = row.maybe_number("budget")
        standing = Standing(peer, row.whole("trust"), row.number("shift"), budget)
    return Moment(
        row.whole("event"),
        time,
        row.number("monotonic"),
        row.whole("labels"),
        row.whole("slept"),
        standing,
        row.flag("alone"),
        _burst(row),
    )


def _burst(row: _Fields) -> Burst | None:
    plain = row.maybe_mapping("burst")
    if plain is None:
        return None
    burst = _Fields(plain)
    return Burst(
        burst.text("name"),
        burst.text("place"),
        burst.whole("windows"),
        burst.number("began"),
        burst.number("since"),
        burst.flag("look"),
        tuple((name, str(value)) for name, value in burst.mapping("features").items()),
    )


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


def _route(row: _Fields, _: float) -> RoutePayload:
    reading, control, consent = None, None, None
    if row.maybe_text("search") is not None:
        reading = PromptReading(
            row.maybe_text("domain"),
            row.maybe_text("action"),
            row.number("confidence"),
            row.text("search"),
        )
    if (plain := row.maybe_mapping("control")) is not None:
        pick = _Fields(plain)
        control = ControlPick(
            pick.flag("committed"),
            pick.flag("probing"),
            pick.number("harm"),
            pick.number("goal"),
            pick.pairs("why"),
        )
    if (plain := row.maybe_mapping("verdict")) is not None:
        verdict = _Fields(plain)
        consent = Consent(verdict.text("decision"), verdict.text("reasoning"))
    return RoutePayload(
        policy=row.text("policy"),
        tool=row.text("tool"),
        arguments=row.mapping("arguments"),
        sentence=row.text("sentence"),
        considered=tuple(map(_considered, row.objects("considered"))),
        picked=row.whole("picked"),
        reading=reading,
        control=control,
        taught=row.whole("taught"),
        beliefs=row.texts("beliefs"),
        plan=row.maybe_mapping("plan"),
        consent=consent,
    )


def _considered(row: _Fields) -> Considered:
    features = row.mapping("features")
    return Considered(
        row.text("tool"), row.text("name"), row.number("score"), row.texts("flags"), features
    )


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


def _act(row: _Fields, _: float) -> ActPayload:
    tool_run, validation = None, None
    if (plain := row.maybe_mapping("validation")) is not None:
        tried = _Fields(plain)
        validation = Validation(tried.flag("ok"), tried.text("summary"))
    if (digest := row.maybe_text("sha256")) is not None:
        tool_run = ToolRun(row.text("tool"), digest, validation, row.maybe_text("level"))
    return ActPayload(
        status=row.text("status"),
        value=row.plain.get("value"),
        useful=row.maybe_flag("useful"),
        accepted=row.maybe_flag("accepted"),
        seconds=row.number("seconds"),
        tool_run=tool_run,
    )


def _assessment_to_plain(assessment: AssessmentPayload) -> Plain:
    return {
        "trust": assessment.trust,
        "before": assessment.before,
        "proposed": assessment.proposed,
        "clamped": assessment.clamped,
        "info_score": assessment.info_score,
        **_cycle_to_plain(assessment.cycle),
    }


def _assessment(row: _Fields, _: float) -> AssessmentPayload:
    return AssessmentPayload(
        trust=row.whole("trust"),
        before=row.maybe_whole("before"),
        proposed=row.whole("proposed"),
        clamped=row.flag("clamped"),
        info_score=row.maybe_whole("info_score"),
        cycle=_cycle(row),
    )


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


def _belief(row: _Fields, _: float) -> BeliefPayload:
    return BeliefPayload(
        change=row.text("change"),
        expires_at=row.maybe_number("expires_at"),
        evidence=row.texts("evidence"),
        pinned=row.flag("pinned"),
        quarantined=row.flag("quarantined"),
        peer=row.maybe_text("peer"),
        rationale=row.text("rationale"),
        provenance=row.text("provenance"),
        old=row.maybe_text("old"),
        cycle=_cycle(row),
    )


def _directive_to_plain(directive: DirectivePayload) -> Plain:
    if directive.origin == EDITED_QUESTION:
        return {"kind": directive.origin, "asked": directive.asked}
    plain = {
        "kind": directive.origin,
        "directive": directive.directive,
        "action": directive.action,
        "message": directive.message,
        "rationale": directive.rationale,
        "why": directive.why,
        "expires_at": directive.expires_at,
    }
    return plain | _cycle_to_plain(directive.cycle)


def _directive(row: _Fields, _: float) -> DirectivePayload:
    return DirectivePayload(
        origin=row.text("kind"),
        directive=row.text("directive"),
        action=row.text("action"),
        message=row.text("message"),
        rationale=row.text("rationale"),
        why=row.text("why"),
        expires_at=row.maybe_number("expires_at"),
        cycle=_cycle(row),
        asked=row.maybe_text("asked"),
    )


def _cycle_to_plain(cycle: CycleReference | None) -> Plain:
    if cycle is None:
        return {}
    plain: Plain = {"cycle": cycle.number}
    if cycle.trigger:
        plain["trigger"] = cycle.trigger
    if cycle.reflector:
        plain["reflector"] = cycle.reflector
    return plain


def _cycle(row: _Fields) -> CycleReference | None:
    number = row.maybe_whole("cycle")
    return (
        None
        if number is None
        else CycleReference(number, row.text("trigger"), row.text("reflector"))
    )


_WRITE = {
    WAKE: _wake_to_plain,
    ROUTE: _route_to_plain,
    ACT: _act_to_plain,
    ASSESSMENT: _assessment_to_plain,
    BELIEF: _belief_to_plain,
    DIRECTIVE: _directive_to_plain,
}
_READ: Mapping[str, Callable[[_Fields, float], Payload]] = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _assessment,
    BELIEF: _belief,
    DIRECTIVE: _directive,
}
