"""Metrics of a replay: separation of frauds, delay after a turn, effect of one lie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean, median
from typing import TYPE_CHECKING

from .proposals import Foreteller
from .ratings import BENIGN, FRAUD, Rating
from .replay import DISTRUST, VERY_BAD, Replay, TrustTrajectory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DAY_S = 86400.0
TURN_AFTER, TURN_RATINGS, TURN_S = 5, 3, 60 * DAY_S
LIE_MIN_RATINGS = 5
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Auc:
    """Chance that a fraud stands lower than a benign peer (0.5: no better than a coin).

    low, high: 90 % interval by bootstrap over peers. frauds, benign: how many were compared.
    """

    value: float
    low: float
    high: float
    frauds: int
    benign: int


@dataclass(frozen=True, slots=True)
class Turncoats:
    """Peers with at least 5 positive ratings, then at least 3 of -5 or worse within 60 days.

    missed: trust never fell to -3 after the turn. cycles, days: medians from the turn until it did.
    """

    peers: int
    missed: int
    cycles: float | None
    days: float | None


@dataclass(frozen=True, slots=True)
class Lies:
    """One made-up -10 a day after the end, for each benign peer with at least 5 ratings.

    drop: mean fall of trust. flipped: how many fell from 0 or more to below 0.
    """

    peers: int
    drop: float
    flipped: int


def auc(lower: Sequence[float], higher: Sequence[float]) -> Auc | None:
    """How well `lower` (frauds) lie below `higher` (benign); None when one of them is empty."""
    if not lower or not higher:
        return None
    import numpy as np

    bad = np.asarray(lower, dtype=np.float64)
    good = np.asarray(higher, dtype=np.float64)
    random = np.random.default_rng(0)
    spread = [
        _below(random.choice(bad, bad.size), random.choice(good, good.size))
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(spread, [0.05, 0.95])
    return Auc(_below(bad, good), float(low), float(high), bad.size, good.size)


def _below(bad: NDArray[np.float64], good: NDArray[np.float64]) -> float:
    """Share of pairs in which the bad one is lower; ties count half."""
    ordered = bad.copy()
    ordered.sort()
    lower = ordered.searchsorted(good, "left") + ordered.searchsorted(good, "right")
    return float(lower.sum()) / (2.0 * bad.size * good.size)


def separation(trust: Mapping[str, float], labels: Mapping[str, int]) -> Auc | None:
    """The AUC of trust by user, over the labelled users that have one."""
    return auc(*([trust[u] for u, group in labels.items() if group == label and u in trust]
                 for label in (FRAUD, BENIGN)))  # fmt: skip


def turn(ratings: Sequence[Rating]) -> int | None:
    """Index of the rating at which a peer turned, None for one who is no turncoat."""
    first = next((i for i, rating in enumerate(ratings) if rating.value <= VERY_BAD), None)
    if first is None or sum(rating.value > 0 for rating in ratings[:first]) < TURN_AFTER:
        return None
    until = ratings[first].time + TURN_S
    bad = sum(rating.value <= VERY_BAD and rating.time <= until for rating in ratings[first:])
    return first if bad >= TURN_RATINGS else None


def turncoats(trajectories: Mapping[str, TrustTrajectory]) -> Turncoats:
    """How soon the trust in peers who turned fell."""
    turns = [
        (trajectory, at)
        for trajectory in trajectories.values()
        if (at := turn(trajectory.ratings)) is not None
    ]
    lags = [lag for trajectory, at in turns if (lag := _lag(trajectory, at)) is not None]
    return Turncoats(
        peers=len(turns),
        missed=len(turns) - len(lags),
        cycles=median(cycles for cycles, _ in lags) if lags else None,
        days=median(seconds for _, seconds in lags) / DAY_S if lags else None,
    )


def _lag(trajectory: TrustTrajectory, at: int) -> tuple[int, float] | None:
    """Cycles and seconds from the turn until trust was -3 or lower; None if it never was."""
    start = trajectory.ratings[at].time
    after = [step for step in trajectory.steps if step.ratings > at]
    for cycles, step in enumerate(after, start=1):
        if step.trust <= DISTRUST:
            return cycles, step.time - start
    return None


def lies(replay: Replay, labels: Mapping[str, int]) -> Lies | None:
    """What one lie would do to each benign peer, under the policy of the replay.

    None where the proposer can tell that only at a cost.
    """
    proposer = replay.proposer
    if not isinstance(proposer, Foreteller):
        return None
    falls = [
        (trajectory.trust, _after_a_lie(replay, proposer, trajectory))
        for user, trajectory in replay.trajectories.items()
        if labels.get(user) == BENIGN and len(trajectory.ratings) >= LIE_MIN_RATINGS
    ]
    return Lies(
        peers=len(falls),
        drop=fmean(before - after for before, after in falls) if falls else 0.0,
        flipped=sum(before >= 0 > after for before, after in falls),
    )


def _after_a_lie(replay: Replay, proposer: Foreteller, trajectory: TrustTrajectory) -> int:
    now = trajectory.ratings[-1].time + DAY_S
    lie = Rating("liar", trajectory.peer_id, -10, now)
    proposal = proposer.would_propose(trajectory.peer_id, [lie], now)
    evidence = len(trajectory.ratings) + 1
    return replay.limiter.limit(trajectory.peer_id, proposal, now=now, evidence=evidence).trust


def false_alarms(trajectories: Mapping[str, TrustTrajectory], labels: Mapping[str, int]) -> int:
    """Benign peers whose trust was -3 or lower at some time."""
    return sum(
        labels.get(user) == BENIGN and any(step.trust <= DISTRUST for step in trajectory.steps)
        for user, trajectory in trajectories.items()
    )


def tempo(trajectories: Mapping[str, TrustTrajectory], labels: Mapping[str, int]) -> Auc | None:
    """How well the fastest run of ratings tells frauds before their first very bad rating.

    Frauds with at least 3 positive ratings before it, each at the length of that history, against
    the histories of benign peers cut to the same lengths.
    """
    known = ((_before_very_bad(fraud), fraud) for fraud in _labelled(trajectories, labels, FRAUD))
    frauds = [
        fastest(history)
        for history, fraud in known
        if sum(rating.value > 0 for rating in history) >= 3 and len(history) < len(fraud.ratings)
    ]
    lengths = sorted({len(rates) for rates in frauds})
    benign = [
        rates[length - 1]
        for trajectory in _labelled(trajectories, labels, BENIGN)
        for rates in [fastest(_before_very_bad(trajectory))]
        for length in lengths[: bisect_left(lengths, len(rates) + 1)]
    ]
    return auc([-rates[-1] for rates in frauds], [-rate for rate in benign])


def _labelled(
    trajectories: Mapping[str, TrustTrajectory], labels: Mapping[str, int], label: int
) -> list[TrustTrajectory]:
    return [trajectory for user, trajectory in trajectories.items() if labels.get(user) == label]


def _before_very_bad(trajectory: TrustTrajectory) -> list[Rating]:
    bad = (i for i, rating in enumerate(trajectory.ratings) if rating.value <= VERY_BAD)
    return trajectory.ratings[: next(bad, len(trajectory.ratings))]


def fastest(ratings: Sequence[Rating], run: int = 5) -> list[float]:
    """After each rating: the highest rate a day of `run` successive ratings so far.

    With fewer than `run` the rate over all of them; 0.0 after the first.
    """
    times = [rating.time for rating in ratings]
    rates = [
        min(i, run - 1) / max(time - times[max(0, i - run + 1)], 1.0) * DAY_S
        for i, time in enumerate(times)
    ]
    full = rates[: run - 1]
    return full + list(accumulate(rates[run - 1 :], max)) if len(rates) >= run else full
