"""What followed a wake: routes with their scores, and the history of reflection."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..decisions.payloads import (
    ACT,
    ActPayload,
    AssessmentPayload,
    BeliefPayload,
    Consent,
    Considered,
    DirectivePayload,
    RoutePayload,
)
from ..decisions.words import sentence, signed, trust_moved
from .markup import Html, fill, join, many, moment

if TYPE_CHECKING:
    from ..cortex.models import ReflectionRecord
    from ..decisions.decision import Decision

EDITED = "edited"
"""The reason of the directive that keeps a question in a person's words."""
ROUTES = 10
REFLECTIONS = 14
MOST_CONSIDERED = 4

_ROUTE = """\
<li id="r-$seq" class="route"><p class="text" dir="auto">$subject \
<span class="tag">$score</span></p>
<p class="about" dir="auto">$when; asked: $prompt</p>
<p class="about" dir="auto">$why</p>$considered$consent$acts</li>"""
_LINE = '<li class="about"><b dir="auto">$tool</b> $score $flags</li>'
_REFLECTION = """\
<li id="$key" class="reflection"><p class="text" dir="auto"><span class="tag">$kind</span> \
$subject</p>
<p class="about" dir="auto">$what</p><p class="about">$when$more</p></li>"""


def route_pieces(
    routes: Sequence[tuple[int, Decision]], acts: Mapping[str, Sequence[Decision]]
) -> dict[str, Html]:
    """The latest routes, the newest first. acts: what each led to, by its id."""
    return {f"r-{seq}": _route(seq, each, acts.get(each.id, ())) for seq, each in routes}


def _route(seq: int, route: Decision, acts: Sequence[Decision]) -> Html:
    payload = route.payload if isinstance(route.payload, RoutePayload) else RoutePayload()
    return fill(
        _ROUTE,
        seq=seq,
        subject=payload.tool or route.subject,
        score="no score" if math.isnan(route.score) else f"score {route.score:.2f}",
        when=moment(route.time),
        prompt=route.question or "nothing",
        why=sentence(route),
        considered=_considered(payload.considered),
        consent=_consent(payload.consent if route.acted else None),
        acts=join(_acted(each) for each in acts if each.kind == ACT),
    )


def _considered(considered: Sequence[Considered]) -> Html:
    if len(considered) < 2:
        return Html("")  # the one that was chosen stands above
    lines = [
        fill(_LINE, tool=each.tool, score=f"{each.score:.2f}", flags=", ".join(each.flags))
        for each in considered[:MOST_CONSIDERED]
    ]
    return fill('<ol class="considered" aria-label="considered">$lines</ol>', lines=join(lines))


def _consent(consent: Consent | None) -> Html:
    if consent is None:
        return Html("")
    text = '<p class="about" dir="auto">Consulted: $decision. $why</p>'
    return fill(text, decision=consent.decision, why=consent.reasoning)


def _acted(act: Decision) -> Html:
    payload = act.payload if isinstance(act.payload, ActPayload) else ActPayload()
    return fill(
        '<p class="about" dir="auto">Acted: $status$took. $text</p>',
        status=(payload.status or act.reason).replace("_", " "),
        took=f" in {payload.seconds:.2f} s" if payload.tool_run else "",
        text=act.question or "",
    )


def reflection_pieces(
    decisions: Sequence[tuple[int, Decision]], cycles: Sequence[ReflectionRecord]
) -> dict[str, Html]:
    """What reflection changed and when it ran, the newest first."""
    rows = [(each.time, f"d-{seq}", _changed(f"d-{seq}", each)) for seq, each in decisions]
    rows += [(each.timestamp, f"c-{each.cycle}", _cycle(each)) for each in cycles]
    rows.sort(key=lambda row: -row[0])
    return {key: html for _, key, html in rows[:REFLECTIONS]}


def _changed(key: str, decision: Decision) -> Html:
    return fill(
        _REFLECTION,
        key=key,
        kind="your words" if decision.reason == EDITED else decision.kind,
        subject=decision.subject,
        what=decision.question or decision.reason.replace("_", " "),
        when=moment(decision.time),
        more="".join(_facts(decision)),
    )


def _facts(decision: Decision) -> Iterator[str]:
    match decision.payload:
        case AssessmentPayload() as assessment:
            yield f"; trust {trust_moved(assessment)}"
            if assessment.clamped:
                yield f", clamped from {signed(assessment.proposed)}"
        case BeliefPayload(change=change):
            yield f"; {change or decision.reason}"
        case DirectivePayload():
            yield f"; {sentence(decision)}"


def _cycle(cycle: ReflectionRecord) -> Html:
    parts = [
        many(len(cycle.peers_assessed), "peer") + " assessed",
        many(len(cycle.beliefs_updated), "belief") + " touched",
        f"{cycle.depth}, {cycle.elapsed_seconds:.1f} s",
    ]
    if cycle.tokens_in is not None or cycle.tokens_out is not None:
        parts.append(many((cycle.tokens_in or 0) + (cycle.tokens_out or 0), "token"))
    return fill(
        _REFLECTION,
        key=f"c-{cycle.cycle}",
        kind=f"cycle {cycle.cycle}",
        subject=f"{cycle.trigger.replace('_', ' ')}, {cycle.status}",
        what=cycle.summary or cycle.skip_reason or "nothing to say",
        when=moment(cycle.timestamp),
        more="; " + ", ".join(parts),
    )


def clamps_of(cycles: Sequence[ReflectionRecord]) -> list[dict[str, Any]]:
    """The judgments that were limited: peer_id, proposed, clamped, at (Unix seconds)."""
    return [
        {
            "peer_id": each.get("peer_id"),
            "proposed": each["proposed"],
            "clamped": each["clamped"],
            "at": cycle.timestamp,
        }
        for cycle in cycles
        for each in cycle.assessments
        if each.get("outcome") == "recorded"
        and isinstance(each.get("proposed"), int)
        and isinstance(each.get("clamped"), int)
        and each["proposed"] != each["clamped"]
    ]
