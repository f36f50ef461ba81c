"""Statements that read the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import rows
from .info_score import compute_info_score
from .models import Interaction, Peer, ScoredPeer

if TYPE_CHECKING:
    from ..storage.database import Database
    from .models import Assessment

TRAJECTORY_LENGTH = 5
_PAGE = 1000
_ALL = 2**62

_INTERACTION = """\
SELECT id, peer_id, direction, channel_type, channel_id, event_id, preview, size, created_at,
  correlation_id, outcome FROM interactions"""
_RECENT = """\
SELECT direction, preview, size, created_at, channel_type, outcome, judged_after FROM interactions
WHERE peer_id = ?
ORDER BY id DESC LIMIT ?"""
_ASSESSMENT = """\
SELECT id, peer_id, info_score, trust, rationale, created_at, origins FROM assessments"""
_STANDING = f"""\
SELECT {rows.PEER_COLUMNS}, (
  SELECT trust FROM assessments WHERE assessments.peer_id = peers.peer_id ORDER BY id DESC LIMIT 1
) FROM peers ORDER BY last_seen DESC, peer_id LIMIT ?"""

_TOTALS = """\
SELECT count(*), count(nullif(assessment_count, 0)), coalesce(sum(in_count), 0),
  coalesce(sum(out_count), 0), coalesce(sum(assessment_count), 0),
  min(first_seen), max(last_seen) FROM peers"""
_TRUSTS = """\
SELECT trust, count(*) FROM assessments
WHERE id IN (SELECT max(id) FROM assessments GROUP BY peer_id) GROUP BY trust ORDER BY trust"""


def summary(database: Database, peer: Peer, interactions: int) -> dict[str, Any]:
    """All facts of a peer, as `protocols.PeerLedger` says."""
    assessments = _last_assessments(database, peer.peer_id)
    result: dict[str, Any] = {
        "peer_id": peer.peer_id,
        "display_name": peer.display_name,
        "interaction_count": peer.interaction_count,
        "in_count": peer.in_count,
        "out_count": peer.out_count,
        "first_seen": peer.first_seen,
        "last_seen": peer.last_seen,
        "info_score": compute_info_score(peer, peer.assessment_count),
        "assessment_count": peer.assessment_count,
        "latest": _latest(assessments[-1]) if assessments else None,
        "trajectory": [each.trust for each in assessments],
    }
    if interactions > 0:
        result["recent"] = _recent(database, peer, interactions)
    return result


def latest_origins(database: Database, peer_id: str) -> tuple[str, ...]:
    """Whose words may be in the reason of the latest judgment; none without one."""
    sql = f"{_ASSESSMENT} WHERE peer_id = ? ORDER BY id DESC LIMIT 1"
    return tuple(
        origin
        for row in database.execute(sql, (peer_id,))
        for origin in rows.as_assessment(row).origins
    )


def _latest(last: Assessment) -> dict[str, Any]:
    return {
        "info_score": last.info_score,
        "trust": last.trust,
        "rationale": last.rationale,
        "created_at": last.created_at,
    }


def _recent(database: Database, peer: Peer, limit: int) -> list[dict[str, Any]]:
    names = ("direction", "preview", "size", "created_at", "channel_type")
    entries = []
    for *row, outcome, judged_after in reversed(database.execute(_RECENT, (peer.peer_id, limit))):
        entry = dict(zip(names, row, strict=True))
        if outcome is not None:
            fresh = judged_after == peer.assessment_count
            entry |= {"outcome": outcome, "outcome_is_new": fresh}
        entries.append(entry)
    return entries


def _last_assessments(database: Database, peer_id: str) -> list[Assessment]:
    """The newest judgments, oldest first."""
    sql = f"{_ASSESSMENT} WHERE peer_id = ? ORDER BY id DESC LIMIT {TRAJECTORY_LENGTH}"
    return [rows.as_assessment(row) for row in reversed(database.execute(sql, (peer_id,)))]


def each_interaction(database: Database, peer_id: str | None) -> Iterator[Interaction]:
    """Every interaction in the order of recording, read a page at a time."""
    where, values = _of(peer_id)
    sql = f"{_INTERACTION}{where}{' AND' if where else ' WHERE'} id > ? ORDER BY id LIMIT {_PAGE}"
    last = 0
    while page := database.execute(sql, (*values, last)):
        yield from (Interaction(*row) for row in page)
        last = page[-1][0]


def each_assessment(database: Database, peer_id: str | None) -> Iterator[Assessment]:
    """Every judgment in the order of recording, read a page at a time."""
    where, values = _of(peer_id)
    sql = f"{_ASSESSMENT}{where}{' AND' if where else ' WHERE'} id > ? ORDER BY id LIMIT {_PAGE}"
    last = 0
    while page := database.execute(sql, (*values, last)):
        yield from (rows.as_assessment(row) for row in page)
        last = page[-1][0]


def standings(database: Database, limit: int) -> list[ScoredPeer]:
    """Peers with their scores, the one seen last first; limit -1: all."""
    peers = []
    for *facts, trust in database.execute(_STANDING, (_ALL if limit < 0 else limit,)):
        peer = Peer(*facts)
        peers.append(ScoredPeer(peer, compute_info_score(peer, peer.assessment_count), trust))
    return peers


def totals(database: Database) -> dict[str, Any]:
    """Sums over all peers, as `Ledger.totals` says."""
    [(peers, judged_peers, incoming, outgoing, assessments, first, last)] = database.execute(
        _TOTALS
    )
    return {
        "peers": peers,
        "judged": judged_peers,
        "in": int(incoming),
        "out": int(outgoing),
        "assessments": int(assessments),
        "first_seen": first,
        "last_seen": last,
        "trust": {str(trust): count for trust, count in database.execute(_TRUSTS)},
    }


def _of(peer_id: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if peer_id is None else (" WHERE peer_id = ?", (peer_id,))
