"""Beliefs in a backtest: a caution for each distrusted or farming peer."""

from __future__ import annotations

from ...settings.cortex import CortexSettings
from ..lineage import SourcedBelief
from ..memory.beliefs import BeliefStore
from ..models import ProposedBelief
from ..reply.parsing import belief_key


class Cautions:
    """The beliefs of one agent about all peers, with the usual bounds: 20 of them, two hours.

    written: how many were taken in. warned: how many very bad ratings came while a caution about
    the rated peer was held, of `asked`.
    """

    def __init__(self) -> None:
        self._store = BeliefStore(CortexSettings())
        self.written = 0
        self.warned = 0
        self.asked = 0

    def ask(self, peer_id: str, now: float) -> None:
        """Count a very bad rating, and whether a caution about the peer preceded it."""
        belief = self._store.by_key.get(_key(peer_id))
        self.asked += 1
        self.warned += belief is not None and not belief.expired_at(now)

    def write(self, peer_id: str, why: str, *, cycle: int, now: float) -> None:
        """Add or confirm a caution about the peer."""
        value = "Little trust: verify before anything large."
        belief = ProposedBelief(_key(peer_id), value, why, peer_id)
        self._store.update([SourcedBelief(belief, "")], cycle=cycle, now=now, provenance="backtest")
        self.written += 1

    def __len__(self) -> int:
        return len(self._store.by_key)


def _key(peer_id: str) -> str:
    return belief_key(f"{peer_id}-caution")
