"""Contexts as a reflector is told them, made from short lists of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prefrontal.cortex.quoting import quote

DAY = 86400.0
HOUR = 3600.0
START = 1_772_000_000.0  # 2026-02-25 06:13:20 UTC

Message = tuple[str, float, int, str]


def asked(at: float, size: int = 180, preview: str = "a question") -> Message:
    return "in", at, size, preview


def answered(at: float, size: int = 200, preview: str = "an answer") -> Message:
    return "out", at, size, preview


def exchange(at: float, size: int = 180, preview: str = "a question") -> list[Message]:
    """A request and its answer a minute later."""
    return [asked(at, size, preview), answered(at + 60)]


def peer(
    peer_id: str,
    messages: Sequence[Message],
    *,
    info: int = 4,
    trust: int | None = None,
    judged_at: float = 0.0,
    shown: int = 100,
    **more: Any,
) -> dict[str, Any]:
    """A peer of a context; `shown` of its messages are in sight."""
    incoming = [message for message in messages if message[0] == "in"]
    times = [message[1] for message in messages]
    latest = {"trust": trust, "rationale": "before", "created_at": judged_at, "info_score": info}
    return {
        "peer_id": peer_id,
        "display_name": peer_id,
        "interaction_count": len(incoming),
        "first_seen": min(times),
        "last_seen": max(times),
        "info_score": info,
        "latest": None if trust is None else latest,
        "trajectory": [],
        "statistics": {},
        "overdue": [],
        "recent": [
            {"direction": way, "preview": quote(text), "size": size, "at": at}
            for way, at, size, text in messages[-shown:]
        ],
        **more,
    }


def context(*peers: Mapping[str, Any], now: float, **more: Any) -> dict[str, Any]:
    return {"trigger": "timer", "triggers": ["timer"], "now": now, "peers": list(peers), **more}


def farmer(**more: Any) -> dict[str, Any]:
    """Five small requests over fourteen days, judged +3 so far, then a far larger one."""
    days = (0.0, 3.5, 7.0, 10.5, 14.0)
    small = [message for d in days for message in exchange(START + d * DAY, 170 + round(d))]
    large = exchange(START + 15 * DAY, 4100)
    return peer("npub-farm1", [*small, *large], trust=3, judged_at=START + 14 * DAY + 600, **more)


def steady(peer_id: str = "npub-7x9k", count: int = 6, days: float = 21.0) -> dict[str, Any]:
    """Requests of the usual size at an even pace, none judged yet."""
    step = days * DAY / max(1, count - 1)
    messages = [m for i in range(count) for m in exchange(START + i * step, 190 + i)]
    return peer(peer_id, messages, info=5)


def late_partner() -> dict[str, Any]:
    """A first contact that promised its part within four hours."""
    said = "Happy to join. I'll send my portion of the research within 4 hours."
    return peer("npub-collab1", exchange(START, 90, said), info=1)
