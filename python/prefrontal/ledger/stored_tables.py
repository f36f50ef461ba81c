"""The tables of a ledger, for whoever copies it."""

from __future__ import annotations

from ..storage.transfer import StoredTable

TABLES = (
    StoredTable(
        "peers",
        (
            "peer_id",
            "display_name",
            "channel_type",
            "first_seen",
            "last_seen",
            "in_count",
            "out_count",
            "assessment_count",
        ),
    ),
    StoredTable(
        "interactions",
        (
            "id",
            "peer_id",
            "direction",
            "channel_type",
            "channel_id",
            "event_id",
            "preview",
            "size",
            "created_at",
            "correlation_id",
            "outcome",
            "judged_after",
        ),
        is_numbered=True,
    ),
    StoredTable(
        "assessments",
        ("id", "peer_id", "info_score", "trust", "rationale", "created_at", "origins"),
        is_numbered=True,
    ),
)
