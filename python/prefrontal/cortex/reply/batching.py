"""A cycle in several calls of a few peers each, and their replies as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from ...plain_text import visible
from ..models import Reflection, SoulAlignment

_SUMMARY_LIMIT = 600
Item = TypeVar("Item")


def split(peers: Sequence[dict[str, Any]], size: int) -> list[list[dict[str, Any]]]:
    """The peers in `calls(len(peers), size)` parts, in order."""
    return [list(peers[start : start + size]) for start in range(0, len(peers), _checked(size))]


def calls(peers: int, size: int) -> int:
    """How many calls that many peers need: ceil(peers / size)."""
    return -(-peers // _checked(size))


def merge(parts: Sequence[Reflection]) -> Reflection:
    """One reflection of all parts.

    Of two entries for the same thing (assessment of a peer, belief of a key, commitment,
    directive, lesson) the last counts, in the place of the first. The soul's score is the mean of
    the scores; its verdict is that of the worst part.
    """
    return Reflection(
        assessments=_last((each for part in parts for each in part.assessments), "peer_id"),
        beliefs=_last((each for part in parts for each in part.beliefs), "key"),
        directives=_last(
            (each for part in parts for each in part.directives), "target_peer", "action"
        ),
        commitments=_last(
            (each for part in parts for each in part.commitments), "peer_id", "text", "due"
        ),
        soul_alignment=_alignment([part.soul_alignment for part in parts if part.soul_alignment]),
        lessons=tuple(dict.fromkeys(each for part in parts for each in part.lessons)),
        summary=visible(" ".join(filter(None, (part.summary for part in parts))), _SUMMARY_LIMIT),
        dropped=tuple(each for part in parts for each in part.dropped),
    )


def _checked(size: int) -> int:
    if size < 1:
        raise ValueError(f"batch size must be at least 1, got {size!r}")
    return size


def _last(items: Iterable[Item], *names: str) -> tuple[Item, ...]:
    by_key: dict[Hashable, Item] = {}
    for item in items:
        by_key[tuple(getattr(item, name) for name in names)] = item
    return tuple(by_key.values())


def _alignment(parts: Sequence[SoulAlignment]) -> SoulAlignment | None:
    if not parts:
        return None
    scores = [each.score for each in parts if each.score is not None]
    worst = min(parts, key=lambda each: 1.0 if each.score is None else each.score)
    return SoulAlignment(
        verdict=worst.verdict,
        score=sum(scores) / len(scores) if scores else None,
        evidence="; ".join(dict.fromkeys(each.evidence for each in parts if each.evidence)),
    )
