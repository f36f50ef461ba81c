"""How far trust moves: the clamp, the hour, the policies, and no move without evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cortex import clamp_trust
from prefrontal.cortex.clamp import CORROBORATION_S, Limited, TrustLimiter

NOW = 1_700_000_000.0
ANY = st.integers(-30, 30)
TRUST = st.integers(-10, 10)


def move(limiter: TrustLimiter, proposed: int, now: float, evidence: int) -> Limited:
    """One assessment of the peer "p", recorded unless there was nothing new."""
    limited = limiter.limit("p", proposed, now=now, evidence=evidence)
    if limited.reason != "evidence":
        limiter.record("p", limited.trust, now, evidence, proposed)
    return limited


@pytest.mark.parametrize(
    ("last", "proposed", "max_delta", "sentence"),
    [
        (1, float("nan"), 3, "trust must be a whole number, got nan after 1"),
        (None, 2.7, 3, "trust must be a whole number, got 2.7"),
        (1.5, 2, 3, "trust must be a whole number, got 2 after 1.5"),
        (0, 5, -3, "max_delta must be a whole number from 0, got -3"),
    ],
)
def test_what_is_no_trust_is_refused(
    last: Any, proposed: Any, max_delta: int, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        clamp_trust(last, proposed, max_delta)


@pytest.mark.parametrize(
    ("last", "proposed", "trust"),
    [
        (0, 7, 3),
        (3, 7, 6),
        (4, -9, 1),
        (1, -9, -2),
        (None, 8, 3),
        (None, -8, -3),
        (None, 2, 2),
        (9, 12, 10),
        (-9, -12, -10),
        (5, 5, 5),
    ],
)
def test_trust_moves_three_at_most_and_starts_within_three(
    last: int | None, proposed: int, trust: int
) -> None:
    assert clamp_trust(last, proposed) == trust


@given(last=st.none() | TRUST, proposed=ANY, delta=st.integers(1, 30))
def test_the_clamp_never_leaves_its_bounds_and_never_moves_away(
    last: int | None, proposed: int, delta: int
) -> None:
    trust = clamp_trust(last, proposed, delta)
    start = 0 if last is None else last
    asked = max(-10, min(10, proposed))
    assert -10 <= trust <= 10
    assert abs(trust - start) <= delta
    assert abs(asked - trust) == max(0, abs(asked - start) - delta)


def test_two_cycles_are_needed_to_go_from_0_to_6() -> None:
    limiter = TrustLimiter()
    limiter.seed("p", 0)
    assert move(limiter, 7, NOW, 1) == Limited(0, 3, "clamp")
    assert move(limiter, 7, NOW, 2) == Limited(3, 6, "clamp")


def test_an_inherited_trust_is_where_the_first_step_starts() -> None:
    limiter = TrustLimiter()
    limiter.seed("p", 5)
    assert limiter.limit("p", -10, now=NOW, evidence=1).trust == 2
    assert limiter.limit("p", 10, now=NOW, evidence=1).trust == 8


def test_nothing_new_moves_nothing() -> None:
    limiter = TrustLimiter()
    move(limiter, 3, NOW, 5)
    assert move(limiter, -10, NOW + 7200, 5) == Limited(3, 3, "evidence")
    assert move(limiter, -10, NOW + 7200, 6) == Limited(3, 0, "clamp")


def test_within_an_hour_trust_moves_nine_at_most_from_where_it_stood() -> None:
    limiter = TrustLimiter()
    limiter.seed("p", 10)
    seen = [move(limiter, -10, NOW + 60 * i, i + 1) for i in range(5)]
    assert [each.trust for each in seen] == [7, 4, 1, 1, 1]
    assert [each.reason for each in seen] == ["clamp", "clamp", "clamp", "hour", "hour"]
    assert move(limiter, -10, NOW + 3601, 9).trust == -2


def test_going_back_and_forth_within_nine_is_no_matter_for_the_hour() -> None:
    limiter = TrustLimiter()
    limiter.seed("p", 0)
    trusts = [move(limiter, (9, -9)[i % 2], NOW + i, i + 1).trust for i in range(8)]
    assert trusts == [3, 0, 3, 0, 3, 0, 3, 0]


def test_a_clock_that_was_set_back_does_not_lift_the_cap() -> None:
    limiter = TrustLimiter()
    limiter.seed("p", 10)
    for i in range(3):
        move(limiter, -10, NOW, i + 1)
    assert move(limiter, -10, NOW - 86400, 9).trust == 1


def test_without_a_cap_only_the_clamp_counts() -> None:
    limiter = TrustLimiter(max_per_hour=None)
    limiter.seed("p", 10)
    assert [move(limiter, -10, NOW, i + 1).trust for i in range(5)] == [7, 4, 1, -2, -5]


def test_confirm_lets_a_first_step_back_be_one() -> None:
    limiter = TrustLimiter(policy="confirm")
    assert [move(limiter, 9, NOW, 1).trust, move(limiter, 9, NOW, 2).trust] == [3, 6]
    assert move(limiter, -10, NOW, 3) == Limited(6, 5, "policy")
    assert move(limiter, -10, NOW, 4) == Limited(5, 2, "clamp")


def test_asymmetric_goes_up_by_one_and_down_by_three() -> None:
    limiter = TrustLimiter(policy="asymmetric")
    limiter.seed("p", 4)
    assert move(limiter, 10, NOW, 1).trust == 5
    assert move(limiter, -10, NOW, 2).trust == 2


def test_corroborate_stops_a_first_report_at_zero_and_lets_a_second_one_pass() -> None:
    limiter = TrustLimiter(policy="corroborate")
    limiter.seed("p", 2)
    assert move(limiter, -10, NOW, 1) == Limited(2, 0, "policy")
    assert move(limiter, -10, NOW + 86400, 2) == Limited(0, -3, "clamp")


def test_corroborate_takes_no_milder_word_for_a_second_report() -> None:
    limiter = TrustLimiter(policy="corroborate")
    limiter.seed("p", 2)
    move(limiter, -4, NOW, 1)
    for day, proposed in enumerate((-3, -2, -1), start=1):  # one bad thing that fades
        assert move(limiter, proposed, NOW + 86400 * day, day + 1) == Limited(0, 0, "policy")
    assert move(limiter, -1, NOW + 4 * 86400, 5).trust == -1


def test_the_first_judgment_of_a_peer_counts_towards_the_hour() -> None:
    limiter = TrustLimiter(max_per_hour=4)
    moves = [move(limiter, -10, NOW + minute, minute + 1).trust for minute in range(4)]
    assert moves == [-3, -4, -4, -4]
    assert move(limiter, -10, NOW + 3601, 9).trust == -7


def test_standings_of_before_are_read() -> None:
    limiter = TrustLimiter()
    limiter.load({"p": [0, 3, -1, NOW, [[NOW, 2]]]})
    assert move(limiter, -5, NOW + 10, 4).trust == -3


def test_corroborate_forgets_a_report_after_90_days() -> None:
    limiter = TrustLimiter(policy="corroborate")
    limiter.seed("p", 2)
    move(limiter, -10, NOW, 1)
    assert move(limiter, -10, NOW + CORROBORATION_S + 1, 2).trust == 0
    assert move(limiter, -10, NOW + CORROBORATION_S + 2, 3).trust == -3


def test_corroborate_counts_a_bad_first_impression_as_a_report() -> None:
    limiter = TrustLimiter(policy="corroborate")
    assert move(limiter, -2, NOW, 1).trust == -2
    assert move(limiter, 1, NOW + 10, 2).trust == 1
    assert move(limiter, -10, NOW + 20, 3).trust == -2


@given(
    policy=st.sampled_from(["plain", "confirm", "asymmetric", "corroborate"]),
    per_hour=st.none() | st.integers(1, 20),
    moves=st.lists(st.tuples(ANY, st.floats(0, 7200)), max_size=30),
)
def test_no_policy_ever_moves_further_than_the_clamp_or_the_hour(
    policy: str, per_hour: int | None, moves: list[tuple[int, float]]
) -> None:
    limiter = TrustLimiter(max_per_hour=per_hour, policy=policy)  # type: ignore[arg-type]
    limiter.seed("p", 0)
    stood, now = [(NOW, 0)], NOW
    for evidence, (proposed, seconds) in enumerate(moves, start=1):
        now += seconds
        plain = clamp_trust(stood[-1][1], proposed)
        limited = move(limiter, proposed, now, evidence)
        last = stood[-1][1]
        assert min(last, plain) <= limited.trust <= max(last, plain)
        if per_hour is not None:
            # What stood until a moment within the last hour.
            recent = [t for i, (_, t) in enumerate(stood)
                      if i + 1 == len(stood) or now - stood[i + 1][0] < 3600]  # fmt: skip
            assert all(abs(limited.trust - trust) <= max(per_hour, abs(trust - last))
                       for trust in recent)  # fmt: skip
        stood.append((now, limited.trust))


def test_what_was_saved_goes_on_as_before() -> None:
    limiter = TrustLimiter(policy="corroborate")
    for i, proposed in enumerate((9, 9, -10), start=1):
        move(limiter, proposed, NOW + i, i)
    again = TrustLimiter(policy="corroborate")
    again.load(json.loads(json.dumps(limiter.save())))
    for proposed in (-10, 10):
        assert again.limit("p", proposed, now=NOW + 9, evidence=9) == limiter.limit(
            "p", proposed, now=NOW + 9, evidence=9
        )


def test_damaged_entries_are_left_out() -> None:
    limiter = TrustLimiter()
    limiter.load({"a": "nonsense", "b": [1], "c": [4, 2, 0, None, []], "d": [None] * 5})
    assert [limiter.last(peer) for peer in "abcd"] == [None, None, 4, None]
    limiter.load(["no mapping"])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_delta": 0}, "max_delta must be at least 1, got 0"),
        ({"max_per_hour": 0}, "max_per_hour must be None or at least 1, got 0"),
        ({"policy": "kind"}, "policy must be one of plain, confirm, asymmetric, corroborate"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(
    options: dict[str, object], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        TrustLimiter(**options)  # type: ignore[arg-type]
