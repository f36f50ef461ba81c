"""The beliefs of one agent: few, each for a while, the operator's above the reflector's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...origins import foreign, peer_origin, united
from ..context.prompt import belief_block, belief_line
from ..models import Belief
from ..quoting import statement
from ..reply.parsing import VALUE_LIMIT, belief_key

if TYPE_CHECKING:
    from ..lineage import SourcedBelief
    from .wishes import OperatorWishes

_EVIDENCE_KEPT = 5


class BeliefRules(Protocol):
    """The settings that beliefs follow."""

    @property
    def max_beliefs(self) -> int: ...
    @property
    def belief_ttl_minutes(self) -> float: ...
    @property
    def belief_expiry_cycles(self) -> int: ...
    @property
    def stale_beliefs(self) -> Literal["mark", "omit", "ignore"]: ...
    @property
    def max_belief_chars(self) -> int: ...


@dataclass(slots=True)
class BeliefChanges:
    """What an update did, as keys. revised: key, old and new value. refused: sentences."""

    added: list[str] = field(default_factory=list)
    reaffirmed: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)
    revised: list[dict[str, Any]] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class BeliefStore:
    """Beliefs by key. version grows with every change; cycle: the last one that was completed."""

    def __init__(self, rules: BeliefRules) -> None:
        self.rules = rules
        self.by_key: dict[str, Belief] = {}
        self.version = 0
        self.cycle = 0
        self._evidence: dict[str, int] = {}

    def active(self, now: float) -> list[Belief]:
        """Beliefs in force at `now`: neither expired nor quarantined."""
        return [each for each in self.held(now) if not each.quarantined]

    def held(self, now: float) -> list[Belief]:
        """Beliefs that have not expired, quarantined ones too."""
        return [each for each in self.by_key.values() if not each.expired_at(now)]

    def is_stale(self, belief: Belief) -> bool:
        """Whether no cycle confirmed it for `belief_expiry_cycles`."""
        return belief.is_stale(self.cycle, self.rules.belief_expiry_cycles)

    def settle(self, now: float) -> None:
        """Let beliefs from the future, from before the clock was set back, count from now."""
        for belief in self.by_key.values():
            belief.created_at = min(belief.created_at, now)

    def expire(self, now: float) -> list[str]:
        """Remove expired beliefs, once they are settled; returns their keys."""
        self.settle(now)
        keys = [key for key, belief in self.by_key.items() if belief.expired_at(now)]
        self._remove(keys)
        return keys

    def update(
        self,
        proposed: Iterable[SourcedBelief],
        *,
        cycle: int,
        now: float,
        provenance: str,
        sources: tuple[str, ...] = (),
    ) -> BeliefChanges:
        """Apply the beliefs that a reflection proposes. sources: the origins of its words.

        A belief with the same key is confirmed, and revised when its value is another. One that
        rests on a peer's own words alone is quarantined until a later cycle confirms it on more
        evidence. Pinned ones stay as they are. Over the cap quarantined ones go first, then the
        oldest.
        """
        self.cycle = cycle
        changes = BeliefChanges(expired=self.expire(now))
        for each in proposed:
            known = self.by_key.get(each.belief.key)
            if known is None:
                self._add(each, cycle, now, provenance, sources, changes)
            elif known.pinned:
                changes.refused.append(f"{known.key} is pinned")
            else:
                self._confirm(known, each, cycle, now, provenance, sources, changes)
        changes.expired += self._evict(now)
        self.version += 1
        return changes

    def _add(
        self,
        each: SourcedBelief,
        cycle: int,
        now: float,
        provenance: str,
        sources: tuple[str, ...],
        changes: BeliefChanges,
    ) -> None:
        belief = Belief(
            key=each.belief.key,
            value=each.belief.value,
            rationale=each.belief.rationale,
            source_cycle=cycle,
            created_at=now,
            ttl_minutes=self.rules.belief_ttl_minutes,
            peer_id=each.belief.peer_id,
            supporting_evidence=(_note(cycle, each),),
            provenance=provenance,
            quarantined=bool(each.own_words),
            sources=sources,
        )
        self.by_key[belief.key] = belief
        changes.added.append(belief.key)
        if belief.quarantined:
            changes.quarantined.append(belief.key)
            self._evidence[belief.key] = each.evidence

    def _confirm(
        self,
        known: Belief,
        each: SourcedBelief,
        cycle: int,
        now: float,
        provenance: str,
        sources: tuple[str, ...],
        changes: BeliefChanges,
    ) -> None:
        revised = known.value != each.belief.value
        if revised and each.own_words and not known.quarantined:
            changes.refused.append(f"{known.key} is not revised: {each.own_words}")
            return
        if known.quarantined and not each.own_words:
            known.quarantined = each.evidence <= self._evidence.get(known.key, -1)
        if revised:
            change = {"key": known.key, "old": known.value, "new": each.belief.value}
            changes.revised.append(change)
            known.value = each.belief.value
        about = each.belief.peer_id or known.peer_id
        if revised or about != known.peer_id:  # then it is another statement
            known.sources, known.approved_by = sources, ""
        known.rationale = each.belief.rationale or known.rationale
        known.peer_id = about
        known.provenance = provenance
        known.ttl_minutes = self.rules.belief_ttl_minutes
        notes = (*known.supporting_evidence, _note(cycle, each))
        known.supporting_evidence = notes[-_EVIDENCE_KEPT:]
        known.reaffirm(cycle, now)
        changes.reaffirmed.append(known.key)
        if known.quarantined:
            changes.quarantined.append(known.key)

    def _evict(self, now: float) -> list[str]:
        over = len(self.by_key) - self.rules.max_beliefs
        evictable = [each for each in self.by_key.values() if not each.pinned]
        evictable.sort(key=lambda each: (not each.quarantined, each.created_at))
        keys = [each.key for each in evictable[: max(0, over)]]
        self._remove(keys)
        return keys

    def _remove(self, keys: Iterable[str]) -> None:
        for key in keys:
            if self.by_key.pop(key, None) is not None:
                self._evidence.pop(key, None)
                self.version += 1

    def obey(self, wishes: OperatorWishes, always: Mapping[str, str]) -> list[str]:
        """Pin, forget and approve as the operator wishes; returns the changed keys.

        always: beliefs that the settings pin, by key.
        """
        before = self.by_key
        unpinned = [replace(each, pinned=False) for each in before.values()]
        pinned = {belief_key(key): value for key, value in always.items()}
        candidates = {
            each.key: _safe(each) for each in wishes.applied(unpinned, pinned) if each.key
        }
        rejected = wishes.rejected
        after = {
            key: each
            for key, each in candidates.items()
            if not (key in rejected and each.quarantined)
        }
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        if changed:
            self.by_key = after
            self.version += 1
        return changed

    def render(self, peer_id: str, now: float) -> tuple[str, float]:
        """The block for a prompt of a conversation with that peer, and until when it is valid.

        First beliefs about the peer, then pinned ones, then the newest, as far as there is room.
        Beliefs about others are not among them, unless the operator approved or pinned them. What
        words of others went into stands there as a quote in a conversation with one of these, or
        with whom it is about, and in no other, until it is approved.
        """
        rules = self.rules
        name = belief_key(peer_id)
        beliefs = self._shown(peer_id, now)
        beliefs.sort(
            key=lambda each: (not _is_about(each, peer_id, name), not each.pinned, -each.created_at)
        )
        mark = rules.stale_beliefs == "mark"
        lines = [
            belief_line(
                each,
                stale=mark and self.is_stale(each),
                marked=each.tainted and bool(foreign(each.sources, peer_id)),
            )
            for each in beliefs
        ]
        until = min((each.expires_at for each in beliefs), default=math.inf)
        return belief_block(lines, rules.max_belief_chars), until

    def _shown(self, peer_id: str, now: float) -> list[Belief]:
        """What stands in a conversation with the peer; "" for one that nobody in particular has."""
        return [
            each
            for each in self.active(now)
            if self.rules.stale_beliefs != "omit" or not self.is_stale(each)
            if shown_to(each, peer_id)
        ]

    def origins(self, peer_id: str, now: float) -> tuple[str, ...]:
        """The origins of what stands in a conversation with the peer."""
        return united(*(each.sources for each in self._shown(peer_id, now) if each.tainted))

    def for_context(self, now: float) -> list[dict[str, Any]]:
        """As the reflector sees them, the newest first.

        Without the quarantined: the reflector must find those again in new evidence.
        """
        beliefs = sorted(self.active(now), key=lambda each: (not each.pinned, -each.created_at))
        return [
            {
                "key": each.key,
                "value": each.value,
                "peer_id": each.peer_id,
                "age_minutes": round((now - each.created_at) / 60),
                "cycle": each.source_cycle,
                "status": each.status(self.cycle, self.rules.belief_expiry_cycles),
            }
            for each in beliefs
        ]

    def load(self, beliefs: Sequence[Belief], evidence: Mapping[str, int], now: float) -> None:
        """Start from stored beliefs; drops expired ones."""
        self.by_key = {each.key: each for each in beliefs}
        self._evidence = dict(evidence)
        self.expire(now)
        self._evict(now)
        self.version += 1

    @property
    def evidence(self) -> dict[str, int]:
        """By key, the count of known facts of the peer when a belief was quarantined."""
        return dict(self._evidence)


def _note(cycle: int, each: SourcedBelief) -> str:
    return f"cycle {cycle}: {each.own_words}" if each.own_words else f"cycle {cycle}"


def _is_about(belief: Belief, peer_id: str, name: str) -> bool:
    """Whether it is about the peer, by its peer_id or by the peer's name in the key."""
    if belief.peer_id is not None or not name:
        return belief.peer_id == peer_id
    return f"-{name}-" in f"-{belief.key}-"


def shown_to(belief: Belief, peer_id: str) -> bool:
    """Whether it stands in a conversation with the peer, as a quote or plainly."""
    if belief.pinned or belief.approved_by:
        return True
    if belief.peer_id is not None:
        return belief.peer_id == peer_id
    if not belief.tainted or not foreign(belief.sources, peer_id):
        return True
    return peer_origin(peer_id) in belief.sources or _is_about(belief, peer_id, belief_key(peer_id))


def _safe(belief: Belief) -> Belief:
    """The operator's belief, made safe like all others."""
    if not belief.pinned:
        return belief
    return replace(belief, key=belief_key(belief.key), value=statement(belief.value, VALUE_LIMIT))
