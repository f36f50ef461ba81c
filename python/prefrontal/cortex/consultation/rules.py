"""A verdict without a model: by the peer's trust, its facts and its findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..reflectors.words import signed
from .verdict import ConsultRequest, ConsultVerdict

if TYPE_CHECKING:
    from ..reflectors.rules import PeerJudgment, RulesReflector
    from .deferral import Kind

_AGAINST = frozenset({"size_jump", "steering", "broken", "tempo"})
_CONFIRM = "the operator confirms it"
_CONDITIONS: dict[Kind, tuple[str, ...]] = {
    "money": ("amount and recipient are the ones agreed", _CONFIRM),
    "irreversible": ("what would be lost is kept elsewhere first", _CONFIRM),
    "commitment": ("it is limited in time and effort",),
    "scope": ("a small part is done and checked first",),
}
_SURE = {"money": (7, 6), "irreversible": (4, 4), "commitment": (2, 2), "scope": (1, 3)}
_POLITE = {
    "money": "I have to check this first before anything is paid.",
    "irreversible": "I have to check this first because it cannot be undone.",
    "commitment": "I would like to look into it before I promise anything.",
    "scope": "Let us start with a small part of it and go on from there.",
}


def judge(
    request: ConsultRequest, context: Mapping[str, Any], reflector: RulesReflector
) -> ConsultVerdict:
    """Deny where conduct speaks against the peer, approve where enough speaks for it.

    In between it is conditional; money for somebody unknown is denied. context: of the one peer.
    """
    judgment = next(iter(reflector.judgments(context)), None)
    if judgment is None:
        return _unknown(request)
    objections = [each.text for each in judgment.findings if each.kind in _AGAINST]
    trust, info = _standing(judgment), judgment.peer.info
    facts = f"trust {signed(trust)}, info {info}/10, {judgment.peer.count} interactions"
    if objections or trust < 0:
        why = "; ".join([facts, *objections])
        return _answer("deny", request.kind, why)
    least_trust, least_info = _SURE[request.kind]
    if trust >= least_trust and info >= least_info:
        return ConsultVerdict("approve", reasoning=facts)
    why = f"{facts}; approved from trust {signed(least_trust)} and info {least_info}"
    return _answer(
        "deny" if request.kind == "money" and info <= 1 else "conditional", request.kind, why
    )


def _standing(judgment: PeerJudgment) -> int:
    """The lower of the trust on record and the trust that the facts support."""
    on_record = judgment.peer.trust
    supported = judgment.estimate.trust
    return supported if on_record is None else min(on_record, supported)


def _unknown(request: ConsultRequest) -> ConsultVerdict:
    why = "nothing is known of the peer" if request.peer_id else "no peer stands behind it"
    if request.kind == "money":
        return _answer("deny", request.kind, why)
    return _answer("conditional", request.kind, why)


def _answer(decision: Any, kind: Kind, why: str) -> ConsultVerdict:
    conditions = _CONDITIONS[kind] if decision == "conditional" else ()
    return ConsultVerdict(decision, conditions, why, _POLITE[kind])
