"""What a replay is judged by, on streams whose answers can be counted by hand."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cortex.backtest.metrics import (
    auc,
    false_alarms,
    fastest,
    lies,
    separation,
    tempo,
    turn,
    turncoats,
)
from prefrontal.cortex.backtest.ratings import Rating
from prefrontal.cortex.backtest.replay import BacktestOptions, Replay
from prefrontal.ledger import Ledger

from .streams import DAY, PLAIN, merged, stream

NUMBERS = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


def replayed(*streams: list[Rating], **options: object) -> Replay:
    replay = Replay(
        BacktestOptions(**{"batch": 1, **PLAIN, **options}),
        lambda clock: Ledger(clock=clock),
    )
    replay.run(merged(*streams))
    return replay


@pytest.mark.exhaustive
@given(lower=NUMBERS, higher=NUMBERS)
def test_auc_is_the_share_of_pairs_in_the_right_order(lower: list[int], higher: list[int]) -> None:
    found = auc(lower, higher)
    pairs = [1.0 if a < b else 0.5 if a == b else 0.0 for a, b in product(lower, higher)]
    assert found is not None
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert 0.0 <= found.low <= found.high <= 1.0


def test_auc_needs_both_kinds() -> None:
    assert auc([], [1.0]) is None
    assert separation({"a": 3.0}, {"a": 1, "b": -1}) is None


def test_a_turncoat_has_five_positive_ratings_and_then_three_very_bad_ones_within_60_days() -> None:
    assert turn(stream("a", [1] * 5 + [-10] * 3)) == 5
    assert turn(stream("a", [1] * 4 + [-10] * 3)) is None
    assert turn(stream("a", [1] * 5 + [-10] * 2)) is None
    assert turn(stream("a", [1] * 5 + [-4] * 3)) is None
    assert turn(stream("a", [1] * 5 + [-10] * 3, every_s=40 * DAY)) is None


def test_the_lag_is_counted_from_the_turn_in_cycles_and_days() -> None:
    replay = replayed(stream("a", [1] * 5 + [-10] * 3), stream("b", [1] * 9))
    found = turncoats(replay.trajectories)
    assert (found.peers, found.missed, found.cycles, found.days) == (1, 0, 2, 1.0)


def test_a_turn_that_never_reaches_distrust_is_missed() -> None:
    replay = replayed(stream("a", [9] * 9 + [-10] * 3))
    found = turncoats(replay.trajectories)
    assert (found.peers, found.missed, found.cycles) == (1, 1, None)


def test_one_lie_is_tried_on_benign_peers_with_five_ratings_and_leaves_no_trace() -> None:
    labels = {"low": 1, "high": 1, "short": 1, "bad": -1}
    replay = replayed(
        stream("low", [1] * 5), stream("high", [9] * 5), stream("short", [1] * 4),
        stream("bad", [1] * 5),
    )  # fmt: skip
    before = lies(replay, labels)
    assert before is not None
    assert (before.peers, before.drop, before.flipped) == (2, 3.0, 1)
    assert lies(replay, labels) == before


def test_a_lie_under_corroborate_turns_nobody() -> None:
    replay = replayed(stream("low", [1] * 5), policy="corroborate")
    found = lies(replay, {"low": 1})
    assert found is not None
    assert found.flipped == 0


def test_a_false_alarm_is_a_benign_peer_who_was_ever_distrusted() -> None:
    replay = replayed(stream("a", [-10, 9, 9, 9]), stream("b", [1]), stream("c", [-10]))
    assert false_alarms(replay.trajectories, {"a": 1, "b": 1, "c": -1}) == 1


def test_the_fastest_run_is_the_highest_rate_of_five_successive_ratings() -> None:
    day = stream("a", [1] * 5)
    rush = stream("a", [1] * 5, every_s=DAY / 10, start=10 * DAY)
    rates = fastest(day + rush)
    assert rates[:5] == pytest.approx([0.0, 1.0, 1.0, 1.0, 1.0])
    assert rates[-1] == pytest.approx(10.0)
    assert fastest(stream("a", [1, 1, 1])) == pytest.approx([0.0, 1.0, 1.0])


def test_tempo_compares_frauds_before_their_first_very_bad_rating_with_equal_lengths() -> None:
    replay = replayed(
        stream("fraud", [1] * 6 + [-10], every_s=60.0),
        stream("slow", [1] * 8),
        stream("short", [1] * 3, every_s=1.0),
        stream("never bad", [1] * 6, every_s=1.0),
    )
    labels = {"fraud": -1, "slow": 1, "short": 1, "never bad": -1}
    found = tempo(replay.trajectories, labels)
    assert found is not None
    assert (found.value, found.frauds, found.benign) == (1.0, 1, 1)
