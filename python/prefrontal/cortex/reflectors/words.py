"""Sentences of the deterministic reflector: they cite counts, sizes and times, never words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from ...plain_text import visible
from ...plural import many
from ...redaction import redact
from .judgment import DAY_S, Estimate, Kind, PeerFinding, day

if TYPE_CHECKING:
    from .facts import PeerFacts

_KEY_LIMIT = 64
_RATIONALE_LIMIT = 600
_NAME_LIMIT = 60
_HELD = {
    "info": "no more is earned than is known",
    "size_jump": "the escalation limits it",
    "tempo": "the rush limits it",
    "steering": "who tries to steer the judge earns no more",
    "broken": "a broken promise limits it",
    "overdue": "no opinion before it was asked",
}


def rationale(peer: PeerFacts, findings: Sequence[PeerFinding], estimate: Estimate) -> str:
    """Why the peer has this trust: history, previous trust, reasons for the change, findings."""
    sentences = [each.text for each in sorted(findings, key=lambda each: _WEIGHT[each.kind])]
    if not sentences:
        sentences = ["Nothing stands out: requests of the usual size, no promise overdue"]
    mean = (
        f"Estimate {estimate.exact:+.1f} from {estimate.good:.1f} good and {estimate.bad:.1f} bad"
    )
    text = f"{_history(peer)}. {_revision(peer, findings, estimate)}."
    for part in (*sentences, mean):
        if len(text) + len(part) + 2 <= _RATIONALE_LIMIT:
            text = f"{text} {part}."
    return visible(text, _RATIONALE_LIMIT)


def belief_key(peer_id: str, suffix: str) -> str:
    """A kebab-case key for a belief about the peer; different peers never share one.

    An id that would make it look like a secret ("PK": "pk-...") gives only its hash: readers redact
    keys, and two redacted ones would be one belief.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", peer_id.lower()).strip("-")
    room = _KEY_LIMIT - len(suffix) - 1
    if slug != peer_id or len(slug) > room:
        mark = sha256(peer_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        slug = f"{slug[: room - 7].strip('-')}-{mark}".strip("-")
    key = f"{slug}-{suffix}"
    if redact(key) == key:
        return key
    return f"peer-{sha256(peer_id.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}-{suffix}"


def name_of(peer_id: str) -> str:
    """The id as it can stand in a sentence."""
    return visible(peer_id, _NAME_LIMIT)


def signed(trust: int) -> str:
    """The trust with its sign: "+3", "0", "-1"."""
    return f"{trust:+d}" if trust else "0"


def days_of(peer: PeerFacts) -> str:
    """How long the peer has been known, in words."""
    days = round(peer.span_days)
    if days < 1:
        return f"{max(0.0, peer.last_seen - peer.first_seen) / 3600:.1f} hours"
    return many(days, "day")


def _history(peer: PeerFacts) -> str:
    first, last = day(peer.first_seen), day(peer.last_seen)
    period = f"on {first}" if first == last else f"over {days_of(peer)} ({first} to {last})"
    text = f"{many(peer.count, 'interaction')} {period}, info {peer.info}/10"
    if not peer.requests:
        return text
    largest = max(peer.requests, key=lambda each: each.size)
    return (
        f"{text}; largest request {largest.size:,} characters on {day(largest.at)} "
        f"against a median of {peer.median_size:,}"
    )


def _revision(peer: PeerFacts, findings: Sequence[PeerFinding], estimate: Estimate) -> str:
    limit = f" ({_HELD[estimate.held_by]})" if estimate.held_by else ""
    if peer.trust is None:
        return f"First judgment: {signed(estimate.trust)}{limit}"
    prior = f"Prior trust {signed(peer.trust)} of {day(peer.assessed_at)}"
    if estimate.trust == peer.trust:
        return f"{prior} stands{limit}"
    causes = ", ".join(dict.fromkeys(_CAUSES[each.kind] for each in findings))
    since = _since(peer, estimate)
    return f"{prior} revised to {signed(estimate.trust)}{limit} because of {causes or since}"


def _since(peer: PeerFacts, estimate: Estimate) -> str:
    fresh = len(peer.fresh)
    if estimate.trust > (peer.trust or 0) and fresh:
        return f"{many(fresh, 'further regular interaction')} since"
    age = max(0.0, peer.last_seen - peer.assessed_at) / DAY_S
    return f"the {max(1, round(age))} days since, over which old evidence counts less"


_CAUSES: dict[Kind, str] = {
    "size_jump": "an escalation in size",
    "broken": "a broken promise",
    "steering": "tries to steer the judgment",
    "overdue": "an overdue promise",
    "tempo": "the tempo of a newcomer",
    "late": "a late promise",
    "kept": "a promise kept",
}
_WEIGHT = {kind: place for place, kind in enumerate(_CAUSES)}
"""The most serious first, for where there is room for few."""
