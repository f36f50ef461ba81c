"""What a reflection on ratings proposes: their mean, or the estimate of the rules reflector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from ..reflectors.beta_trust import BetaTrust

if TYPE_CHECKING:
    from .ratings import Rating


HEARSAY = 0.25
"""Weight of a rating, which is somebody else's word, beside what the agent saw itself."""


class Proposal(NamedTuple):
    """The trust that a reflection would have, -10..+10, and why."""

    trust: int
    why: str


class Proposer(Protocol):
    """Proposes trust in a peer, cycle after cycle."""

    def propose(
        self, peer_id: str, new: Sequence[Rating], now: float, triggers: tuple[str, ...] = ()
    ) -> Proposal | None:
        """What follows from `new`, the ratings since the last cycle, oldest first.

        None: nothing is proposed, trust stays. triggers: what started the cycle.
        """
        ...


@runtime_checkable
class Foreteller(Proposer, Protocol):
    """A proposer whose proposals cost nothing to look at."""

    def would_propose(self, peer_id: str, new: Sequence[Rating], now: float) -> int:
        """The trust that `propose` would give, without remembering anything."""
        ...


def rounded(value: float) -> int:
    """The nearest whole number; a half goes away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


class MeanOfNew:
    """Proposes the mean of the ratings since the last cycle: a reflection without memory."""

    def propose(
        self, peer_id: str, new: Sequence[Rating], now: float, triggers: tuple[str, ...] = ()
    ) -> Proposal:
        return _proposal(self.would_propose(peer_id, new, now), new)

    def would_propose(self, peer_id: str, new: Sequence[Rating], now: float) -> int:
        return rounded(sum(rating.value for rating in new) / len(new))


class Rules:
    """Proposes as the rules reflector does: a beta estimate that forgets."""

    def __init__(self) -> None:
        self._estimates: dict[str, BetaTrust] = {}

    def propose(
        self, peer_id: str, new: Sequence[Rating], now: float, triggers: tuple[str, ...] = ()
    ) -> Proposal:
        estimate = self._estimates.setdefault(peer_id, BetaTrust())
        return _proposal(self._with(estimate, new, now), new)

    def would_propose(self, peer_id: str, new: Sequence[Rating], now: float) -> int:
        return self._with(deepcopy(self._estimates.get(peer_id, BetaTrust())), new, now)

    @staticmethod
    def _with(estimate: BetaTrust, new: Sequence[Rating], now: float) -> int:
        for rating in new:
            estimate.add(rating.value, rating.time, HEARSAY)
        return rounded(estimate.trust(now))


def _proposal(trust: int, new: Sequence[Rating]) -> Proposal:
    values = ", ".join(f"{rating.value:+d}" for rating in new[-5:])
    return Proposal(trust, f"{len(new)} new ratings ({values}) speak for {trust:+d}")
