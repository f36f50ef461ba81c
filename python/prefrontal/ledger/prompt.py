"""The peer's part of the prompt: facts, last judgment, scale.

Text that a peer chose (id, name) or that a model wrote stands on one line in quotation marks that
it cannot close, so that it can forge neither a heading nor a fact.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ..plain_text import one_line
from .preview import cut
from .scale import SCORE_GUIDE, signed, trajectory

HEADING = "## Peer Context"
WITHHELD = "told in the peer's own conversation only"
_ID_LENGTH = 200
_NAME_LENGTH = 80
_RATIONALE_LENGTH = 600
_QUOTES = dict.fromkeys(map(ord, '"“”„‟〝〞＂'), "'")


def peer_block(summary: Mapping[str, Any]) -> str:
    """Heading, facts and score guide; deterministic for a ledger."""
    latest = summary["latest"]
    trust, rationale = "none yet", "none yet"
    if latest is not None:
        trust = signed(latest["trust"])
        rationale = (
            f"{quoted(latest['rationale'], _RATIONALE_LENGTH)} ({_day(latest['created_at'])})"
        )
    lines = (
        HEADING,
        "",
        f"Peer: {quoted(summary['peer_id'], _ID_LENGTH)}{_name(summary)}",
        f"Interactions: {summary['interaction_count']}{_span(summary)}",
        f"Info: {summary['info_score']}/10 · Trust: {trust}",
        f"Trajectory: {trajectory(summary['trajectory'])}",
        f"Rationale: {rationale}",
        SCORE_GUIDE,
    )
    return "\n".join(lines)


def without_words(summary: Mapping[str, Any]) -> dict[str, Any]:
    """For where others than the peer read: no rationale, which may repeat what it wrote."""
    latest = summary["latest"]
    return {**summary, "latest": latest and {**latest, "rationale": WITHHELD}}


def unknown_peer_block(peer_id: str) -> str:
    """Heading and one line for an unknown peer."""
    return f"{HEADING}\n\nPeer: {quoted(peer_id, _ID_LENGTH)}: first contact, no history."


def quoted(text: str, limit: int) -> str:
    """The text on one line in double quotes, with its own quotes replaced."""
    plain = one_line(text).strip().translate(_QUOTES).replace("<|", "< |").replace("|>", "| >")
    return f'"{cut(plain, limit)}"'


def moment(at: float, form: str = "%Y-%m-%d %H:%M UTC") -> str:
    """A time in UTC, so that a prompt does not depend on the machine."""
    try:
        return time.strftime(form, time.gmtime(at))
    except (ValueError, OverflowError, OSError):
        return "unknown"


def _day(at: float) -> str:
    return moment(at, "%Y-%m-%d")


def _name(summary: Mapping[str, Any]) -> str:
    name = summary["display_name"]
    return f", called {quoted(name, _NAME_LENGTH)}" if name else ""


def _span(summary: Mapping[str, Any]) -> str:
    return f" (first {_day(summary['first_seen'])}, last {_day(summary['last_seen'])})"
