"""How far one reflection, and one hour, may move a peer's trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

TRUST_LIMIT = 10
HOUR_S = 3600.0
CORROBORATION_S = 90 * 86400.0
"""How long a first report against a peer waits for a second one."""

TrustPolicy = Literal["plain", "confirm", "asymmetric", "corroborate"]


def clamp_trust(last: int | None, proposed: int, max_delta: int = 3) -> int:
    """The trust that is written for a proposed one, always within -10..+10.

    The first time (last None) within -max_delta..+max_delta, later at most max_delta from the last.
    Raises ValueError unless all are whole numbers and max_delta is 0 or more.
    """
    if not isinstance(proposed, int) or not isinstance(last, int | None):
        raise ValueError(f"trust must be a whole number, got {proposed!r} after {last!r}")
    if not isinstance(max_delta, int) or max_delta < 0:
        raise ValueError(f"max_delta must be a whole number from 0, got {max_delta!r}")
    proposed = _within(proposed, -TRUST_LIMIT, TRUST_LIMIT)
    centre = 0 if last is None else last
    trust = _within(proposed, centre - max_delta, centre + max_delta)
    return _within(trust, -TRUST_LIMIT, TRUST_LIMIT)


def _within(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


@dataclass(frozen=True, slots=True)
class Limited:
    """A proposed trust within its limits.

    previous: the trust before, None for a first assessment. reason: what held it back: "",
    "clamp", "policy", "hour", or "evidence" when nothing new is known of the peer, in which case
    `trust` is the previous one and nothing should be written.
    """

    previous: int | None
    trust: int
    reason: str


@dataclass(slots=True)
class _Standing:
    """trust: the last one written. evidence: the count of known facts then.

    direction: in which the last proposal lay, seen from the trust. reported_at: when a negative
    proposal last spoke against the peer; reported: that proposal. held: (until, trust) of the
    last hour, oldest first.
    """

    trust: int
    evidence: int | None = None
    direction: int = 0
    reported_at: float | None = None
    reported: int = 0
    held: list[tuple[float, int]] = field(default_factory=list)


class TrustLimiter:
    """The clamp of a cycle, an hourly cap on top, and no move without new evidence.

    max_delta: the clamp. max_per_hour: how far trust may stand from where it stood at any time of
    the last hour; None for no cap. policy, whose prices are measured in benchmarks/cortex.md:

    - "plain": the clamp alone.
    - "confirm": a step that does not go on in the direction of the last proposal is at most 1.
    - "asymmetric": at most 1 upwards.
    - "corroborate": a first report against a peer in good standing takes them to 0 at most; below
      it needs a second one within 90 days that is no milder.
    """

    def __init__(
        self,
        max_delta: int = 3,
        max_per_hour: int | None = 9,
        policy: TrustPolicy = "corroborate",
    ) -> None:
        if max_delta < 1:
            raise ValueError(f"max_delta must be at least 1, got {max_delta!r}")
        if max_per_hour is not None and max_per_hour < 1:
            raise ValueError(f"max_per_hour must be None or at least 1, got {max_per_hour!r}")
        if policy not in get_args(TrustPolicy):
            policies = ", ".join(get_args(TrustPolicy))
            raise ValueError(f"policy must be one of {policies}, got {policy!r}")
        self.max_delta = max_delta
        self.max_per_hour = max_per_hour
        self.policy = policy
        self._peers: dict[str, _Standing] = {}

    def seed(self, peer_id: str, trust: int, evidence: int | None = None) -> None:
        """Start from a trust on record, whoever wrote it.

        evidence: the count of known facts then; None: unknown, and the next move is free.
        """
        standing = self._peers.get(peer_id)
        if standing is None:
            self._peers[peer_id] = _Standing(trust, evidence)
            return
        if standing.trust != trust or standing.evidence is None:
            standing.evidence = evidence
        standing.trust = trust

    def last(self, peer_id: str) -> int | None:
        """The trust written last; None when there is none."""
        standing = self._peers.get(peer_id)
        return None if standing is None else standing.trust

    def limit(self, peer_id: str, proposed: int, *, now: float, evidence: int) -> Limited:
        """How much of a proposal may be written at `now` (Unix seconds).

        evidence: a count that grows with everything new about the peer: interactions, promises
        that became overdue. Nothing is remembered: `record` does that.
        """
        standing = self._peers.get(peer_id)
        if standing is None:
            trust = clamp_trust(None, proposed, self.max_delta)
            return Limited(None, trust, "" if trust == proposed else "clamp")
        if standing.evidence is not None and evidence <= standing.evidence:
            return Limited(standing.trust, standing.trust, "evidence")
        trust = clamp_trust(standing.trust, proposed, self.max_delta)
        reason = "" if trust == proposed else "clamp"
        bound = self._under_policy(standing, trust, proposed, now)
        trust, reason = (bound, "policy") if bound != trust else (trust, reason)
        bound = self._within_hour(standing, trust, now)
        trust, reason = (bound, "hour") if bound != trust else (trust, reason)
        return Limited(standing.trust, trust, reason)

    def record(
        self,
        peer_id: str,
        trust: int,
        now: float,
        evidence: int,
        proposed: int | None = None,
    ) -> None:
        """Note that `trust` was written. proposed: the unlimited proposal, for the policies."""
        first = peer_id not in self._peers
        standing = self._peers.setdefault(peer_id, _Standing(0))
        wish = trust if proposed is None else proposed
        standing.direction = _sign(wish - standing.trust)
        if wish < 0 and (first or wish < standing.trust):
            standing.reported_at, standing.reported = now, wish
        standing.held = [*self._of_last_hour(standing, now), (now, standing.trust)]
        standing.trust, standing.evidence = trust, evidence

    def forget(self, peer_id: str) -> None:
        """Treat the peer as never assessed."""
        self._peers.pop(peer_id, None)

    def _under_policy(self, standing: _Standing, trust: int, proposed: int, now: float) -> int:
        last = standing.trust
        if self.policy == "asymmetric":
            return min(trust, last + 1)
        if self.policy == "confirm" and _sign(proposed - last) != standing.direction:
            return _within(trust, last - 1, last + 1)
        if self.policy == "corroborate" and proposed < 0 <= last:
            since = None if standing.reported_at is None else max(0.0, now - standing.reported_at)
            is_milder = proposed > standing.reported
            if since is None or since > CORROBORATION_S or is_milder:
                return max(trust, 0)
        return trust

    def _within_hour(self, standing: _Standing, trust: int, now: float) -> int:
        if self.max_per_hour is None:
            return trust
        last = standing.trust
        levels = [last, *(value for _, value in self._of_last_hour(standing, now))]
        bound = _within(trust, max(levels) - self.max_per_hour, min(levels) + self.max_per_hour)
        return _within(bound, min(last, trust), max(last, trust))  # it slows, it never moves

    @staticmethod
    def _of_last_hour(standing: _Standing, now: float) -> list[tuple[float, int]]:
        """The trusts that stood during the last hour.

        A time in the future, from before the clock was set back, counts as now.
        """
        return [(min(until, now), value) for until, value in standing.held if now - until < HOUR_S]

    def save(self) -> dict[str, Any]:
        """Plain values for `load`."""
        return {
            peer: [
                *(s.trust, s.evidence, s.direction, s.reported_at),
                [list(pair) for pair in s.held],
                s.reported,
            ]
            for peer, s in self._peers.items()
        }

    def load(self, saved: object) -> None:
        """Restore what `save` returned; ignores damaged entries."""
        for peer, entry in saved.items() if isinstance(saved, Mapping) else ():
            try:
                trust, evidence, direction, reported_at, history, *reported = entry
                self._peers[str(peer)] = _Standing(
                    _within(int(trust), -TRUST_LIMIT, TRUST_LIMIT),
                    None if evidence is None else int(evidence),
                    _sign(int(direction)),
                    None if reported_at is None else float(reported_at),
                    _within(int(reported[0]), -TRUST_LIMIT, 0) if reported else 0,
                    [(float(until), int(value)) for until, value in history],
                )
            except (TypeError, ValueError, OverflowError):
                continue
