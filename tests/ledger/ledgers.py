"""Ledgers for tests."""

from __future__ import annotations

from pathlib import Path

from prefrontal.ledger import Ledger
from prefrontal.testing import ManualClock

NOW = 1_700_000_000.0
DAY_S = 86_400.0


def filled(ledger: Ledger, peer_id: str = "alice", interactions: int = 6, days: float = 21) -> None:
    """Let the peer write so many messages over so many days, each answered."""
    step = days * DAY_S / max(1, interactions - 1)
    for number in range(interactions):
        at = NOW + number * step
        ledger.record_interaction(
            peer_id,
            "in",
            display_name=peer_id.title(),
            channel_type="http",
            channel_id="room",
            event_id=f"http:room:{peer_id}{number}",
            preview=f"question {number}",
            size=10 + number,
            created_at=at,
        )
        ledger.record_interaction(peer_id, "out", preview="answer", size=6, created_at=at + 1)


def on_disk(folder: Path, clock: ManualClock | None = None) -> Ledger:
    return Ledger(folder / "ledger.sqlite", clock=clock or ManualClock(NOW))
