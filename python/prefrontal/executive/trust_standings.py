"""Who is behind a signal, and what the trust in them means for the gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ledger.drafts import encodable
from ..ledger.ledger import Ledger
from ..ledger.location import file_name, ledger_path
from ..plain_text import one_line
from ..plugin.messages import SYSTEM_SENDER
from ..types import SignalEvent, Standing

if TYPE_CHECKING:
    from ..ledger.models import ScoredPeer
    from ..settings.executive import ExecutiveSettings, TrustSettings

LONGEST_PEER = 200
_SOURCE, _ACTOR = "source:", "actor:"
"""Beginnings that no name has: releases before this one judged sources, too."""


def peer_of(event: SignalEvent) -> str | None:
    """The peer behind a signal: its feature "actor"; None without one, a source is no peer.

    Nobody can pass for the agent itself by a name.
    """
    actor = event.features.get("actor")
    name = one_line(actor).strip() if isinstance(actor, str) else ""
    if not name:
        return None
    if name.startswith((_SOURCE, _ACTOR)) or name == SYSTEM_SENDER:
        name = _ACTOR + name
    return encodable(name)[:LONGEST_PEER]


class TrustStandings:
    """The role `protocols.Standings`: the last trust in each peer, a look-up in memory.

    Any thread may ask while another tells of a new judgment.
    """

    def __init__(self, settings: TrustSettings) -> None:
        self._settings = settings
        self._by_peer: dict[str, Standing] = {}

    def standing(self, event: SignalEvent) -> Standing | None:
        """What is held of the peer behind the signal; None when nobody judged it."""
        peer = peer_of(event) if self._by_peer else None
        return None if peer is None else self._by_peer.get(peer)

    def trust(self, peer_id: str) -> int | None:
        """The last trust, -10..10."""
        held = self._by_peer.get(peer_id)
        return None if held is None else held.trust

    def judged(self, peer_id: str, trust: int) -> None:
        """Take in a judgment: the peer's next signal is seen by it."""
        settings = self._settings
        budget = settings.wakes_per_hour if trust < settings.budget_below else None
        shift = trust * settings.log_odds_per_point
        self._by_peer[peer_id] = Standing(peer_id, trust, shift, budget)

    def load(self, standings: Iterable[ScoredPeer]) -> None:
        """Take in what a ledger holds: `Ledger.standings()`."""
        for each in standings:
            if each.trust is not None:
                self.judged(each.peer.peer_id, each.trust)


def known_standings(
    trust: TrustSettings, config: Mapping[str, Any], workspace: Path | None
) -> TrustStandings:
    """The trust that the ledger of the workspace holds. Raises SourceError when it is damaged."""
    standings = TrustStandings(trust)
    path = ledger_path(file_name(config), workspace)
    if isinstance(path, Path) and path.exists():
        with Ledger(path, read_only=True) as ledger:
            standings.load(ledger.standings())
    return standings


def gate_standings(
    settings: ExecutiveSettings, config: Mapping[str, Any], workspace: Path | None
) -> TrustStandings | None:
    """What the gate hears of peers; None where trust is not linked to it."""
    return known_standings(settings.trust, config, workspace) if settings.links.trust else None
