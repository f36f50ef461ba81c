"""Trust by default beside the measures of the literature, in one run and by the same figures.

    python benchmarks/bench_trust.py [--data FOLDER] [--held-back ALPHA.csv] [--smoke]

FOLDER holds bitcoin-otc.csv.gz and bitcoin-otc-labels.csv, on which the defaults were tuned. ALPHA
is the sister market (SNAP, soc-sign-bitcoinalpha.csv), on which nothing was: it is labelled here by
the rule behind the labels of the first, which must give those, but for four users who are both.
Without --data a small
made-up stream shows that it runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench_cortex import made_up
from prefrontal.assembly.trust_backtest import backtest_trust
from prefrontal.cortex.backtest.metrics import DAY_S, LIE_MIN_RATINGS, auc, turn
from prefrontal.cortex.backtest.ratings import (
    BENIGN,
    FRAUD,
    Rating,
    read_labels,
    read_ratings,
)
from prefrontal.cortex.backtest.replay import DISTRUST, BacktestOptions
from prefrontal.cortex.backtest.result import BacktestResult, without_trusted
from trust_twins import TWINS, Judge

FOUNDER = "1"
LOOKS = 10
"""A twin is asked about a turncoat after each of so many ratings, and at the end."""
BEFORE = BacktestOptions(policy="plain", timer=False, reflector="mean")


def labels_by_founder(ratings: Sequence[Rating], founder: str, rings: int) -> dict[str, int]:
    """Benign users and frauds by the word of the founder and of those he trusts.

    Trusted: the founder and, `rings` times, whom the trusted rated +5 or better. Benign: whom they
    rated so; frauds: whom they rated -5 or worse; who is both has no label.
    """
    trusted = {founder}
    for _ in range(rings):
        trusted |= {r.target for r in ratings if r.source in trusted and r.value >= 5}
    benign = trusted | {r.target for r in ratings if r.source in trusted and r.value >= 5}
    frauds = {r.target for r in ratings if r.source in trusted and r.value <= -5}
    return dict.fromkeys(benign - frauds, BENIGN) | dict.fromkeys(frauds - benign, FRAUD)


def ours(ratings: list[Rating], labels: dict[str, int], options: BacktestOptions) -> list[str]:
    """The figures of a replay, as cells."""
    result = backtest_trust(ratings, labels, options)
    assert result.lies is not None
    turned = result.turncoats
    trust = {user: float(each.trust) for user, each in result.trajectories.items()}
    return [
        _area(trust, labels),
        f"{result.untrusted.value:.3f}" if result.untrusted else "-",
        f"{turned.missed} of {turned.peers}",
        "-" if turned.cycles is None else f"{turned.cycles:g}",
        f"{result.lies.flipped} of {result.lies.peers}",
        _below_zero(trust, labels),
        f"{_flips_later(result, labels)}" if options.reflector == "rules" else "-",
    ]


def twin(ratings: list[Rating], labels: dict[str, int], judge: Judge) -> list[str]:
    """The same figures of a judge of whole streams."""
    trust = judge(ratings)
    rest = without_trusted(ratings, labels) or ratings
    lags = _lags(ratings, judge)
    seen = [lag for lag in lags if lag is not None]
    flips = _flips(ratings, labels, judge, trust)
    return [
        _area(trust, labels),
        _area(judge(rest), labels),
        f"{len(lags) - len(seen)} of {len(lags)}",
        f"{median(seen):g}" if seen else "-",
        f"{sum(flips)} of {len(flips)}",
        _below_zero(trust, labels),
        "-",
    ]


def _area(trust: Mapping[str, float], labels: Mapping[str, int]) -> str:
    groups = [
        [trust[user] for user, label in labels.items() if label == group and user in trust]
        for group in (FRAUD, BENIGN)
    ]
    area = auc(*groups)
    return "-" if area is None else f"{area.value:.3f}"


def _below_zero(trust: Mapping[str, float], labels: Mapping[str, int]) -> str:
    benign = [trust[user] for user, label in labels.items() if label == BENIGN and user in trust]
    return f"{100 * sum(each < 0 for each in benign) / len(benign):.1f} %"


def _lags(ratings: Sequence[Rating], judge: Judge) -> list[int | None]:
    """For each turncoat, after how many ratings from the turn on it is distrusted."""
    places: dict[str, list[int]] = {}
    for place, rating in enumerate(ratings):
        places.setdefault(rating.target, []).append(place)
    lags: list[int | None] = []
    for user, own in places.items():
        start = turn([ratings[place] for place in own])
        if start is None:
            continue
        moments = [*own[start : start + LOOKS], len(ratings) - 1]
        distrusted = (judge(ratings[: at + 1])[user] <= DISTRUST for at in moments)
        lags.append(next((number for number, bad in enumerate(distrusted, 1) if bad), None))
    return lags


def _flips(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    judge: Judge,
    trust: Mapping[str, float],
) -> list[bool]:
    """For each benign peer with five ratings, whether one lie takes it from 0 or more below 0."""
    counts: dict[str, int] = {}
    for rating in ratings:
        counts[rating.target] = counts.get(rating.target, 0) + 1
    now = ratings[-1].time + DAY_S
    return [
        trust[user] >= 0 > judge([*ratings, Rating("liar", user, -10, now)])[user]
        for user, label in labels.items()
        if label == BENIGN and counts.get(user, 0) >= LIE_MIN_RATINGS
    ]


def _flips_later(result: BacktestResult, labels: Mapping[str, int]) -> str:
    """The lie once more, a day after each peer's end, with an ordinary rating a day after it."""
    stream: list[Rating] = []
    users = [user for user, label in labels.items() if label == BENIGN]
    peers = [
        result.trajectories[user]
        for user in users
        if user in result.trajectories and len(result.trajectories[user].ratings) >= LIE_MIN_RATINGS
    ]
    for peer in peers:
        end = peer.ratings[-1].time
        stream += peer.ratings
        stream.append(Rating("liar", peer.peer_id, -10, end + DAY_S))
        stream.append(Rating("other", peer.peer_id, 1, end + 2 * DAY_S))
    stream.sort(key=lambda rating: rating.time)
    after = backtest_trust(stream, {}, result.options).trajectories
    flips = sum(peer.trust >= 0 > after[peer.peer_id].trust for peer in peers)
    return f"{flips} of {len(peers)}"


def show(title: str, ratings: list[Rating], labels: dict[str, int], *, all_twins: bool) -> None:
    frauds, benign = (sum(each == group for each in labels.values()) for group in (FRAUD, BENIGN))
    print(f"\n{title}: {len(ratings):,} ratings, {frauds} frauds, {benign} benign users\n")
    print("| | AUC | honest | turncoats missed | cycles | one lie flips | benign below 0 "
          "| a lie, then a good rating |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    rows: dict[str, Callable[[], list[str]]] = {
        "ours, default": partial(ours, ratings, labels, BacktestOptions()),
        "ours, the default before": partial(ours, ratings, labels, BEFORE),
    }
    for name, judge in TWINS.items():
        if all_twins or name.startswith("beta"):
            rows[name] = partial(twin, ratings, labels, judge)
    for name, row in rows.items():
        print(f"| {name} | {' | '.join(row())} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the ratings and labels")
    parser.add_argument("--held-back", type=Path, metavar="CSV", help="the sister market")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    options = parser.parse_args()
    if options.data is None:
        show("made up", *made_up(), all_twins=True)
        return
    ratings = read_ratings(options.data / "bitcoin-otc.csv.gz")
    labels = read_labels(options.data / "bitcoin-otc-labels.csv")
    by_rule = labels_by_founder(ratings, FOUNDER, 1)
    assert by_rule.items() <= labels.items() and len(labels) - len(by_rule) == 4
    show("tuned on", ratings, labels, all_twins=not options.smoke)
    if options.held_back is not None:
        alpha = read_ratings(options.held_back)
        # Its founder rated few: one ring more makes a set of the size that was published.
        show("held back", alpha, labels_by_founder(alpha, FOUNDER, 2), all_twins=not options.smoke)


if __name__ == "__main__":
    main()
