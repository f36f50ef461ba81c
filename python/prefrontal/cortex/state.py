"""The documents of the cortex in the memory, as text and as typed values.

Three documents are written by the running cortex alone: beliefs (an object by key), history (a
list, the oldest cycle first) and state. The operator's wishes are the fourth, see `wishes`.
Reading raises ValueError for a damaged document, and ignores single damaged entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..plain_text import MORE
from ..typed_fields import damage, recover
from .models import Belief, ReflectionRecord

__all__ = [
    "BELIEFS_KEY",
    "CORRUPT_SUFFIX",
    "HISTORY_KEY",
    "STATE_KEY",
    "CortexState",
    "belief_status",
    "damage_in",
    "dump_beliefs",
    "dump_history",
    "listed_beliefs",
    "parse_beliefs",
    "parse_history",
    "parse_state",
]

BELIEFS_KEY = "cortex-beliefs"
HISTORY_KEY = "cortex-history"
STATE_KEY = "cortex-state"
CORRUPT_SUFFIX = "-corrupt"
"""Suffix of the key under which an unreadable text is set aside."""
EXPIRING_SHARE = 0.1
_DIGITS = 18
_DOCUMENTS = {
    BELIEFS_KEY: dict[str, Belief],
    HISTORY_KEY: list[ReflectionRecord],
}


@dataclass(slots=True)
class CortexState:
    """What survives a restart besides beliefs and history. Times are Unix seconds.

    cycle: cycles started. last_reflection_at: start of the last completed one; last_cycle_at: of
    the last one. skips: cycles that were not completed, by status. dropped_events: since the
    start. next_due: when the next cycle starts if nothing happens, None: it waits for something.
    thresholds: the ones in force, by name of the setting. trust: of `TrustLimiter.save`. engine:
    of `TriggerEngine.save` in base64, engine_at: its time then. promises: by key, with peer_id,
    text, due, sources. broken: promises that became overdue, by peer. left_out: peers that found no
    room in the last context. belief_evidence: of `BeliefStore.evidence`. usage, lessons, adaptive,
    directives, origins: of their `save`. wishes_at: the operator's newest wish that was followed.
    """

    cycle: int = 0
    last_reflection_at: float | None = None
    last_cycle_at: float | None = None
    saved_at: float | None = None
    skips: dict[str, int] = field(default_factory=dict)
    dropped_events: int = 0
    next_due: float | None = None
    thresholds: dict[str, Any] = field(default_factory=dict)
    trust: dict[str, Any] = field(default_factory=dict)
    engine: str = ""
    engine_at: float = 0.0
    promises: dict[str, Any] = field(default_factory=dict)
    broken: dict[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    belief_evidence: dict[str, int] = field(default_factory=dict)
    usage: list[dict[str, Any]] = field(default_factory=list)
    lessons: list[dict[str, Any]] = field(default_factory=list)
    adaptive: dict[str, Any] = field(default_factory=dict)
    directives: list[dict[str, Any]] = field(default_factory=list)
    origins: dict[str, Any] = field(default_factory=dict)
    wishes_at: float = 0.0

    def to_text(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def parse_state(document: str | None) -> CortexState:
    raw = _read(document)
    if raw is not None and not isinstance(raw, dict):
        raise ValueError(f"the state must be a JSON object, got {raw!r:.80}")
    return recover(CortexState, raw or {}, CortexState())


def parse_beliefs(document: str | None) -> list[Belief]:
    """Beliefs in the order in which they were formed."""
    raw = _read(document)
    if raw is None:
        return []
    if not isinstance(raw, dict):
        raise ValueError(f"beliefs must be a JSON object, got {raw!r:.80}")
    return [belief for each in raw.values() if (belief := _belief(each))]


def dump_beliefs(beliefs: Iterable[Belief]) -> str:
    return json.dumps({each.key: each.to_json() for each in beliefs}, ensure_ascii=False, indent=1)


def parse_history(document: str | None) -> list[ReflectionRecord]:
    """Records, the oldest first."""
    raw = _read(document)
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise ValueError(f"the history must be a JSON list, got {raw!r:.80}")
    return recover(list[ReflectionRecord], raw, [])


def dump_history(records: Sequence[ReflectionRecord]) -> str:
    return json.dumps([each.to_json() for each in records], ensure_ascii=False)


def damage_in(key: str, document: str | None) -> str:
    """What reading leaves out of a document that can be read, in a sentence; "" for nothing."""
    raw = _read(document)
    return "" if raw is None else damage(_DOCUMENTS.get(key, CortexState), raw)


def belief_status(belief: Belief, now: float, *, cycle: int, expiry_cycles: int = 5) -> str:
    """For people: as `Belief.status`, or "expiring" in the last tenth of its time."""
    status = belief.status(cycle, expiry_cycles)
    remaining_s = belief.expires_at - now
    ends_soon = remaining_s < belief.ttl_minutes * 60 * EXPIRING_SHARE
    return "expiring" if status == "active" and ends_soon else status


def listed_beliefs(
    beliefs: Iterable[Belief], now: float, *, cycle: int, expiry_cycles: int
) -> list[tuple[Belief, str]]:
    """Those that hold at `now`, each with its status: what is pinned first, then the newest, what
    is quarantined last.
    """
    listed = [
        (each, belief_status(each, now, cycle=cycle, expiry_cycles=expiry_cycles))
        for each in beliefs
        if not each.expired_at(now)
    ]
    order = {"pinned": 0, "quarantined": 2}
    return sorted(
        listed, key=lambda each: (order.get(each[1], 1), -each[0].created_at, each[0].key)
    )


def _belief(raw: object) -> Belief | None:
    if not isinstance(raw, dict) or "created_at" not in raw:
        return None
    rationale = raw.get("rationale")
    readable = {**raw, "rationale": rationale if isinstance(rationale, str) else ""}
    if raw.get("provenance", "reflection") == "reflection":
        readable.setdefault("sources", [MORE])  # of before it was written down
    return recover(Belief, readable, None)


def _read(document: str | None) -> Any:
    if document is None or not document.strip():
        return None
    try:
        return json.loads(document, parse_int=_integer, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("the document is nested too deep") from None


def _integer(digits: str) -> int | None:
    """A whole number; None, as for NaN and infinity, for one that cannot have been written here."""
    return int(digits) if len(digits) <= _DIGITS else None
