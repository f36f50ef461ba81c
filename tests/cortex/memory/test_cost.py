"""What reflection costs is worked out from the configuration, counted by day, and capped."""

from __future__ import annotations

import json

import pytest

from prefrontal.cortex.memory.cost import (
    TYPICAL_IN,
    TYPICAL_OUT,
    CycleTokens,
    DailyCost,
    day,
    dollars,
    tokens_of,
    typical_cycle,
)
from prefrontal.settings.cortex_growth import Cost

NOON = 1_772_020_800.0  # 2026-02-25 12:00 UTC
DAY = 86400.0


@pytest.mark.parametrize(
    ("minutes", "cycles", "price"), [(15, 96, "1.22"), (30, 48, "0.61"), (60, 24, "0.31")]
)
def test_a_day_of_the_timer_costs_what_output_at_its_own_price_makes_it(
    minutes: float, cycles: int, price: str
) -> None:
    found = day(minutes, Cost())
    assert found.cycles == cycles
    assert f"{found.dollars:.2f}" == price
    assert found.tokens == cycles * (TYPICAL_IN + TYPICAL_OUT)


def test_prices_are_the_operators() -> None:
    assert dollars(1_000_000, 0, Cost(input_per_mtok=2.0)) == 2.0
    assert dollars(0, 1_000_000, Cost(output_per_mtok=9.0)) == 9.0
    assert day(30, Cost(input_per_mtok=0.0, output_per_mtok=0.0)).dollars == 0.0


def test_the_parts_of_a_typical_cycle_come_to_its_input() -> None:
    assert CycleTokens().input == TYPICAL_IN
    assert CycleTokens().total == TYPICAL_IN + TYPICAL_OUT


def test_a_configured_cycle_stays_within_its_bound() -> None:
    small = typical_cycle(max_context_tokens=2000, peers=9, context_window=10, max_beliefs=20)
    assert small.input == 2000
    assert small.events == 0 and 0 < small.peers < 900
    large = typical_cycle(max_context_tokens=9000, peers=5, context_window=10, max_beliefs=20)
    assert large.input == 400 + 400 + 300 + 150 + 500 + 500


def test_a_text_has_a_token_for_four_characters() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert tokens_of(1600) == 400


def test_what_is_used_is_counted_by_day() -> None:
    used = DailyCost()
    used.add(NOON, 100, 10)
    used.add(NOON + 60, None, 5)
    used.add(NOON + DAY, 7, None)
    told = [(each.date, each.cycles, each.tokens_in, each.tokens_out) for each in used.days]
    assert told == [("2026-02-25", 2, 100, 15), ("2026-02-26", 1, 7, 0)]


def test_no_cap_refuses_nothing() -> None:
    used = DailyCost()
    used.add(NOON, 10**9, 10**9)
    assert used.refusal(NOON, Cost()) == ""


def test_over_the_cap_of_tokens_the_day_is_over_and_the_next_is_free() -> None:
    used, cap = DailyCost(), Cost(daily_tokens=1000)
    used.add(NOON, 900, 99)
    assert used.refusal(NOON, cap) == ""
    used.add(NOON, 1, 0)
    assert used.refusal(NOON, cap) == "1,000 tokens used today, the cap is 1,000"
    assert used.refusal(NOON + DAY, cap) == ""


def test_over_the_cap_of_dollars_the_day_is_over() -> None:
    used, cap = DailyCost(), Cost(daily_dollars=0.01)
    used.add(NOON, 1000, 400)
    assert used.refusal(NOON, cap) == ""
    used.add(NOON, 0, 100)
    assert used.refusal(NOON, cap) == "$0.01 spent today, the cap is $0.01"


def test_sixty_days_are_remembered_also_over_a_restart() -> None:
    used = DailyCost()
    for number in range(70):
        used.add(NOON + number * DAY, 1, 1)
    restored = DailyCost()
    restored.load(json.loads(json.dumps(used.save())))
    assert len(restored.days) == 60
    assert restored.days == used.days


USED = {"date": "2026-02-25", "cycles": 1, "tokens_in": 1, "tokens_out": 1}
HURT: list[object] = [
    None,
    "x",
    [{"date": 4}],
    [{}],
    {"date": "2026-02-25"},
    [{**USED, "date": "\ud800"}],
    [{**USED, "tokens_in": 1e308}],
]


@pytest.mark.parametrize("raw", HURT)
def test_damaged_state_is_nothing_used(raw: object) -> None:
    used = DailyCost()
    used.load(raw)
    assert used.days == ()
