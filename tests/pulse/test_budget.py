"""A budget of wakes: no span ever holds more, over a restart, too; the best scores take it up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse.budget_threshold import BudgetThreshold
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.policy import DeliveryPolicy
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.sliding_budget import SlidingBudget
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.settings.budget import Budget, parse_budget
from prefrontal.testing import ManualClock
from prefrontal.types import Reason

from .registries import file, raw

DAY = 86400.0
START = 1_704_137_400.0


def test_a_budget_is_a_number_and_a_span() -> None:
    assert parse_budget("20/day") == Budget(20, "day")
    assert str(parse_budget(" 3/hour ")) == "3/hour"
    assert parse_budget("1/week").span_s == 7 * DAY


@pytest.mark.parametrize(
    "text", ["", "20", "0/day", "-1/day", "1.5/day", "20/month", "9999999/day", "a"]
)
def test_what_is_no_budget_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match="^budget must be a whole number of wakes above 0 an hour"):
        parse_budget(text)
    with pytest.raises(ValueError, match="^budget must be wakes an hour, day or week, such as 20"):
        PolicySettings(budget=text)


@given(
    st.lists(st.floats(0.0, 2 * DAY), min_size=1, max_size=80),
    st.integers(1, 5),
    st.booleans(),
)
def test_no_span_holds_more_than_the_budget_wherever_it_begins(
    gaps: list[float], wakes: int, together: bool
) -> None:
    policy = DeliveryPolicy(PolicySettings(budget=f"{wakes}/day"))
    now, admitted = START, []
    for gap in gaps:
        now += gap / 20 if together else gap
        reason = policy.admit("m", now, now)
        assert reason in (None, Reason.GLOBAL_BUDGET)
        if reason is None:
            admitted.append(now)
        else:  # held back only where the span before it is full
            assert sum(each > now - DAY for each in admitted) == wakes
    for end in admitted:
        assert sum(end - DAY < each <= end for each in admitted) <= wakes


def test_all_modules_share_it_and_a_wake_that_another_rule_holds_back_costs_nothing() -> None:
    policy = DeliveryPolicy(PolicySettings(budget="2/day", cooldown_s=60))
    assert policy.admit("a", START, 0.0) is None
    assert policy.admit("a", START + 1, 1.0) is Reason.COOLDOWN
    assert policy.admit("b", START + 2, 2.0) is None
    assert policy.admit("c", START + 3, 3.0) is Reason.GLOBAL_BUDGET
    assert policy.admit("c", START + DAY, DAY) is None


def test_it_says_when_one_more_may_be_spent() -> None:
    policy = DeliveryPolicy(PolicySettings(budget="2/hour"))
    for at in (0.0, 600.0):
        assert policy.free_at("m", START + at, at) == at
        assert policy.admit("m", START + at, at) is None
    assert policy.free_at("m", START + 700.0, 700.0) == 3600.0
    assert policy.admit("m", START + 3599.0, 3599.0) is Reason.GLOBAL_BUDGET
    assert policy.admit("m", START + 3600.0, 3600.0) is None
    assert policy.free_at("m", START + 3700.0, 3700.0) == 4200.0


def test_a_clock_that_goes_back_gives_no_wake_twice() -> None:
    budget = SlidingBudget(Budget(1, "hour"))
    budget.take(START)
    assert not budget.has(START - DAY)
    budget.take(START - DAY)
    assert budget.used(START + 3599.0) == 2


def test_a_restart_counts_the_wakes_of_before(tmp_path: Path) -> None:
    clock = ManualClock(START)
    settings = GateSettings(threshold=0.0, policy=PolicySettings(budget="3/day", key_ttl_s=0))

    def asked(count: int) -> int:
        with DecisionLog(tmp_path / "log.sqlite") as log:
            gate = Stepper(log, [parse_fingerprint(raw())], settings, clock=clock)
            made = 0
            for _ in range(count):
                clock.advance(60.0)
                made += len(gate.wake(file(time=clock.now())))
            gate.close()
            return made

    assert asked(2) == 2
    assert asked(4) == 1
    clock.advance(DAY)
    assert asked(4) == 3


def test_the_threshold_takes_the_best_scores_as_many_as_the_budget_allows() -> None:
    budget = Budget(10, "day")
    follow, spent = BudgetThreshold(budget), SlidingBudget(budget)
    woken: list[float] = []
    for number in range(20 * 1000):  # a thousand a day, with scores spread evenly
        now, score = START + number * DAY / 1000, (number * 617 % 1000) / 1000
        woke = score >= follow.threshold(now, spent.used(now) / 10)
        if woke:
            spent.take(now)
        follow.decided(score, woke, now)
        if woke and number >= 5000:
            woken.append(score)
    assert 15 * 3 < len(woken) <= 15 * 10
    assert min(woken) > 0.97


def test_nothing_is_known_at_first_and_everything_is_worth_a_wake() -> None:
    follow = BudgetThreshold(Budget(10, "day"))
    assert follow.threshold(START, 0.0) == 0.0
    for number in range(100):
        follow.decided(0.5, number < 10, START + number)
    assert follow.threshold(START + 200.0, 1.0) == 0.0
    assert follow.threshold(START + 3 * 3600.0, 1.0) > 0.5  # nothing is left to spend
