"""What speaks for and against a peer, as outcomes of -10..+10 that a `BetaTrust` takes in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .beta_trust import PRIOR, STRONG, BetaTrust
from .judgment import DAY_S

if TYPE_CHECKING:
    from ...settings.cortex_growth import Evidence
    from .facts import PeerFacts
    from .judgment import Kind, PeerFinding

REGULAR = 0.6
"""Outcome of an interaction in which nothing stood out."""
EASY = 0.2
"""Remaining weight of easy requests once a jump has shown their possible purpose."""
_DAILY = 4 * REGULAR  # most that regular conduct of one day counts
_OUTCOMES: dict[Kind, float] = {
    "kept": 2.0,
    "late": -0.6,
    "overdue": -1.2,
    "broken": -6.0,
    "steering": -2.5,
    "size_jump": -1.0,
}


def weigh(
    peer: PeerFacts,
    findings: Sequence[PeerFinding],
    since: float,
    evidence: Evidence,
    now: float,
    start: tuple[float, float] = (0.0, 0.0),
) -> BetaTrust:
    """The evidence from after `since`, in its order, on top of `start` (good, bad).

    Each outcome forgets a part of those before it; what lies back counts less by its age, too,
    unless it is strongly bad.
    """
    forgetting = math.exp2(-1 / evidence.half_life_interactions)
    beta = BetaTrust(forgetting, PRIOR, *start)
    for at, outcome in sorted(
        [*_contacts(peer, findings, since), *_findings(peer, findings, since)]
    ):
        beta.add(outcome if outcome <= STRONG else outcome * faded(now - at, evidence), at)
    return beta


def unseen(peer: PeerFacts, evidence: Evidence, now: float) -> float:
    """Good evidence of interactions that are counted but no longer in sight."""
    hidden = max(0, peer.count - len(peer.requests))
    oldest = min((each.at for each in peer.contacts), default=peer.last_seen)
    days = max(0.0, oldest - peer.first_seen) / DAY_S
    most = min(float(hidden), evidence.half_life_interactions / math.log(2))
    return min(REGULAR * most, _DAILY * days) * faded(now - oldest, evidence)


def faded(seconds: float, evidence: Evidence) -> float:
    """The remainder of a weight of 1 after that time."""
    return math.exp2(-max(0.0, seconds) / DAY_S / evidence.half_life_days)


def _contacts(
    peer: PeerFacts, findings: Sequence[PeerFinding], since: float
) -> Iterator[tuple[float, float]]:
    """(time, outcome) of each request, up to a daily maximum.

    One from before `since` counts when its outcome was judged after.
    """
    share = EASY if any(each.kind == "size_jump" for each in findings) else 1.0
    days: defaultdict[int, float] = defaultdict(float)
    for each in peer.requests:
        late = each.outcome is not None and each.outcome_is_new
        if each.at <= since and not late:
            continue
        if each.outcome is not None:
            yield each.at, 10 * each.outcome
            continue
        day = math.floor(each.at / DAY_S)
        weight = min(REGULAR, _DAILY - days[day])
        days[day] += weight
        if weight > 1e-9:
            yield each.at, weight * share


def _findings(
    peer: PeerFacts, findings: Sequence[PeerFinding], since: float
) -> Iterator[tuple[float, float]]:
    """(time, outcome) of the findings; one kept promise a day counts."""
    new = [each for each in findings if each.at > since and each.kind in _OUTCOMES]
    promises = {math.floor(each.at / DAY_S): each for each in new if each.kind == "kept"}
    for each in (*(each for each in new if each.kind != "kept"), *promises.values()):
        if not _is_first_promise(peer, each):
            yield each.at, _OUTCOMES[each.kind]


def _is_first_promise(peer: PeerFacts, finding: PeerFinding) -> bool:
    """Whether it deserves a follow-up before it counts."""
    return finding.kind == "overdue" and peer.count <= 2 and len(peer.requests) <= 1
