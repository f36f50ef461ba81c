"""A budget of wakes: no span ever holds more, over a restart, too; the best scores take it up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.assembly.wakes_again import again
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import FoldedWindow, WakePayload
from prefrontal.errors import InputError
from prefrontal.pulse.budgets.budget_threshold import BudgetThreshold
from prefrontal.pulse.budgets.sliding_budget import SlidingBudget
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.policy import DeliveryPolicy
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.settings.budget import Budget, parse_budget
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

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


def shared(*modules: str, any_of: str = "", **settings: Any) -> DeliveryPolicy:
    """A policy of these modules, of which one hears sources of any name."""
    policy = DeliveryPolicy(PolicySettings(**settings))
    for each in modules:
        policy.know(each, each == any_of)
    return policy


def admitted(policy: DeliveryPolicy, module: str, count: int, source: str = "a") -> list[Any]:
    """What becomes of so many windows of a module, at the same moment."""
    reasons = []
    for _ in range(count):
        policy.see(source, START, 0.0)
        reasons.append(policy.admit(module, START, 0.0, source=source))
    return reasons


def test_a_module_that_floods_leaves_the_others_their_part_of_a_budget() -> None:
    policy = shared("flood", "quiet", "rare", budget="20/day")
    reasons = admitted(policy, "flood", 100)
    assert reasons == [None] * 18 + [Reason.MODULE_BUDGET] * 82
    assert admitted(policy, "quiet", 3) == [None, Reason.MODULE_BUDGET, Reason.MODULE_BUDGET]
    assert admitted(policy, "rare", 2) == [None, Reason.GLOBAL_BUDGET]
    assert policy.free_at("quiet", START, 0.0) == DAY


def test_a_module_alone_and_a_budget_of_three_are_not_divided() -> None:
    assert admitted(shared("one", budget="20/day"), "one", 21) == [None] * 20 + [
        Reason.GLOBAL_BUDGET
    ]
    small = shared("one", "other", budget="3/day")
    assert admitted(small, "one", 4) == [None] * 3 + [Reason.GLOBAL_BUDGET]


def test_a_source_that_floods_a_module_of_any_source_leaves_a_part_to_one_that_comes() -> None:
    policy = shared("programs", any_of="programs", budget="20/day")
    assert admitted(policy, "programs", 20, "flood") == [None] * 18 + [Reason.SOURCE_BUDGET] * 2
    assert admitted(policy, "programs", 1, "quiet") == [None]
    assert admitted(policy, "programs", 1, "flood") == [Reason.SOURCE_BUDGET]
    assert admitted(policy, "programs", 1, "quiet") == [Reason.SOURCE_BUDGET]
    assert admitted(policy, "programs", 1, "rare") == [None]


def test_a_flood_of_names_spends_the_part_of_no_other_module() -> None:
    policy = shared("programs", "git", any_of="programs", budget="20/day")
    for number in range(100):
        admitted(policy, "programs", 1, f"name {number}")
    assert admitted(policy, "git", 3, "git") == [None, None, Reason.GLOBAL_BUDGET]


def test_the_parts_of_a_budget_come_back_with_the_span() -> None:
    policy = shared("flood", "quiet", budget="8/hour")
    for at in range(8):
        policy.admit("flood", START + at, at)
    assert policy.admit("flood", START + 3599.0, 3599.0) is Reason.MODULE_BUDGET
    assert policy.free_at("flood", START + 3599.0, 3599.0) == 3600.0
    assert policy.admit("flood", START + 3600.0, 3600.0) is None
    assert policy.admit("quiet", START + 3600.5, 3600.5) is None


def test_of_an_hourly_budget_the_next_wake_is_whose_part_is_unspent() -> None:
    policy = shared("flood", "quiet", wakes_per_hour=12.0, burst=4)
    assert admitted(policy, "flood", 4) == [None] * 3 + [Reason.MODULE_BUDGET]
    for at in range(300, 3600, 300):
        assert policy.free_at("quiet", START + at, float(at)) == at
        assert policy.admit("flood", START + at, float(at)) is None
    assert policy.admit("quiet", START + 3300, 3300.0) is None
    assert policy.admit("flood", START + 3300, 3300.0) is Reason.GLOBAL_BUDGET


def test_rules_of_before_spent_a_budget_on_whoever_came_first() -> None:
    policy = DeliveryPolicy(PolicySettings(budget="20/day", wakes_per_hour=100), fair=False)
    for each in ("flood", "quiet"):
        policy.know(each, hears_any=True)
    assert [policy.admit("flood", START + n, 600.0 * n) for n in range(20)] == [None] * 20
    assert policy.admit("quiet", START + 60, 12_000.0) is Reason.GLOBAL_BUDGET


def test_each_module_and_each_source_may_have_a_budget_of_its_own() -> None:
    policy = shared("a", "b", module_budget="2/day", source_budget="3/hour")
    assert admitted(policy, "a", 3, "x") == [None, None, Reason.MODULE_BUDGET]
    assert admitted(policy, "b", 2, "x") == [None, Reason.SOURCE_BUDGET]
    assert admitted(policy, "b", 1, "y") == [None]
    assert policy.free_at("b", START, 0.0, source="z") == DAY
    assert policy.free_at("c", START, 0.0, source="x") == 3600.0


@pytest.mark.parametrize("own", ["module_budget", "source_budget", "budget"])
def test_a_restart_knows_who_spent_a_budget(tmp_path: Path, own: str) -> None:
    clock = ManualClock(START)
    priors = ({"http": {"sources": ["flood"]}}, {"http": {"sources": ["quiet"]}})
    modules = [
        parse_fingerprint(raw(name, 0.0, **prior))
        for name, prior in zip(("flood", "quiet"), priors, strict=True)
    ]
    policy = PolicySettings(key_ttl_s=0, **{own: "4/day"})

    def asked(*sources: str) -> list[str]:
        with DecisionLog(tmp_path / "log.sqlite") as log:
            with Stepper(log, modules, GateSettings(policy=policy), clock=clock) as gate:
                made = []
                for source in sources:
                    clock.advance(60.0)
                    made += gate.wake(SignalEvent(source, "x", "said", 1.0, clock.now()))
            found = list(again(log))
        assert found == []
        return [each.subject for each in made]

    allowed = 3 if own == "budget" else 4
    assert asked(*["flood"] * 3) == ["flood"] * 3
    assert asked("flood", "flood", "quiet") == ["flood"] * (allowed - 3) + ["quiet"]


def flooded(policy: PolicySettings, modules: list[Any], before: int = 200) -> list[set[str]]:
    """Of which sources each question tells in the hour after a flood, which goes on, and one quiet
    signal."""
    clock = ManualClock(START)
    with DecisionLog() as log:
        gate = Stepper(log, modules, GateSettings(threshold=0.0, policy=policy), clock=clock)
        for number in range(before):
            gate.wake(SignalEvent("flood", f"{number}", "flood", 1.0, clock.now()))
        asked = gate.wake(SignalEvent("quiet", "x", "quiet", 1.0, START))
        for number in range(240):
            clock.advance(15.0)
            asked += gate.tick()
            asked += gate.wake(SignalEvent("flood", f"more {number}", "flood", 1.0, clock.now()))
    return [{each.window[-1].source, *map(_kind, folded(each))} for each in asked]


def folded(record: Decision) -> tuple[FoldedWindow, ...]:
    assert isinstance(record.payload, WakePayload)
    return record.payload.folded


def _kind(window: FoldedWindow) -> str:
    return window.name.rpartition(" ")[2]


@pytest.mark.parametrize("hold_s", [0.0, 2.0])
@pytest.mark.parametrize(
    "budget", [{"budget": "8/hour"}, {"wakes_per_hour": 8.0}, {"wakes_per_hour": 8.0, "burst": 2}]
)
def test_a_flood_that_goes_on_starves_no_other_module(budget: Any, hold_s: float) -> None:
    modules = [
        parse_fingerprint(raw(name, 0.0, http={"sources": [name]}) | {"hold_s": hold_s})
        for name in ("flood", "quiet")
    ]
    asked = flooded(PolicySettings(key_ttl_s=0, **budget), modules)
    assert {"quiet"} in asked[:2] and {"flood"} in asked


@pytest.mark.parametrize("budget", [{"budget": "8/hour"}, {"source_budget": "4/hour"}])
def test_a_source_that_floods_a_module_starves_no_other_of_it(budget: Any) -> None:
    module = parse_fingerprint(raw("programs", 0.0, http={}))
    asked = flooded(PolicySettings(key_ttl_s=0, **budget), [module])
    assert "quiet" in asked[0]


def test_the_first_question_of_many_tells_of_each_source() -> None:
    module = parse_fingerprint(raw("programs", 0.0, http={}) | {"hold_s": 20.0})
    asked = flooded(PolicySettings(key_ttl_s=0), [module], before=700)
    assert asked[0] == {"flood", "quiet"} and asked[1] == {"flood"}
