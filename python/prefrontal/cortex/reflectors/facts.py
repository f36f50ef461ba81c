"""What the deterministic reflector reads of the context: facts of each peer, with types."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..quoting import unquote
from .judgment import DAY_S


@dataclass(frozen=True, slots=True)
class Contact:
    """One message. direction: "in" from the peer, "out" to it. at: Unix seconds.

    outcome: -1 (bad) to 1 (good) when somebody else has judged it, else None. outcome_is_new:
    judged since the last assessment. is_signal: the gate woke the agent for it, nobody asked.
    """

    direction: str
    preview: str
    size: int
    at: float
    outcome: float | None = None
    outcome_is_new: bool = False
    is_signal: bool = False


@dataclass(frozen=True, slots=True)
class Overdue:
    """A promise whose time has passed without a word. due: Unix seconds."""

    text: str
    due: float


@dataclass(frozen=True, slots=True)
class PeerFacts:
    """One peer. contacts: oldest first, only the newest of all. trust: None before any.

    assessed_at: when the trust was given. statistics: of the trigger engine, by name.
    """

    peer_id: str
    count: int
    first_seen: float
    last_seen: float
    info: int
    trust: int | None
    assessed_at: float
    contacts: tuple[Contact, ...]
    overdue: tuple[Overdue, ...]
    statistics: Mapping[str, float]

    @property
    def requests(self) -> tuple[Contact, ...]:
        """What came from the peer."""
        return tuple(each for each in self.contacts if each.direction == "in")

    @property
    def fresh(self) -> tuple[Contact, ...]:
        """What came from the peer since the last assessment."""
        return tuple(each for each in self.requests if each.at > self.assessed_at)

    @property
    def span_days(self) -> float:
        return max(0.0, self.last_seen - self.first_seen) / DAY_S

    @property
    def median_size(self) -> int:
        """Of the peer's messages in sight, in characters."""
        return round(median([each.size for each in self.requests] or [0]))


def peers_of(context: Mapping[str, Any]) -> list[PeerFacts]:
    """The peers of a context; ignores entries without an id."""
    entries = [each for each in _list(context.get("peers")) if isinstance(each, Mapping)]
    return [_peer(each) for each in entries if _text(each.get("peer_id"))]


def now_of(context: Mapping[str, Any], peers: Sequence[PeerFacts]) -> float:
    """The time of the context; without one, when a peer was last seen."""
    now = _number(context.get("now"), math.nan)
    if math.isfinite(now):
        return now
    return max((peer.last_seen for peer in peers), default=0.0)


def _peer(raw: Mapping[str, Any]) -> PeerFacts:
    contacts = tuple(sorted(_contacts(raw.get("recent")), key=lambda each: each.at))
    latest = raw.get("latest")
    latest = latest if isinstance(latest, Mapping) else {}
    times = [each.at for each in contacts]
    last_seen = _number(raw.get("last_seen"), max(times, default=0.0))
    incoming = sum(each.direction == "in" for each in contacts)
    value = latest.get("trust")
    trust = value if isinstance(value, int) and not isinstance(value, bool) else None
    return PeerFacts(
        peer_id=_text(raw.get("peer_id")),
        count=max(incoming, round(_number(raw.get("interaction_count"), 0.0))),
        first_seen=min(_number(raw.get("first_seen"), min(times, default=last_seen)), last_seen),
        last_seen=last_seen,
        info=max(0, min(10, round(_number(raw.get("info_score"), 0.0)))),
        trust=None if trust is None else max(-10, min(10, trust)),
        assessed_at=-math.inf if trust is None else _number(latest.get("created_at"), -math.inf),
        contacts=contacts,
        overdue=tuple(sorted(_overdue(raw.get("overdue")), key=lambda each: each.due)),
        statistics=_numbers(raw.get("statistics")),
    )


def _contacts(raw: object) -> Iterator[Contact]:
    for each in _list(raw):
        if not isinstance(each, Mapping) or each.get("direction") not in ("in", "out"):
            continue
        at = _number(each.get("at", each.get("created_at")), math.nan)
        if math.isfinite(at):
            outcome = _number(each.get("outcome"), math.nan)
            yield Contact(
                direction=each["direction"],
                preview=unquote(_text(each.get("preview"))),
                size=max(0, round(_number(each.get("size"), 0.0))),
                at=at,
                outcome=max(-1.0, min(1.0, outcome)) if math.isfinite(outcome) else None,
                outcome_is_new=each.get("outcome_is_new") is True,
                is_signal=each.get("signal") is True,
            )


def _overdue(raw: object) -> Iterator[Overdue]:
    for each in _list(raw):
        if isinstance(each, Mapping):
            due = _number(each.get("due"), math.nan)
            if math.isfinite(due):
                yield Overdue(_text(each.get("text")), due)


def _numbers(raw: object) -> dict[str, float]:
    mapping = raw if isinstance(raw, Mapping) else {}
    numbers = {str(name): _number(mapping[name], math.nan) for name in mapping}
    numbers |= {
        str(name): float(mapping[name]) for name in mapping if isinstance(mapping[name], bool)
    }
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def _list(raw: object) -> Sequence[Any]:
    return raw if isinstance(raw, Sequence) and not isinstance(raw, str | bytes) else ()


def _number(raw: object, default: float) -> float:
    """A finite number, else the default."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return default
    try:
        return float(raw) if math.isfinite(raw) else default
    except OverflowError:
        return default


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""
