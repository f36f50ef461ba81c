"""Statements that write, inside the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..origins import dump_origins, parse_origins
from .info_score import compute_info_score
from .models import Assessment, Peer, Recorded

if TYPE_CHECKING:
    from ..storage.database import Database, Row
    from .drafts import NewAssessment, NewInteraction

_INTERACTION = """\
INSERT INTO interactions
(peer_id, direction, channel_type, channel_id, event_id, preview, size, created_at, correlation_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_id) DO NOTHING RETURNING id"""
_SEEN = """\
INSERT INTO peers
(peer_id, display_name, channel_type, first_seen, last_seen, in_count, out_count)
VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6) ON CONFLICT (peer_id) DO UPDATE SET
  display_name = CASE WHEN ?2 = '' THEN peers.display_name ELSE ?2 END,
  channel_type = CASE WHEN ?3 = '' THEN peers.channel_type ELSE ?3 END,
  first_seen = CASE WHEN ?4 < peers.first_seen THEN ?4 ELSE peers.first_seen END,
  last_seen = CASE WHEN ?5 > 0 AND ?4 > peers.last_seen THEN ?4 ELSE peers.last_seen END,
  in_count = peers.in_count + ?5,
  out_count = peers.out_count + ?6
RETURNING in_count"""
PEER_COLUMNS = (
    "peer_id, display_name, channel_type, first_seen, last_seen, in_count, in_count, out_count, "
    "assessment_count"
)
_PEER = f"SELECT {PEER_COLUMNS} FROM peers"
_ASSESSMENT = """\
INSERT INTO assessments (peer_id, info_score, trust, rationale, created_at, origins)
VALUES (?, ?, ?, ?, ?, ?) RETURNING id"""
_JUDGED = """\
UPDATE interactions SET outcome = ?, judged_after = (
  SELECT assessment_count FROM peers WHERE peers.peer_id = interactions.peer_id)
WHERE event_id = ? RETURNING id"""
_ASSESSED = "UPDATE peers SET assessment_count = assessment_count + 1 WHERE peer_id = ?"


def insert_interaction(database: Database, new: NewInteraction) -> Recorded | None:
    """Insert the message and count it; None for a known event_id."""
    if new.only_known and select_peer(database, new.peer_id) is None:
        return None
    inserted = database.execute(
        _INTERACTION,
        (
            new.peer_id,
            new.direction,
            new.channel_type,
            new.channel_id,
            new.event_id,
            new.preview,
            new.size,
            new.created_at,
            new.correlation_id,
        ),
    )
    if not inserted:
        return None
    incoming = int(new.direction == "in")
    counts = (new.created_at, incoming, 1 - incoming)
    values = (new.peer_id, new.display_name, new.channel_type, *counts)
    [(count,)] = database.execute(_SEEN, values)
    return Recorded(inserted[0][0], count, new.created_at)


def judge_interaction(database: Database, event_id: str, outcome: float) -> bool:
    """Set the outcome of a message; returns whether it exists."""
    return bool(database.execute(_JUDGED, (outcome, event_id)))


def has_interaction(database: Database, event_id: str) -> bool:
    """Whether the message of that event was recorded."""
    return bool(database.execute("SELECT 1 FROM interactions WHERE event_id = ?", (event_id,)))


def insert_assessment(database: Database, new: NewAssessment) -> Assessment:
    """Insert the judgment with the current info score. Raises ValueError for an unknown peer."""
    peer = select_peer(database, new.peer_id)
    if peer is None:
        raise ValueError(f"peer_id must be a known peer, got {new.peer_id!r}")
    values = (
        new.peer_id,
        compute_info_score(peer, peer.assessment_count),
        new.trust,
        new.rationale,
        new.created_at,
        None if new.origins is None else dump_origins(new.origins),
    )
    [(number,)] = database.execute(_ASSESSMENT, values)
    database.execute(_ASSESSED, (new.peer_id,))
    return as_assessment((number, *values))


def as_assessment(row: Row) -> Assessment:
    """The judgment of a row with the columns of `queries`."""
    number, peer_id, info_score, trust, rationale, created_at, origins = row
    return Assessment(
        number, peer_id, info_score, trust, rationale, created_at, parse_origins(origins)
    )


def select_peer(database: Database, peer_id: str) -> Peer | None:
    for row in database.execute(f"{_PEER} WHERE peer_id = ?", (peer_id,)):
        return Peer(*row)
    return None


def select_peers(database: Database) -> list[Peer]:
    """All peers, the last seen first."""
    sql = f"{_PEER} ORDER BY last_seen DESC, peer_id"
    return [Peer(*row) for row in database.execute(sql)]
