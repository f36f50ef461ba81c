"""The tables of the log of decisions, for whoever copies it."""

from __future__ import annotations

from ..storage.transfer import StoredTable
from .decision import COLUMNS

TABLES = (
    StoredTable(
        "decisions",
        ("seq", *COLUMNS.split(", ")),
        grows=True,
        is_numbered=True,
        flags=frozenset({"acted"}),
    ),
    StoredTable(
        "labels", ("seq", "decision", "label", "at", "source"), grows=True, is_numbered=True
    ),
    StoredTable(
        "deliveries", ("decision", "sink", "state", "attempts", "next_at", "detail"), key=2
    ),
    StoredTable("folds", ("held", "question")),
    StoredTable(
        "states",
        ("name", "content", "through"),
        order="rowid",
        blobs=frozenset({"content"}),
    ),
)
