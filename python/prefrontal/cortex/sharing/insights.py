"""Opinions of other agents' cortices on a peer: a signal of bounded weight, never a judgment.

An insight keeps the source it came from. All of them together move a proposal by at most one
point, and only one that the peer's own conduct led to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import InputError
from ...plain_text import visible
from .signing import sign, verified

FORMAT = "prefrontal-insights/1"
SOURCE_PREFIX = "insight:"
_LIMIT = 50
_LARGEST = 1e15


@dataclass(frozen=True, slots=True)
class Insight:
    """source: "insight:<agent>". stance: -1 (caution) to 1 (reliable). at: Unix seconds."""

    source: str
    peer_id: str
    stance: float
    text: str
    at: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def insights(raw: object) -> list[Insight]:
    """The insights in a list of hints; ignores other entries."""
    items = raw if isinstance(raw, Sequence) and not isinstance(raw, str | bytes) else ()
    candidates = [_insight(each) for each in items if isinstance(each, Mapping)]
    return [each for each in candidates if each is not None][:_LIMIT]


def nudge(reports: Sequence[Insight], peer_id: str, weight: float) -> tuple[float, list[str]]:
    """(trust points, sources) for one peer, within -weight..+weight and -1..+1.

    Each source counts once, by the newest thing it said; the mean of the sources is what counts.
    """
    newest: dict[str, Insight] = {}
    for each in reports:
        if each.peer_id == peer_id and (
            each.source not in newest or each.at >= newest[each.source].at
        ):
            newest[each.source] = each
    if not newest:
        return 0.0, []
    mean = sum(each.stance for each in newest.values()) / len(newest)
    return max(-1.0, min(1.0, mean)) * max(0.0, min(1.0, weight)), sorted(newest)


def export(reports: Sequence[Insight], *, key: str, source: str) -> str:
    """What this cortex thinks of peers, signed, for another one that its operator trusts.

    Unlike patterns it names peers: it is for agents of one owner.
    """
    entries = [{**each.to_json(), "source": SOURCE_PREFIX + source} for each in reports]
    return sign({"format": FORMAT, "source": source, "insights": entries}, key)


def read(text: str, key: str) -> list[Insight]:
    """The insights of a signed file, all with the source that signed it.

    Raises InputError for a file of another format or without a valid signature.
    """
    raw = verified(text, key)
    items = raw.get("insights")
    if raw.get("format") != FORMAT or not isinstance(raw.get("source"), str):
        raise InputError(f"a file of insights must have the format {FORMAT!r}")
    if not isinstance(items, list):
        raise InputError("a file of insights must have a list of insights")
    source = SOURCE_PREFIX + visible(raw["source"], 60)
    return insights([{**each, "source": source} for each in items if isinstance(each, Mapping)])


def _insight(raw: Mapping[Any, Any]) -> Insight | None:
    source, peer_id = raw.get("source"), raw.get("peer_id")
    stance: Any = raw.get("stance")
    at: Any = raw.get("at", 0.0)
    if not (isinstance(source, str) and source.startswith(SOURCE_PREFIX)):
        return None
    if not (isinstance(peer_id, str) and peer_id) or not _is_number(stance):
        return None
    text = raw.get("text")
    return Insight(
        source=visible(source, 80),
        peer_id=peer_id,
        stance=max(-1.0, min(1.0, float(stance))),
        text=visible(text if isinstance(text, str) else "", 200),
        at=float(at) if _is_number(at) else 0.0,
    )


def _is_number(value: Any) -> bool:
    is_numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return is_numeric and abs(value) < _LARGEST
