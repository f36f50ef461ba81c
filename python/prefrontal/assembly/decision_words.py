"""Decisions of every kind in words: a line for a story, a sentence for an explanation."""

from __future__ import annotations

import math
from typing import Any

from ..decisions.decision import (
    ACT,
    ASSESSMENT,
    BELIEF,
    DIRECTIVE,
    ROUTE,
    WAKE,
    Decision,
)
from ..pulse.reason_words import sentence as reason_sentence

_STATUSES = {
    "done": "It was done.",
    "nothing": "It was done, and there was nothing to tell.",
    "invalid": "It was not run: the tool did not pass its trial.",
    "failed": "It failed.",
    "asked": "The agent was asked.",
    "deferred": "It was not done: it waits for somebody's word.",
}
_CHANGES = {
    "added": "It is believed from now on.",
    "reaffirmed": "It was found again, and is believed for longer.",
    "revised": "It was believed before, in other words.",
    "expired": "It is not believed any more: its time was over.",
}
_HELD = {
    "judged": "Nothing held the trust back.",
    "clamp": "The trust moved as far as one reflection may move it.",
    "policy": "The trust policy held it back.",
    "hour": "The trust moved as far as one hour may move it.",
}
_DIRECTIVES = {
    "queued": "It was handed to the agent.",
    "pending": "It waits for the operator's approval.",
    "dropped": "It was not handed on.",
}


def in_short(record: Decision) -> tuple[str, str]:
    """What it was, in a word or two, and what there is to say of it."""
    return _TOLD.get(record.kind, _plain)(record)


def sentence_of(record: Decision) -> str:
    """Why it was decided so, in a sentence; the reason itself where there is no other word."""
    reason = str(record.reason)
    if record.kind == WAKE:
        return reason_sentence(reason)
    if record.kind == ROUTE:
        return _routed(record)
    words = {ACT: _STATUSES, BELIEF: _CHANGES, ASSESSMENT: _HELD, DIRECTIVE: _DIRECTIVES}
    found = words.get(record.kind, {}).get(reason, reason)
    if record.kind == BELIEF and record.details.get("quarantined"):
        return "It is kept back until more is known: it rests on a peer's own words."
    why = record.details.get("why")
    return f"{found} ({why})" if record.kind == DIRECTIVE and why else found


def signed(trust: int) -> str:
    """`+3`, `0`, `-2`."""
    return f"{trust:+d}" if trust else "0"


def trust_moved(details: Any) -> str:
    """`new -> +2`, `+2 -> -1`, of the details of an assessment."""
    before = details.get("before")
    return f"{'new' if before is None else signed(before)} -> {signed(details.get('trust') or 0)}"


def _routed(record: Decision) -> str:
    verdict = record.details.get("verdict")
    if not record.acted and verdict:
        return f"It was held back: {verdict['decision']}. {verdict['reasoning']}"
    return str(record.details.get("sentence") or record.reason)


def _wake(record: Decision) -> tuple[str, str]:
    return record.subject, record.question or str(record.reason).replace("_", " ")


def _route(record: Decision) -> tuple[str, str]:
    if not record.acted:
        verdict = record.details.get("verdict") or {}
        return "held back", f"{record.subject}: {verdict.get('reasoning', '')}"
    sentence = record.details.get("sentence") or ""
    if not record.details.get("tool"):
        return "route", f"asks the agent. {sentence}"
    return "route", f"{record.subject} {record.score:.2f}. {sentence}"


def _act(record: Decision) -> tuple[str, str]:
    seconds = record.details.get("seconds") or 0.0
    took = f" in {seconds:.1f} s" if seconds >= 0.05 else ""
    said = (record.question or "").removeprefix(f"{record.subject} ")
    return str(record.reason), f"{record.subject}{took}: {said}"


def _assessment(record: Decision) -> tuple[str, str]:
    return "trust", f"{record.subject} {trust_moved(record.details)}. {record.question}"


def _belief(record: Decision) -> tuple[str, str]:
    sure = f" ({record.score:.0%})" if record.acted and math.isfinite(record.score) else ""
    return "belief", f"{record.subject} {record.reason}{sure}: {record.question}"


def _directive(record: Decision) -> tuple[str, str]:
    return "directive", f"for {record.subject}, {record.reason}: {record.question}"


def _plain(record: Decision) -> tuple[str, str]:
    return record.kind, record.question or record.subject


_TOLD = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _assessment,
    BELIEF: _belief,
    DIRECTIVE: _directive,
}
