"""The tables of the conversations, as numbered steps; a released step is never edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...storage.database import Database
    from ...storage.migrations import Step

APPLICATION_ID = 0x50464356
"""Written into every file of conversations ("PFCV")."""


def create_conversations(database: Database) -> None:
    """Messages, each in one conversation, behind one wall, of or for one peer.

    Ids grow in the order of commits. `words` holds for each message the words of its text and, in
    `place`, a word each for wall (w7), conversation (c7), peer (p7) and channel; no text. `hours`
    has the first and last id of each hour. `notes` are what long conversations were condensed to.
    """
    database.execute("""\
CREATE TABLE walls (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('peer', 'group', 'agent')),
  channel_type TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (scope, channel_type, name)
) STRICT""")
    database.execute("""\
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY,
  channel_type TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  UNIQUE (channel_type, channel_id)
) STRICT""")
    database.execute("""\
CREATE TABLE peers (
  id INTEGER PRIMARY KEY,
  peer_id TEXT NOT NULL UNIQUE
) STRICT""")
    database.execute("""\
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  wall INTEGER NOT NULL REFERENCES walls (id),
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  peer INTEGER NOT NULL REFERENCES peers (id),
  direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
  content TEXT NOT NULL,
  created_at REAL NOT NULL,
  turn INTEGER NOT NULL
) STRICT""")
    database.execute("CREATE INDEX messages_by_conversation ON messages (conversation, wall, turn)")
    database.execute("CREATE INDEX messages_by_peer ON messages (peer)")
    database.execute("""\
CREATE TABLE hours (
  hour INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT""")
    database.execute("""\
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  wall INTEGER NOT NULL REFERENCES walls (id),
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT""")
    database.execute("CREATE INDEX notes_by_conversation ON notes (conversation, wall)")
    database.execute("""\
CREATE TABLE facts (
  id INTEGER PRIMARY KEY,
  wall INTEGER NOT NULL REFERENCES walls (id),
  peer INTEGER NOT NULL REFERENCES peers (id),
  subject TEXT NOT NULL,
  attribute TEXT NOT NULL,
  value TEXT NOT NULL,
  source INTEGER NOT NULL,
  valid_from REAL NOT NULL,
  valid_until REAL,
  ended_by INTEGER,
  confirmed_at REAL NOT NULL,
  approved INTEGER NOT NULL DEFAULT 0
) STRICT""")
    database.execute("CREATE INDEX facts_by_wall ON facts (wall, peer, subject, attribute)")
    database.execute("CREATE INDEX facts_by_source ON facts (source)")
    database.execute("""\
CREATE VIRTUAL TABLE words USING fts5 (
  content, place, content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
)""")


def add_origins(database: Database) -> None:
    """Whose words went into a message, a note or a fact, as a JSON list; NULL: not written down.

    What a peer wrote is its own. approved_by: who took a fact for true.
    """
    database.execute("ALTER TABLE messages ADD COLUMN origins TEXT")
    database.execute("ALTER TABLE notes ADD COLUMN origins TEXT")
    database.execute("ALTER TABLE facts ADD COLUMN origins TEXT")
    database.execute("ALTER TABLE facts ADD COLUMN approved_by TEXT")


def add_vectors(database: Database) -> None:
    """What messages mean, as an embedding model says; a message without is found by its words.

    vector: numbers in -127..127, a byte each; none for a message that the model refuses.
    """
    database.execute("""\
CREATE TABLE embedders (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
) STRICT""")
    database.execute("""\
CREATE TABLE vectors (
  message INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
  embedder INTEGER NOT NULL REFERENCES embedders (id),
  wall INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT""")
    database.execute("CREATE INDEX vectors_by_wall ON vectors (embedder, wall)")


STEPS: tuple[Step, ...] = (create_conversations, add_origins, add_vectors)

VIEWS = {
    1: (
        "CREATE TEMP VIEW messages AS SELECT *, NULL AS origins FROM main.messages",
        "CREATE TEMP VIEW notes AS SELECT *, NULL AS origins FROM main.notes",
        "CREATE TEMP VIEW facts AS SELECT *, NULL AS origins, NULL AS approved_by FROM main.facts",
    ),
    2: (
        "CREATE TEMP VIEW embedders AS SELECT 0 AS id, '' AS name, 0 AS dimensions WHERE 0",
        "CREATE TEMP VIEW vectors AS"
        " SELECT 0 AS message, 0 AS embedder, 0 AS wall, x'' AS vector WHERE 0",
    ),
}
"""Views by schema, through which current statements read an older file unchanged."""

REMEDY = "end the agent, then `prefrontal memory repair` saves what can be read"
"""What to do about a damaged file."""
