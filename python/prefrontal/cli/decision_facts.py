"""What there is to say of a decision of each kind, besides what all have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..assembly.decision_words import trust_moved
from ..decisions.decision import ACT, ASSESSMENT, BELIEF, DIRECTIVE, ROUTE, WAKE
from .page import when

if TYPE_CHECKING:
    from ..decisions.log import Decision

Facts = Iterator[tuple[str, str]]
_VALUE_LIMIT = 1000
SUBJECTS = {
    WAKE: "module",
    ROUTE: "tool",
    ACT: "tool",
    ASSESSMENT: "peer",
    BELIEF: "belief",
    DIRECTIVE: "for",
}
"""What a page calls the subject of each kind."""
NOTHING_SAID = {
    WAKE: "No question was asked.",
    ROUTE: "Nothing was asked.",
    ACT: "Nothing came of it.",
}


def facts_of(record: Decision) -> Facts:
    """(name, text) of each thing that is known, in the order of a page."""
    yield from _KINDS.get(record.kind, _nothing)(record.details)


def scored(record: Decision) -> str | None:
    """The score and what it was held against; None where there is none."""
    if not math.isfinite(record.score):
        return None
    if record.kind == BELIEF:
        return f"{record.score:.0%} sure"
    held = f", threshold {record.threshold:.3f}" if math.isfinite(record.threshold) else ""
    return f"{record.score:.3f}{held}"


def _wake(details: Mapping[str, Any]) -> Facts:
    if "peer" in details:
        trust, shift = details.get("trust"), details.get("shift")
        moved = "" if not shift else f", which moved the score by {shift:+.2f} log-odds"
        yield "peer", f"{details['peer']}, trust {trust:+d}{moved}"
    if details.get("budget") is not None:
        yield "budget", f"{details['budget']:g} wakes an hour for this peer"


def _route(details: Mapping[str, Any]) -> Facts:
    yield "policy", str(details.get("policy", ""))
    if details.get("tool"):
        yield "file", str(details["tool"])
    if details.get("arguments"):
        yield "arguments", _value(details["arguments"])
    picked = details.get("picked", 0)
    for place, each in enumerate(details.get("considered", ())):
        flags = "; ".join(str(flag) for flag in each.get("flags", ()))
        mark = "taken: " if details.get("tool") and place == picked else ""
        told = f"{mark}{each['tool']} {each['score']:.3f}"
        yield "considered" if place == 0 else "", f"{told} ({flags})" if flags else told
    if details.get("beliefs"):
        yield "beliefs heard", ", ".join(details["beliefs"])
    if details.get("verdict"):
        verdict = details["verdict"]
        yield "consulted", f"{verdict['decision']}: {verdict['reasoning']}"
    if details.get("control"):
        yield "control agent", _control(details["control"])
    if details.get("plan"):
        yield "plan", _value(details["plan"])


def _control(told: Mapping[str, Any]) -> str:
    if not told.get("committed"):
        return "keeps the router's order until it has seen enough"
    why = ", ".join(f"{name} {amount:+.2f}" for name, amount in told.get("why", ()))
    return f"{'tries another one; ' if told.get('probing') else ''}by {why}"


def _act(details: Mapping[str, Any]) -> Facts:
    if details.get("value") is not None:
        yield "value", _value(details["value"])
    yield "useful", _word(details.get("useful"))
    yield "right choice", _word(details.get("accepted"))
    if details.get("level"):
        yield "sandbox", str(details["level"])
    if details.get("seconds"):
        yield "took", f"{details['seconds']:.2f} s"
    if details.get("validation"):
        yield "validation", str(details["validation"].get("summary", ""))
    if details.get("sha256"):
        yield "sha256", str(details["sha256"])


def _assessment(details: Mapping[str, Any]) -> Facts:
    yield "trust", trust_moved(details)
    if details.get("clamped"):
        yield "proposed", f"{details.get('proposed')}, which was held back"
    if details.get("info_score") is not None:
        yield "known", f"{details['info_score']}/10"
    yield from _cycle(details)


def _belief(details: Mapping[str, Any]) -> Facts:
    if details.get("old"):
        yield "before", str(details["old"])
    if details.get("peer"):
        yield "about", str(details["peer"])
    if details.get("rationale"):
        yield "because", str(details["rationale"])
    if details.get("evidence"):
        yield "evidence", "; ".join(str(each) for each in details["evidence"])
    if details.get("pinned"):
        yield "holds", "for as long as the operator pins it"
    elif details.get("expires_at") is not None:
        yield "holds until", when(details["expires_at"])
    yield from _cycle(details)


def _directive(details: Mapping[str, Any]) -> Facts:
    if details.get("rationale"):
        yield "because", str(details["rationale"])
    if details.get("expires_at") is not None:
        yield "holds until", when(details["expires_at"])
    if details.get("directive"):
        yield "directive", str(details["directive"])
    yield from _cycle(details)


def _cycle(details: Mapping[str, Any]) -> Facts:
    if details.get("cycle") is not None:
        by = f", started by {details['trigger']}" if details.get("trigger") else ""
        yield "reflection", f"{details['cycle']}{by}"


def _nothing(_: Mapping[str, Any]) -> Facts:
    yield from ()


def _word(told: object) -> str:
    return {True: "yes", False: "no"}.get(told, "nobody knows yet")  # type: ignore[call-overload,no-any-return]


def _value(told: object) -> str:
    text = json.dumps(told, ensure_ascii=False)
    return text if len(text) <= _VALUE_LIMIT else f"{text[:_VALUE_LIMIT]}…"


_KINDS: Mapping[str, Callable[[Mapping[str, Any]], Facts]] = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _assessment,
    BELIEF: _belief,
    DIRECTIVE: _directive,
}
