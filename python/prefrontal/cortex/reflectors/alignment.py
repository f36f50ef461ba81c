"""How well the agent's conduct fits its SOUL.md, judged by counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ...plain_text import visible
from ...plural import many
from ...redaction import REDACTED, redact
from ..models import ProposedBelief, SoulAlignment

if TYPE_CHECKING:
    from .facts import Contact, PeerFacts

SOUL_KEY = "self-soul-alignment"
_GOOD, _MIXED = 0.75, 0.45
_PROMPT_S = 3600.0
_BRIEF = 1200
_VALUE_LIMIT = 240

_PROMPT = re.compile(r"\b(?:respon[ds]|answer|prompt(?:ly)?|reliab|helpful|on time)", re.I)
_SHORT = re.compile(r"\b(?:concise|brief|short|terse|succinct)", re.I)
_SECRETS = re.compile(r"\b(?:secret|private|confidential|privacy|credential|password)", re.I)


@dataclass(frozen=True, slots=True)
class _Check:
    share: float
    text: str


def verdict(soul: str, peers: Sequence[PeerFacts], now: float) -> SoulAlignment | None:
    """The alignment of the conduct in sight; None without a soul or conduct to compare.

    Each virtue that the soul names and that shows in counts is a share of 0..1: answers within an
    hour, answers of at most 1,200 characters, answers without a secret. A soul that names none of
    them is taken to want answers. The score is their mean: good from 0.75, mixed from 0.45.
    """
    if not soul.strip():
        return None
    checks_by_virtue = [
        check(peers, now)
        for pattern, check in ((_PROMPT, _answered), (_SHORT, _short), (_SECRETS, _kept_secrets))
        if pattern.search(soul)
    ]
    checks = [each for each in (checks_by_virtue or [_answered(peers, now)]) if each is not None]
    if not checks:
        return None
    score = sum(each.share for each in checks) / len(checks)
    word = "good" if score >= _GOOD else "mixed" if score >= _MIXED else "poor"
    return SoulAlignment(word, round(score, 2), "; ".join(each.text for each in checks))


def belief(alignment: SoulAlignment) -> ProposedBelief:
    """The belief that shows it to the agent's main loop."""
    word = visible(alignment.verdict, 40)
    value = visible(f"Soul alignment: {word}. {alignment.evidence}".strip(), _VALUE_LIMIT)
    score = "no score" if alignment.score is None else f"score {alignment.score:.2f}"
    return ProposedBelief(SOUL_KEY, value, f"Verdict against SOUL.md, {score}.")


def _answered(peers: Sequence[PeerFacts], now: float) -> _Check | None:
    """Requests old enough to be judged that had an answer within an hour."""
    requests = in_time = 0
    for peer in peers:
        for index, contact in enumerate(peer.contacts):
            if contact.direction == "in" and now - contact.at >= _PROMPT_S:
                requests += 1
                in_time += _answers(contact, peer.contacts[index + 1 :])
    if not requests:
        return None
    return _Check(in_time / requests, f"{in_time} of {requests} requests answered within an hour")


def _answers(contact: Contact, later: Sequence[Contact]) -> bool:
    return any(each.direction == "out" and each.at - contact.at <= _PROMPT_S for each in later)


def _short(peers: Sequence[PeerFacts], now: float) -> _Check | None:
    sizes = [each.size for each in _sent(peers)]
    if not sizes:
        return None
    share = sum(size <= _BRIEF for size in sizes) / len(sizes)
    return _Check(share, f"answers have a median of {round(median(sizes)):,} characters")


def _kept_secrets(peers: Sequence[PeerFacts], now: float) -> _Check | None:
    answers = _sent(peers)
    if not answers:
        return None
    leaks = sum(REDACTED in redact(each.preview) for each in answers)
    text = f"{leaks} of {many(len(answers), 'answer')} held what looks like a secret"
    return _Check(0.0 if leaks else 1.0, text)


def _sent(peers: Sequence[PeerFacts]) -> list[Contact]:
    return [each for peer in peers for each in peer.contacts if each.direction == "out"]
