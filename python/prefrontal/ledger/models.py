"""Peers, interactions with them, and judgments of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..plain_text import MORE

Direction: TypeAlias = Literal["in", "out"]


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody the agent has dealt with. Times are Unix seconds.

    peer_id: the sender's id in its channel, never a name. first_seen: the first message either
    way; last_seen: the last message of theirs, or the first contact. interaction_count: their
    messages; an answer belongs to the message it answers.
    """

    peer_id: str
    display_name: str
    channel_type: str
    first_seen: float
    last_seen: float
    interaction_count: int
    in_count: int
    out_count: int
    assessment_count: int = 0


@dataclass(frozen=True, slots=True)
class Interaction:
    """One message. direction: "in" from the peer, "out" to it. size: characters of the whole.

    preview: its beginning, on one line and without secrets. event_id: the same for the same
    message delivered twice; None where nobody gave it one. outcome: -1 (bad for us) to +1 (good)
    when somebody has judged how it turned out.
    """

    id: int
    peer_id: str
    direction: Direction
    channel_type: str
    channel_id: str
    event_id: str | None
    preview: str
    size: int
    created_at: float
    correlation_id: str | None
    outcome: float | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """One judgment. info_score: 0..10, computed; trust: -10..+10, judged; rationale: why.

    origins: whose words may be in the rationale (`prefrontal.origins`).
    """

    id: int
    peer_id: str
    info_score: int
    trust: int
    rationale: str
    created_at: float
    origins: tuple[str, ...] = (MORE,)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An interaction on the disk, with the peer's new interaction_count."""

    interaction_id: int
    interaction_count: int
    created_at: float


@dataclass(frozen=True, slots=True)
class ScoredPeer:
    """A peer with its current scores. trust: of the last judgment; None without one."""

    peer: Peer
    info_score: int
    trust: int | None
