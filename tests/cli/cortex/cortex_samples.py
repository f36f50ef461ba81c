"""A workspace as a cortex leaves it, for tests of what the command line makes of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prefrontal.cortex.memory.directives import Directive
from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.cortex.state import CortexState, dump_beliefs, dump_history

MINUTE = 60.0


def belief(key: str, age_s: float, now: float, **changes: Any) -> Belief:
    told: dict[str, Any] = {
        "key": key,
        "value": f"What is held of {key}.",
        "rationale": "Six interactions over three weeks.",
        "source_cycle": 7,
        "created_at": now - age_s,
    }
    return Belief(**told | changes)


def record(cycle: int, timestamp: float, **changes: Any) -> ReflectionRecord:
    told: dict[str, Any] = {
        "cycle": cycle,
        "timestamp": timestamp,
        "trigger": "timer",
        "peers_assessed": [],
        "beliefs_updated": [],
        "summary": f"Summary of cycle {cycle}.",
        "elapsed_seconds": 3.25,
        "triggers": ("timer",),
    }
    return ReflectionRecord(**told | changes)


FARMING: dict[str, Any] = {
    "trigger": "farming",
    "triggers": ("farming", "timer"),
    "peers_assessed": ["npub-farm1", "npub-7x9k"],
    "beliefs_updated": ["npub-farm1-caution"],
    "beliefs_added": ("npub-farm1-caution",),
    "beliefs_reaffirmed": ("npub-7x9k-reliable",),
    "beliefs_expired": ("old-news",),
    "beliefs_revised": ({"key": "house", "old": "was so", "new": "is so"},),
    "assessments": (
        {
            "peer_id": "npub-farm1",
            "previous": 3,
            "proposed": -1,
            "clamped": 0,
            "rationale": "Five small requests in 14 days, then one twelve times as large.",
            "outcome": "recorded",
            "why": "at most 3 a cycle",
        },
        {
            "peer_id": "npub-7x9k",
            "previous": 3,
            "proposed": 4,
            "clamped": 4,
            "rationale": "Reliable follow-through.",
            "outcome": "recorded",
            "why": "",
        },
        {
            "peer_id": "npub-ghost",
            "previous": None,
            "proposed": 8,
            "clamped": 3,
            "rationale": "Nobody knows it.",
            "outcome": "failed",
            "why": "unknown peer",
        },
    ),
    "directives": (
        {
            "id": "directive-8-1",
            "target_peer": "npub-collab1",
            "action": "polite follow-up",
            "message": "Any update?",
            "rationale": "Two hours overdue.",
            "status": "queued",
        },
    ),
    "tokens_in": 2210,
    "tokens_out": 380,
    "model": "m-large",
    "input_summary": "3 peers, 6 interactions",
    "dropped": ("assessment 2: rationale must not be blank",),
    "useful": True,
}
"""A cycle in which everything happened."""


def directive(name: str, now: float, status: str = "pending") -> dict[str, Any]:
    """A directive as the cortex keeps it."""
    made = Directive(name, "bob", "ask", "", "", 9, now, now + 3600, status, sources=())
    return {**made.to_json(), "sources": []}


def full_state(now: float) -> CortexState:
    """A state in which something is to be told of everything."""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    return CortexState(
        cycle=9,
        skips={"timeout": 2, "parse": 1},
        dropped_events=12,
        next_due=now + 18.5 * MINUTE,
        thresholds={"interaction_threshold": 5},
        usage=[{"date": day, "cycles": 4, "tokens_in": 9000, "tokens_out": 1600}],
        directives=[directive("directive-9-1", now), directive("directive-8-1", now, "delivered")],
        promises={"k": {"peer_id": "bob", "text": "the report", "due": now - 7200}},
    )


class Kept:
    """Writes the documents of a cortex into `<workspace>/memory/files`."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.files = workspace / "memory" / "files"

    def write(
        self,
        beliefs: Iterable[Belief] = (),
        history: Iterable[ReflectionRecord] = (),
        state: CortexState | None = None,
    ) -> None:
        self.text("cortex-beliefs", dump_beliefs(beliefs))
        self.text("cortex-history", dump_history(list(history)))
        self.text("cortex-state", (state or CortexState()).to_text())

    def text(self, key: str, text: str) -> None:
        self.files.mkdir(parents=True, exist_ok=True)
        (self.files / f"{key}.md").write_text(text, encoding="utf-8")

    def wishes(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.files / "cortex-operator.md").read_text())
        return found
