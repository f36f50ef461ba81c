"""What followed a wake: routes with their scores, and the history of reflection."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..cortex.models import ReflectionRecord
from ..decisions.newest import rank
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
from ..plural import many
from .markup import Html, fill, folded, join, moment

if TYPE_CHECKING:
    from ..decisions.decision import Decision

EDITED = "edited"
"""The reason of the directive that keeps a question in a person's words."""
ROUTES_READ, REFLECTIONS_READ = 60, 60
"""The newest that are looked at."""
ROUTES, REFLECTIONS = 5, 5
"""Groups on the page before those that are folded."""
MOST_CONSIDERED = 4
MOST_EARLIER = 5

_ROUTE = """\
<li id="$key" class="route folded"><details id="$key-all"><summary><b dir="auto">$subject</b>\
$count <span class="about">$how, $when</span></summary>
<p class="about" dir="auto">Asked: $prompt</p>
<p class="about" dir="auto">$why ($score)</p>$considered$consent$acts$earlier</details></li>"""
_LINE = '<li class="about"><b dir="auto">$tool</b> $score $flags</li>'
_REFLECTION = """\
<li id="$key" class="reflection folded"><details id="$key-all"><summary><span class="tag">$kind\
</span> <b dir="auto">$subject</b>$count <span class="about">$when</span></summary>
<p class="about" dir="auto">$what</p><p class="about">$more</p>$earlier</details></li>"""
_EARLIER = '<p class="about">$n earlier:</p><ol class="earlier">$lines</ol>'


Item = TypeVar("Item")


@dataclass(slots=True)
class _Group(Generic[Item]):
    """What looks alike, the newest first."""

    key: str
    items: list[Item] = field(default_factory=list)


def _alike(prefix: str, items: Iterable[tuple[object, Item]]) -> list[_Group[Item]]:
    """The items gathered by what each is alike in, in the order of the newest of each."""
    groups: dict[str, _Group[Item]] = {}
    for likeness, item in items:
        digest = sha256(repr(likeness).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        key = f"{prefix}-{digest}"
        groups.setdefault(key, _Group(key)).items.append(item)
    return list(groups.values())


def _times(count: int) -> Html | None:
    return fill(' <span class="tag">$n times</span>', n=f"{count:,}") if count > 1 else None


def _earlier(lines: Sequence[tuple[float, str]]) -> Html | None:
    """The moments and the words of those before the newest."""
    if not lines:
        return None
    items = [
        fill('<li class="about" dir="auto">$when: $what</li>', when=moment(time), what=what)
        for time, what in lines[:MOST_EARLIER]
    ]
    if rest := len(lines) - len(items):
        items.append(fill('<li class="about">$rest more</li>', rest=f"{rest:,}"))
    return fill(_EARLIER, n=f"{len(lines):,}", lines=join(items))


def route_pieces(
    routes: Sequence[tuple[int, Decision]], acts: Mapping[str, Sequence[Decision]]
) -> dict[str, Html]:
    """The latest routes, those to one tool that ended alike as one, the newest first.

    acts: what each led to, by its id.
    """
    groups = _alike("r", ((_route_likeness(r, acts.get(r.id, ())), r) for _, r in routes))
    pieces = [(each.key, _route(each, acts.get(each.items[0].id, ()))) for each in groups]
    return folded("r-more", pieces, ROUTES)


def _route_likeness(route: Decision, acts: Sequence[Decision]) -> tuple[object, ...]:
    payload = route.payload if isinstance(route.payload, RoutePayload) else RoutePayload()
    return (payload.tool or route.subject, route.reason, *(_status(each) for each in acts))


def _status(act: Decision) -> str:
    payload = act.payload if isinstance(act.payload, ActPayload) else ActPayload()
    return (payload.status or act.reason).replace("_", " ")


def _route(group: _Group[Decision], acts: Sequence[Decision]) -> Html:
    route, *before = group.items
    payload = route.payload if isinstance(route.payload, RoutePayload) else RoutePayload()
    return fill(
        _ROUTE,
        key=group.key,
        count=_times(len(group.items)),
        how=", ".join(map(_status, acts)) or route.reason.replace("_", " "),
        earlier=_earlier([(each.time, each.question or "nothing") for each in before]),
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
        status=_status(act),
        took=f" in {payload.seconds:.2f} s" if payload.tool_run else "",
        text=act.question or "",
    )


def reflection_pieces(
    decisions: Sequence[tuple[int, Decision]], cycles: Sequence[ReflectionRecord], now: float
) -> dict[str, Html]:
    """What reflection changed and when it ran, what is alike as one, the newest first.

    now: Unix seconds; what a clock that was ahead dated comes last.
    """
    rows: list[tuple[float, object, Decision | ReflectionRecord]] = [
        (each.time, (_kind(each), each.subject), each) for _, each in decisions
    ]
    rows += [(each.timestamp, ("cycle", each.trigger, each.status), each) for each in cycles]
    rows.sort(key=lambda row: rank(row[0], now))
    groups = _alike("d", ((likeness, each) for _, likeness, each in rows))
    pieces = [(each.key, _reflection(each)) for each in groups]
    return folded("d-more", pieces, REFLECTIONS)


def _reflection(group: _Group[Decision | ReflectionRecord]) -> Html:
    newest, *before = group.items
    facts = _of_cycle(newest) if isinstance(newest, ReflectionRecord) else _of_change(newest)
    return fill(
        _REFLECTION,
        key=group.key,
        count=_times(len(group.items)),
        earlier=_earlier([_line(each) for each in before]),
        **facts,
    )


def _line(item: Decision | ReflectionRecord) -> tuple[float, str]:
    if isinstance(item, ReflectionRecord):
        return item.timestamp, item.summary or item.skip_reason or "nothing to say"
    return item.time, item.question or item.reason.replace("_", " ")


def _kind(decision: Decision) -> str:
    return "your words" if decision.reason == EDITED else decision.kind


def _of_change(decision: Decision) -> dict[str, object]:
    return {
        "kind": _kind(decision),
        "subject": decision.subject,
        "what": _line(decision)[1],
        "when": moment(decision.time),
        "more": "".join(_facts(decision)),
    }


def _facts(decision: Decision) -> Iterator[str]:
    match decision.payload:
        case AssessmentPayload() as assessment:
            yield f"Trust {trust_moved(assessment)}"
            if assessment.clamped:
                yield f", clamped from {signed(assessment.proposed)}"
        case BeliefPayload(change=change):
            yield change or decision.reason
        case DirectivePayload():
            yield sentence(decision)


def _of_cycle(cycle: ReflectionRecord) -> dict[str, object]:
    parts = [
        many(len(cycle.peers_assessed), "peer") + " assessed",
        many(len(cycle.beliefs_updated), "belief") + " touched",
        f"{cycle.depth}, {cycle.elapsed_seconds:.1f} s",
    ]
    if cycle.tokens_in is not None or cycle.tokens_out is not None:
        parts.append(many((cycle.tokens_in or 0) + (cycle.tokens_out or 0), "token"))
    return {
        "kind": f"cycle {cycle.cycle}",
        "subject": f"{cycle.trigger.replace('_', ' ')}, {cycle.status}",
        "what": _line(cycle)[1],
        "when": moment(cycle.timestamp),
        "more": ", ".join(parts),
    }


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
