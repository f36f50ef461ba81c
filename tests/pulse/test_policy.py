"""Wakes are held back for a stated reason, and only then."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.pulse.policy import MOST_PEERS, DeliveryPolicy, TokenBucket
from prefrontal.settings import PolicySettings
from prefrontal.types import Reason, SignalEvent, Standing

NOON = time.mktime((2024, 1, 3, 12, 30, 0, 0, 0, -1))


def event(location: str = "/a", timestamp: float = 1.0, **features: Any) -> SignalEvent:
    return SignalEvent("filesystem", location, "created", 1.0, timestamp, features)


def test_the_defaults_hold_nothing_back() -> None:
    policy = DeliveryPolicy(PolicySettings())
    assert [policy.admit("m", NOON, 0.0) for _ in range(1000)] == [None] * 1000


def test_a_module_cools_down_on_its_own() -> None:
    policy = DeliveryPolicy(PolicySettings(cooldown_s=60))
    assert policy.admit("a", NOON, 0.0) is None
    assert policy.admit("a", NOON, 59.9) is Reason.COOLDOWN
    assert policy.admit("b", NOON, 59.9) is None
    assert policy.admit("a", NOON, 60.0) is None


def test_a_budget_lets_a_burst_through_and_then_its_rate() -> None:
    policy = DeliveryPolicy(PolicySettings(module_wakes_per_hour=60, burst=3))
    assert [policy.admit("a", NOON, 0.0) for _ in range(4)] == [None] * 3 + [Reason.MODULE_BUDGET]
    assert policy.admit("b", NOON, 0.0) is None
    assert policy.admit("a", NOON, 59.0) is Reason.MODULE_BUDGET
    assert policy.admit("a", NOON, 60.0) is None


def test_the_budget_of_all_is_shared_and_a_refusal_costs_no_module_its_token() -> None:
    policy = DeliveryPolicy(
        PolicySettings(wakes_per_hour=3600, module_wakes_per_hour=3600, burst=1)
    )
    assert policy.admit("a", NOON, 0.0) is None
    assert policy.admit("b", NOON, 0.5) is Reason.GLOBAL_BUDGET
    assert policy.admit("b", NOON, 1.0) is None


@pytest.mark.parametrize(
    ("hours", "hour", "quiet"),
    [
        ((22, 6), 23, True),
        ((22, 6), 6, True),
        ((22, 6), 7, False),
        ((22, 6), 12, False),
        ((9, 17), 9, True),
        ((9, 17), 18, False),
        ((5, 4), 13, True),
    ],
)
def test_quiet_hours_are_local_and_may_pass_midnight(
    hours: tuple[int, int], hour: int, quiet: bool
) -> None:
    policy = DeliveryPolicy(PolicySettings(quiet_hours=hours))
    wall = time.mktime((2024, 1, 3, hour, 30, 0, 0, 0, -1))
    assert policy.admit("m", wall, 0.0) is (Reason.QUIET_HOURS if quiet else None)


def test_a_repetition_is_known_by_all_that_it_is_or_by_its_key_until_that_expires() -> None:
    policy = DeliveryPolicy(PolicySettings(key_ttl_s=300))
    assert not policy.repeated([event()], 0.0)
    assert policy.repeated([event()], 1.0)
    assert not policy.repeated([event(timestamp=2.0)], 1.0)
    assert not policy.repeated([event(text="disk full")], 1.0)  # another line of the same second
    assert policy.repeated([event(text="disk full")], 1.0)
    assert not policy.repeated([event(idempotency_key="k")], 1.0)
    assert policy.repeated([event("/elsewhere", 9.0, idempotency_key="k")], 300.0)
    other = replace(event(idempotency_key="k"), source="another")  # no source takes away its events
    assert not policy.repeated([other], 300.0)
    assert not policy.repeated([event()], 301.0)


def test_a_window_is_a_repetition_when_each_of_its_events_is() -> None:
    policy = DeliveryPolicy(PolicySettings(key_ttl_s=300))
    first, second, third = (event(f"/{name}") for name in "abc")
    assert not policy.repeated([first, second], 0.0)
    assert policy.repeated([second], 1.0)
    assert not policy.repeated([second, third], 2.0)
    assert policy.repeated([third, first], 3.0)
    assert not policy.repeated([], 4.0)


def test_without_a_time_to_live_nothing_is_remembered() -> None:
    policy = DeliveryPolicy(PolicySettings(key_ttl_s=0))
    assert not any(policy.repeated([event()], 0.0) for _ in range(3))


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"cooldown_s": -1}, ValueError),
        ({"cooldown_s": float("nan")}, ValueError),
        ({"group_s": "soon"}, ValueError),
        ({"burst": 0}, ValueError),
        ({"wakes_per_hour": True}, ValueError),
        ({"overlap": "sometimes"}, ValueError),
        ({"quiet_hours": (22, 24)}, ValueError),
        ({"quiet_hours": (22,)}, ValueError),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(
    settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=f"^{next(iter(settings))} must"):
        PolicySettings(**settings)


@given(
    st.lists(st.floats(0, 3600), min_size=1, max_size=60),
    st.floats(1, 200),
    st.integers(1, 5),
)
def test_no_bucket_gives_more_than_its_burst_and_its_rate(
    gaps: list[float], per_hour: float, burst: int
) -> None:
    bucket = TokenBucket(per_hour, burst)
    now = given_out = 0.0
    for gap in gaps:
        now += gap
        if bucket.has(now):
            bucket.take()
            given_out += 1
    assert given_out <= burst + now * per_hour / 3600 + 1e-6


def standing(peer: str, wakes_per_hour: float | None) -> Standing:
    return Standing(peer, 0, 0.0, wakes_per_hour)


def test_a_peer_has_a_budget_over_all_modules_and_others_have_their_own() -> None:
    policy = DeliveryPolicy(PolicySettings(burst=2))
    ann, ben = standing("ann", 60), standing("ben", 60)
    assert [policy.admit(name, NOON, 0.0, ann) for name in "abc"] == [
        None,
        None,
        Reason.PEER_BUDGET,
    ]
    assert policy.admit("a", NOON, 0.0, ben) is None
    assert policy.admit("a", NOON, 0.0, standing("carl", None)) is None
    assert policy.admit("a", NOON, 0.0) is None
    assert policy.admit("a", NOON, 60.0, ann) is None


def test_a_wake_that_is_held_back_costs_neither_the_peer_nor_anyone_a_token() -> None:
    policy = DeliveryPolicy(
        PolicySettings(wakes_per_hour=3600, module_wakes_per_hour=3600, burst=1)
    )
    ann, ben = standing("ann", 1), standing("ben", 1)
    assert policy.admit("a", NOON, 0.0, ann) is None
    assert policy.admit("b", NOON, 0.5, ben) is Reason.GLOBAL_BUDGET
    assert policy.admit("b", NOON, 1.0, ann) is Reason.PEER_BUDGET
    assert policy.admit("b", NOON, 1.0, ben) is None


def test_the_rate_of_a_peer_follows_its_standing() -> None:
    policy = DeliveryPolicy(PolicySettings(burst=1))
    assert policy.admit("a", NOON, 0.0, standing("ann", 1)) is None
    assert policy.admit("a", NOON, 60.0, standing("ann", 1)) is Reason.PEER_BUDGET
    assert policy.admit("a", NOON, 120.0, standing("ann", 60)) is None
    assert policy.admit("a", NOON, 180.0, standing("ann", 0)) is Reason.PEER_BUDGET


def test_the_peer_that_was_asked_about_least_lately_is_forgotten_first() -> None:
    policy = DeliveryPolicy(PolicySettings(burst=1))
    for number in range(MOST_PEERS):
        assert policy.admit("a", NOON, 0.0, standing(str(number), 1)) is None
    assert policy.admit("a", NOON, 0.0, standing("0", 1)) is Reason.PEER_BUDGET
    assert policy.admit("a", NOON, 0.0, standing("new", 1)) is None
    assert policy.admit("a", NOON, 0.0, standing("0", 1)) is Reason.PEER_BUDGET
    assert policy.admit("a", NOON, 0.0, standing("1", 1)) is None  # forgotten: a full budget
