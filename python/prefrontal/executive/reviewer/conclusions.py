"""What one reflection came to, in the words of the executive."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...cortex.memory.directives import PENDING, QUEUED
from ...cortex.quoting import quote
from ...decisions.payloads import (
    APPROVED,
    REFLECTION,
    AssessmentPayload,
    BeliefPayload,
    CycleReference,
    DirectivePayload,
)
from ..nouns import Conclusion, HeardBelief

if TYPE_CHECKING:
    from ...cortex.models import Belief, ReflectionRecord
    from ...cortex.plugin import CortexPlugin

JUDGED = "judged"
"""Reason of an assessment that nothing held back."""
_QUOTE_LIMIT = 500
_OLD_SHARE = 0.5
"""What is left of the confidence in a belief that no cycle confirmed for long."""


@dataclass(frozen=True, slots=True)
class CortexBefore:
    """What the cortex held before a reflection, to tell what came of it."""

    cycle: int
    beliefs: Mapping[str, Belief]
    waiting: frozenset[str]

    @classmethod
    def of(cls, cortex: CortexPlugin) -> CortexBefore:
        held = {key: replace(each) for key, each in cortex.memory.beliefs.by_key.items()}
        waiting = {each.id for each in cortex.memory.directives.open if each.status == PENDING}
        return cls(cortex.memory.state.cycle, held, frozenset(waiting))


def conclusions(cortex: CortexPlugin, before: CortexBefore) -> tuple[Conclusion, ...]:
    """Assessments, beliefs and directives that came since, in this order, each kind in its own."""
    record = _new_record(cortex, before)
    result: list[Conclusion] = []
    if record is not None:
        result += _assessments(cortex, record)
        result += _beliefs(cortex, record, before.beliefs)
        result += [_directive(each, record.cycle) for each in record.directives]
    approved = [each for each in cortex.memory.directives.open if each.id in before.waiting]
    result += [_directive(each.to_json(), None) for each in approved if each.status == QUEUED]
    return tuple(result)


def confidence(cortex: CortexPlugin, belief: Belief) -> float:
    """How sure a belief is, 0..1: 1 for the operator's, else 1 - 1/2 to the number of cycles that
    found it (five of them are remembered), and half of that when none did for long.
    """
    if belief.pinned:
        return 1.0
    share = 1.0 - 0.5 ** max(1, len(belief.supporting_evidence))
    return share * _OLD_SHARE if cortex.memory.beliefs.is_stale(belief) else share


def heard(cortex: CortexPlugin, beliefs: Sequence[Belief]) -> tuple[HeardBelief, ...]:
    """The beliefs as the executive hears them."""
    return tuple(
        HeardBelief(each.key, each.value, confidence(cortex, each), each.pinned, each.tainted)
        for each in beliefs
    )


def _new_record(cortex: CortexPlugin, before: CortexBefore) -> ReflectionRecord | None:
    """The record of the cycle that was completed since, if one was."""
    last = cortex.memory.history[-1] if cortex.memory.history else None
    return last if last is not None and last.cycle > before.cycle and last.status == "ok" else None


def _assessments(cortex: CortexPlugin, record: ReflectionRecord) -> Iterator[Conclusion]:
    for each in record.assessments:
        if each["outcome"] != "recorded":
            continue
        trust, proposed = each["clamped"], each["proposed"]
        yield Conclusion(
            payload=AssessmentPayload(
                trust=trust,
                before=each["previous"],
                proposed=proposed,
                clamped=trust != proposed,
                info_score=_info_score(cortex, each["peer_id"]),
                cycle=_cycle(record),
            ),
            subject=each["peer_id"],
            text=each["rationale"],
            changed=trust != each["previous"],
            reason=each["why"] or JUDGED,
        )


def _info_score(cortex: CortexPlugin, peer_id: str) -> int | None:
    try:
        latest = cortex.host.ledger.get_peer_assessment_summary(peer_id)["latest"]
    except ValueError:
        return None
    return None if latest is None else int(latest["info_score"])


def _beliefs(
    cortex: CortexPlugin, record: ReflectionRecord, before: Mapping[str, Belief]
) -> Iterator[Conclusion]:
    """What was added or confirmed, then what has gone."""
    revised = {each["key"]: each["old"] for each in record.beliefs_revised}
    for key in record.beliefs_updated:
        belief = cortex.memory.beliefs.by_key.get(key)
        if belief is None:  # it found no room
            continue
        confirmed = "revised" if key in revised else "reaffirmed"
        change = "added" if key in record.beliefs_added else confirmed
        yield _belief(cortex, belief, change, record, revised.get(key))
    for key in record.beliefs_expired:
        if key in before and key not in cortex.memory.beliefs.by_key:
            yield _belief(cortex, before[key], "expired", record, None)


def _belief(
    cortex: CortexPlugin,
    belief: Belief,
    change: str,
    record: ReflectionRecord,
    old: str | None,
) -> Conclusion:
    expires = belief.expires_at
    return Conclusion(
        payload=BeliefPayload(
            change=change,
            expires_at=expires if math.isfinite(expires) else None,
            evidence=tuple(belief.supporting_evidence),
            pinned=belief.pinned,
            quarantined=belief.quarantined,
            peer=belief.peer_id,
            rationale=belief.rationale,
            provenance=belief.provenance,
            old=old,
            cycle=_cycle(record),
        ),
        subject=belief.key,
        text=belief.value,
        changed=change != "expired" and not belief.quarantined,
        reason=change,
        score=0.0 if change == "expired" else confidence(cortex, belief),
    )


def _directive(fields: Mapping[str, Any], cycle: int | None) -> Conclusion:
    """cycle: None for one that the operator has just approved."""
    words = [str(fields["action"]), str(fields["message"])]
    if fields.get("sources") and not fields.get("approved_by"):
        words = [each and quote(each, _QUOTE_LIMIT) for each in words]
    text = ": ".join(filter(None, words))
    return Conclusion(
        payload=DirectivePayload(
            origin=APPROVED if cycle is None else REFLECTION,
            directive=fields["id"],
            action=fields["action"],
            message=fields["message"],
            rationale=fields["rationale"],
            why=fields["why"],
            expires_at=fields["expires_at"],
            cycle=CycleReference(fields["cycle"]),
        ),
        subject=fields["target_peer"],
        text=text,
        changed=fields["status"] == QUEUED,
        reason=fields["status"],
    )


def _cycle(record: ReflectionRecord) -> CycleReference:
    return CycleReference(record.cycle, record.trigger, record.depth)
