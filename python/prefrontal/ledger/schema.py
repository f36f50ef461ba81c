"""The ledger's tables, as numbered steps; a released step is never edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..storage.database import Database
    from ..storage.migrations import Step

APPLICATION_ID = 0x50464C47
"""Written into every ledger ("PFLG")."""


def create_ledger(database: Database) -> None:
    """Peers with their counts, interactions, assessments.

    Ids grow in the order of commits. `peers` counts what the two other tables hold of it.
    """
    database.execute("""\
CREATE TABLE peers (
  peer_id TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  channel_type TEXT NOT NULL,
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL,
  in_count INTEGER NOT NULL,
  out_count INTEGER NOT NULL,
  assessment_count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID""")
    database.execute("CREATE INDEX peers_by_last_seen ON peers (last_seen)")
    database.execute("""\
CREATE TABLE interactions (
  id INTEGER PRIMARY KEY,
  peer_id TEXT NOT NULL REFERENCES peers (peer_id) DEFERRABLE INITIALLY DEFERRED,
  direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
  channel_type TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  event_id TEXT UNIQUE,
  preview TEXT NOT NULL CHECK (length(preview) <= 200),
  size INTEGER NOT NULL CHECK (size >= 0),
  created_at REAL NOT NULL,
  correlation_id TEXT
) STRICT""")
    database.execute("CREATE INDEX interactions_by_peer ON interactions (peer_id)")
    database.execute("""\
CREATE TABLE assessments (
  id INTEGER PRIMARY KEY,
  peer_id TEXT NOT NULL REFERENCES peers (peer_id),
  info_score INTEGER NOT NULL CHECK (info_score BETWEEN 0 AND 10),
  trust INTEGER NOT NULL CHECK (trust BETWEEN -10 AND 10),
  rationale TEXT NOT NULL CHECK (length(rationale) > 0),
  created_at REAL NOT NULL
) STRICT""")
    database.execute("CREATE INDEX assessments_by_peer ON assessments (peer_id)")


def add_outcomes(database: Database) -> None:
    """The outcome of an interaction, as judged by somebody other than the peer; NULL: unknown.

    judged_after: the number of the peer's assessments when it was judged.
    """
    database.execute(
        "ALTER TABLE interactions ADD COLUMN outcome REAL CHECK (outcome BETWEEN -1 AND 1)"
    )
    database.execute("ALTER TABLE interactions ADD COLUMN judged_after INTEGER")


def add_origins(database: Database) -> None:
    """Whose words may be in the reason of a judgment, as a list in JSON; NULL: unknown."""
    database.execute("ALTER TABLE assessments ADD COLUMN origins TEXT")


STEPS: tuple[Step, ...] = (create_ledger, add_outcomes, add_origins)

VIEWS = {
    1: (
        """\
CREATE TEMP VIEW interactions AS
SELECT id, peer_id, direction, channel_type, channel_id, event_id, preview, size, created_at,
  correlation_id, NULL AS outcome, NULL AS judged_after FROM main.interactions""",
    ),
    2: (
        """\
CREATE TEMP VIEW assessments AS
SELECT id, peer_id, info_score, trust, rationale, created_at, NULL AS origins
FROM main.assessments""",
    ),
}
"""Views by schema, through which current statements read an older file unchanged."""
