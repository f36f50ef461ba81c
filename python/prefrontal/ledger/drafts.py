"""Interactions and assessments, checked and cleaned before they wait for the disk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from ..nearest import unknown_key
from ..origins import united
from ..plain_text import one_line
from .preview import NAME_LENGTH, RATIONALE_LENGTH, cleaned, cut, preview_of

if TYPE_CHECKING:
    from ..clock import Clock
    from .models import Direction

LEAST_TRUST, MOST_TRUST = -10, 10
LONGEST_PEER_ID = 1000


class Details(TypedDict, total=False):
    """Optional facts of a message.

    event_id: the same for the same message delivered twice. preview: its text; the redacted
    beginning is stored. size: characters of the text. created_at: Unix seconds; default now.
    only_known: skip the message if it would add a peer.
    """

    display_name: str
    channel_type: str
    channel_id: str
    event_id: str | None
    preview: str
    size: int
    created_at: float | None
    correlation_id: str | None
    only_known: bool


@dataclass(frozen=True, slots=True)
class NewInteraction:
    """A message to record."""

    peer_id: str
    direction: Direction
    display_name: str
    channel_type: str
    channel_id: str
    event_id: str | None
    preview: str
    size: int
    created_at: float
    correlation_id: str | None
    only_known: bool


@dataclass(frozen=True, slots=True)
class NewAssessment:
    """A judgment to record."""

    peer_id: str
    trust: int
    rationale: str
    created_at: float
    origins: tuple[str, ...] | None


def new_interaction(
    peer_id: str, direction: Direction, details: Details, clock: Clock
) -> NewInteraction:
    """Raises ValueError and TypeError as `Ledger.submit_interaction` says."""
    if direction not in ("in", "out"):
        raise ValueError(f"direction must be 'in' or 'out', got {direction!r}")
    _check(details)
    at = details.get("created_at")
    return NewInteraction(
        checked_peer_id(peer_id),
        direction,
        cleaned(details.get("display_name", ""), NAME_LENGTH),
        cut(one_line(details.get("channel_type", "")), NAME_LENGTH),
        cut(one_line(details.get("channel_id", "")), NAME_LENGTH),
        _encodable_or_none(details.get("event_id")),
        preview_of(details.get("preview", "")),
        max(0, details.get("size", 0)),
        clock.now() if at is None else float(at),
        _encodable_or_none(details.get("correlation_id")),
        details.get("only_known", False),
    )


_MOST = 2**63 - 1
"""What SQLite can hold as a whole number."""


def _check(details: Mapping[str, object]) -> None:
    for name, value in details.items():
        rule = _RULES.get(name)
        if rule is None:
            raise TypeError(unknown_key("details", name, _RULES))
        if not rule.holds(value):
            raise ValueError(f"{name} must be {rule.text}, got {value!r:.80}")


def _is_time(at: object) -> bool:
    if isinstance(at, bool) or not isinstance(at, int | float | None):
        return False
    try:
        return at is None or math.isfinite(at)
    except OverflowError:  # a whole number beyond the floats
        return False


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a detail must be."""

    text: str
    holds: Callable[[Any], bool]


_TEXT = _Rule("text", lambda value: isinstance(value, str))
_TEXT_OR_NONE = _Rule("text or None", lambda value: isinstance(value, str | None))
_RULES = {
    "display_name": _TEXT,
    "channel_type": _TEXT,
    "channel_id": _TEXT,
    "event_id": _TEXT_OR_NONE,
    "preview": _TEXT,
    "size": _Rule("a whole number", lambda value: type(value) is int and value <= _MOST),
    "created_at": _Rule("a finite number, of Unix seconds", _is_time),
    "correlation_id": _TEXT_OR_NONE,
    "only_known": _Rule("true or false", lambda value: isinstance(value, bool)),
}


def new_assessment(
    peer_id: str, trust: int, rationale: str, origins: Iterable[str] | None, clock: Clock
) -> NewAssessment:
    """Raises ValueError as `Ledger.record_assessment` says."""
    if not isinstance(rationale, str) or not (text := cleaned(rationale, RATIONALE_LENGTH)):
        raise ValueError(f"rationale must be a non-blank string, got {rationale!r}")
    listed = None if origins is None else united(origins)
    return NewAssessment(checked_peer_id(peer_id), checked_trust(trust), text, clock.now(), listed)


def checked_outcome(outcome: object) -> float:
    """The outcome. Raises ValueError unless it is a number from -1 to +1."""
    if isinstance(outcome, bool) or not isinstance(outcome, int | float) or not -1 <= outcome <= 1:
        raise ValueError(f"outcome must be a number from -1 to +1, got {outcome!r}")
    return float(outcome) + 0.0  # -0 is 0


def checked_trust(trust: object) -> int:
    """The trust. Raises ValueError unless it is a whole number from -10 to +10."""
    if isinstance(trust, bool) or not isinstance(trust, int):
        raise ValueError(f"trust must be a whole number, got {trust!r}")
    if not LEAST_TRUST <= trust <= MOST_TRUST:
        raise ValueError(f"trust must be from {LEAST_TRUST} to +{MOST_TRUST}, got {trust!r}")
    return trust


def checked_peer_id(peer_id: object) -> str:
    """The id. Raises ValueError for one that is blank, too long or not encodable as UTF-8."""
    if not isinstance(peer_id, str) or not peer_id.strip():
        raise ValueError(f"peer_id must be a non-blank string, got {peer_id!r}")
    if len(peer_id) > LONGEST_PEER_ID:
        raise ValueError(
            f"peer_id must have at most {LONGEST_PEER_ID} characters, got {len(peer_id)}"
        )
    if encodable(peer_id) != peer_id:
        raise ValueError(f"peer_id must be text that UTF-8 can hold, got {peer_id!r}")
    return peer_id


def encodable(text: str) -> str:
    """The text, with escapes for what UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def _encodable_or_none(text: str | None) -> str | None:
    return None if text is None else encodable(text)
