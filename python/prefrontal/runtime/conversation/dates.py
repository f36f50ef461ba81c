"""Dates as people and models write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ...errors import InputError


def moment_of(name: str, text: object) -> float | None:
    """Unix seconds of a date or a time of ISO 8601, in UTC where it names no zone; None for None.

    A date is its first moment; `until` takes its last. Raises InputError naming the argument.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text if isinstance(text, str) else "")
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if name.endswith("until") and isinstance(text, str) and len(text) <= len("2026-03-01"):
            moment += timedelta(days=1)
        return moment.timestamp()
    except (ValueError, OverflowError):
        rule = "be a date as 2026-03-01 or a time as 2026-03-01T14:30"
        raise InputError(f"{name} must {rule}, got {text!r:.80}") from None
