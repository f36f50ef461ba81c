"""What an agent judges of a peer in passing: by the last exchange alone, as `assess_peer` would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any


def judge_inline(recent: Sequence[Mapping[str, Any]], last: int | None) -> tuple[int, str]:
    """(trust, rationale) from the newest request and its answer; nothing before them is looked at.

    recent: as in a context, oldest first; the preview may be quoted. last: the trust so far. An
    answered request is worth a point up to +3, one that stays open nothing.
    """
    start = max((i for i, each in enumerate(recent) if each["direction"] == "in"), default=None)
    if start is None:
        return last or 0, "No request in this exchange."
    request, answers = recent[start], recent[start + 1 :]
    if not answers:
        return last or 0, f"Request of {request['size']:,} characters, not answered yet."
    before = last or 0
    trust = max(before, min(3, before + 1))
    day = datetime.fromtimestamp(request["at"], UTC).strftime("%Y-%m-%d")
    return trust, (
        f"Request of {request['size']:,} characters on {day}, answered in "
        f"{answers[0]['at'] - request['at']:.0f} s. Cooperative, no problem; trust was {before:+d}."
    )
