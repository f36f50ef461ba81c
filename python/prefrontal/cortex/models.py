"""Beliefs, the proposals of a reflection, and the record of a cycle."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from ..plain_text import MORE

TRIGGERS = (
    "manual",
    "consult",
    "promise_timeout",
    "farming",
    "new_peer",
    "interaction_count",
    "timer",
)
"""What can start a cycle; of several that fire at once the first one is reported."""


@dataclass
class Belief:
    """A statement that the cortex holds to be true for a while.

    key: lowercase kebab-case. created_at: Unix seconds of the last confirmation, from which the
    time to live counts. source_cycle: the cycle that confirmed it last. peer_id: whom it is about,
    None for nobody in particular. first_seen_at: when it was first held. supporting_evidence:
    short notes such as "cycle 3". provenance: "reflection", "rules", "operator" or "import".
    quarantined: kept back until there is more evidence. pinned: the operator's; it never expires.
    sources: the origins of the words that it was made from, see `origins`; none for what no words
    of others went into. approved_by: who took it for the agent's own, "" for nobody.
    """

    key: str
    value: str
    rationale: str
    source_cycle: int
    created_at: float = field(default_factory=time.time)
    ttl_minutes: float = 120.0
    peer_id: str | None = None
    first_seen_at: float | None = None
    last_confirmed: float | None = None
    supporting_evidence: tuple[str, ...] = ()
    provenance: str = "reflection"
    quarantined: bool = False
    pinned: bool = False
    sources: tuple[str, ...] = ()
    approved_by: str = ""

    def __post_init__(self) -> None:
        if self.first_seen_at is None:
            self.first_seen_at = self.created_at
        if self.last_confirmed is None:
            self.last_confirmed = self.created_at

    @property
    def tainted(self) -> bool:
        """Whether others' words went into it and nobody approved it."""
        return bool(self.sources) and not self.approved_by and not self.pinned

    @property
    def is_expired(self) -> bool:
        """Whether it has expired, by the clock of this machine."""
        return self.expired_at(time.time())

    @property
    def expires_at(self) -> float:
        """The last moment at which it holds, in Unix seconds."""
        return math.inf if self.pinned else self.created_at + self.ttl_minutes * 60

    def expired_at(self, now: float) -> bool:
        """Whether it has expired at `now`; at exactly its end it has not."""
        return not self.pinned and now - self.created_at > self.ttl_minutes * 60

    def age_s(self, now: float) -> float:
        """Since it was confirmed last."""
        return max(0.0, now - self.created_at)

    def is_stale(self, cycle: int, expiry_cycles: int) -> bool:
        """Whether none of so many cycles confirmed it. cycle: the last one that was completed."""
        return not self.pinned and cycle - self.source_cycle >= expiry_cycles

    def status(self, cycle: int, expiry_cycles: int) -> str:
        """ "pinned", "quarantined", "stale" or "active"; see `is_stale`."""
        if self.pinned:
            return "pinned"
        if self.quarantined:
            return "quarantined"
        return "stale" if self.is_stale(cycle, expiry_cycles) else "active"

    def reaffirm(self, cycle: int, now: float | None = None) -> None:
        """Restart its time to live."""
        self.created_at = self.last_confirmed = time.time() if now is None else now
        self.source_cycle = cycle

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class ReflectionRecord:
    """The record of a cycle, for people and for the next cycle.

    timestamp: Unix seconds of the start. trigger: the first of `triggers`. status: "ok",
    "timeout", "parse", "unavailable", "skipped", "stopped", "error". depth: "rules", "triage" or
    "deep". assessments: one dict an entry with peer_id, proposed, clamped, previous, rationale,
    outcome ("recorded", "unchanged", "failed", "dropped") and why. beliefs_revised: dicts with
    key, old, new. tokens_in, tokens_out: None when nobody counted. useful: it changed something.
    sources: the origins of all words in the context.
    """

    cycle: int
    timestamp: float
    trigger: str = ""
    peers_assessed: list[str] = field(default_factory=list)
    beliefs_updated: list[str] = field(default_factory=list)
    summary: str = ""
    elapsed_seconds: float = 0.0
    triggers: tuple[str, ...] = ()
    status: str = "ok"
    depth: str = "deep"
    directives: tuple[dict[str, Any], ...] = ()
    assessments: tuple[dict[str, Any], ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""
    skip_reason: str = ""
    input_summary: str = ""
    beliefs_added: tuple[str, ...] = ()
    beliefs_reaffirmed: tuple[str, ...] = ()
    beliefs_expired: tuple[str, ...] = ()
    beliefs_revised: tuple[dict[str, Any], ...] = ()
    dropped: tuple[str, ...] = ()
    useful: bool = False
    sources: tuple[str, ...] = (MORE,)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ProposedAssessment:
    """trust: a whole number as the reflector gave it, not yet limited to anything."""

    peer_id: str
    trust: int
    rationale: str


@dataclass(frozen=True, slots=True)
class ProposedBelief:
    """key and value are already safe to stand in a prompt."""

    key: str
    value: str
    rationale: str
    peer_id: str | None = None


@dataclass(frozen=True, slots=True)
class ProposedDirective:
    """A next step of the agent towards a peer; message: words it may use.

    own_words: why it only repeats a peer's words; it then waits for approval.
    """

    target_peer: str
    action: str
    message: str = ""
    rationale: str = ""
    expires_minutes: float | None = None
    own_words: str = ""


@dataclass(frozen=True, slots=True)
class ProposedCommitment:
    """A promise of a peer. due: Unix seconds. sources: whose words may be in the text."""

    peer_id: str
    text: str
    due: float
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SoulAlignment:
    """How the agent's conduct fits its SOUL.md. score: 0..1, None when not given."""

    verdict: str
    score: float | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """A reflector's reply, parsed. dropped: a sentence for each entry that was ignored."""

    assessments: tuple[ProposedAssessment, ...] = ()
    beliefs: tuple[ProposedBelief, ...] = ()
    directives: tuple[ProposedDirective, ...] = ()
    commitments: tuple[ProposedCommitment, ...] = ()
    soul_alignment: SoulAlignment | None = None
    lessons: tuple[str, ...] = ()
    summary: str = ""
    dropped: tuple[str, ...] = ()
