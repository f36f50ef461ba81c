"""How much a peer can be trusted: a beta estimate that forgets, and the ceilings above it.

The estimate is `BetaTrust`, the one that the backtest measures. An earlier judgment counts as
evidence that would have led to it, so that little moves by what little happened since.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .beta_trust import PRIOR
from .evidence import EASY, REGULAR, faded, unseen, weigh
from .judgment import Estimate, Kind, PeerFinding

if TYPE_CHECKING:
    from ...settings.cortex_growth import Evidence
    from .facts import PeerFacts

_CEILINGS: dict[Kind, int] = {"size_jump": -1, "steering": 1, "tempo": 1, "broken": 0}
_STRONGEST_PRIOR = 20.0
_SURE = 9.5
_BELOW_NEXT = 0.49


def estimate(
    peer: PeerFacts,
    findings: Sequence[PeerFinding],
    evidence: Evidence,
    now: float,
    nudge: float = 0.0,
) -> Estimate:
    """The trust that the facts support. nudge: trust points that others' word adds, -1..+1."""
    jumped = any(each.kind == "size_jump" and each.at > peer.assessed_at for each in findings)
    easy = EASY if jumped else 1.0
    start = (unseen(peer, evidence, now) * easy, 0.0)
    beta = weigh(peer, findings, -math.inf, evidence, now, start)
    if peer.trust is not None:
        good, bad = _prior(peer, peer.trust, beta.trust(now), evidence, now)
        beta = weigh(peer, findings, peer.assessed_at, evidence, now, (good * easy, bad))
    exact = beta.trust(now)
    own = _rounded(exact)
    nudged = max(own - 1, min(own + 1, _rounded(exact + nudge)))
    trust, held_by = _below_ceilings(nudged, peer, {each.kind for each in findings})
    return Estimate(trust, exact, beta.good, beta.bad, held_by)


def _prior(
    peer: PeerFacts, trust: int, whole: float, evidence: Evidence, now: float
) -> tuple[float, float]:
    """Good and bad evidence that stands for everything before the last judgment.

    whole: what all facts in sight come to by themselves. A trust is a rounded number: within its
    rounding the prior is as high as they support, or one message at a time would never add up.
    With a message of the very second of the judgment, which may have come after it, up to one more.
    """
    is_tied = any(each.at == peer.assessed_at for each in peer.requests)
    highest = trust + (1.0 if is_tied else _BELOW_NEXT)
    exact = min(highest, max(float(trust), whole)) if trust >= 0 else float(trust)
    sure = max(-_SURE, min(_SURE, exact)) / 10
    least = PRIOR * abs(sure) / (1 - abs(sure))
    total = max(least, min(_STRONGEST_PRIOR, REGULAR * peer.count))
    lean = sure * (PRIOR + total)
    remainder = faded(now - peer.assessed_at, evidence)
    return (total + lean) / 2 * remainder, (total - lean) / 2 * remainder


def _below_ceilings(trust: int, peer: PeerFacts, kinds: set[Kind]) -> tuple[int, Kind | str]:
    """The trust under the lowest ceiling. Regular conduct earns no more than is known."""
    familiarity = max(1, peer.info, peer.trust or 0)
    ceilings: list[tuple[int, str]] = [
        (_CEILINGS[kind], kind) for kind in sorted(kinds) if kind in _CEILINGS
    ]
    if peer.trust is None and "overdue" in kinds:
        ceilings.append((0, "overdue"))
    lowest, why = min([*ceilings, (familiarity, "info")])
    return (lowest, why) if trust > lowest else (trust, "")


def _rounded(value: float) -> int:
    """To the nearest whole number, halves away from zero, within -10..+10."""
    return max(-10, min(10, int(math.copysign(math.floor(abs(value) + 0.5), value))))
