"""The tables of the log of decisions, step by step; a released step is never edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..storage.database import Database
    from ..storage.migrations import Step


def create_decisions(database: Database) -> None:
    """Decisions, their labels, and states that know which labels they have seen.

    ANY: text, or bytes where the text cannot be written as UTF-8. A NULL score or threshold is
    not a number. `seq` grows in the order of commits and is never used twice.
    """
    database.execute("""\
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  time REAL NOT NULL,
  kind TEXT NOT NULL,
  subject ANY NOT NULL,
  acted INTEGER NOT NULL,
  reason TEXT NOT NULL,
  score REAL,
  threshold REAL,
  question ANY,
  propensity REAL NOT NULL,
  events ANY NOT NULL,
  why ANY NOT NULL
) STRICT""")
    database.execute("CREATE INDEX decisions_by_time ON decisions (time)")
    database.execute("CREATE INDEX decisions_by_reason ON decisions (reason, time)")
    database.execute("CREATE INDEX decisions_acted ON decisions (time) WHERE acted")
    database.execute("""\
CREATE TABLE labels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  decision INTEGER NOT NULL REFERENCES decisions (seq),
  label REAL NOT NULL,
  at REAL NOT NULL,
  source TEXT NOT NULL
) STRICT""")
    database.execute("CREATE INDEX labels_by_decision ON labels (decision)")
    database.execute("""\
CREATE TABLE states (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  through INTEGER NOT NULL
) STRICT""")


def create_deliveries(database: Database) -> None:
    """What each durable sink is owed of each question: pending, done or given up.

    next_at: Unix second before which no try is made. detail: what came of the last one.
    """
    database.execute("""\
CREATE TABLE deliveries (
  decision INTEGER NOT NULL REFERENCES decisions (seq),
  sink TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at REAL NOT NULL,
  detail ANY NOT NULL,
  PRIMARY KEY (decision, sink)
) STRICT, WITHOUT ROWID""")
    database.execute(
        "CREATE INDEX deliveries_open ON deliveries (state, sink, decision) WHERE state <> 'done'"
    )


def widen_decisions(database: Database) -> None:
    """Decisions of every kind: which one led to it, and what else belongs to it.

    cause: id of the decision before. details: JSON, NULL for nothing.
    """
    database.execute("ALTER TABLE decisions ADD COLUMN cause TEXT")
    database.execute("ALTER TABLE decisions ADD COLUMN details ANY")
    database.execute("CREATE INDEX decisions_by_cause ON decisions (cause) WHERE cause IS NOT NULL")
    database.execute(
        "CREATE INDEX decisions_of_kind ON decisions (kind, time) WHERE kind <> 'wake'"
    )


def create_folds(database: Database) -> None:
    """Windows that were held back, and the decision that told of each; NULL while it waits."""
    database.execute("""\
CREATE TABLE folds (
  held INTEGER PRIMARY KEY REFERENCES decisions (seq),
  question INTEGER REFERENCES decisions (seq)
) STRICT, WITHOUT ROWID""")
    database.execute("CREATE INDEX folds_waiting ON folds (held) WHERE question IS NULL")


STEPS: tuple[Step, ...] = (create_decisions, create_deliveries, widen_decisions, create_folds)
