"""A budget that partitions share: together they never spend more, and each has some of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cli.watch.partitions.budget_shares import budget_shares
from prefrontal.errors import InputError
from prefrontal.pulse.modules.partition_of import partition_of
from prefrontal.settings.budget import Budget

from .test_plan import MODULE, URL, plan


@given(
    st.dictionaries(st.integers(0, 255), st.integers(0, 1000), min_size=1, max_size=40),
    st.integers(0, 5000),
)
def test_shares_add_up_to_the_budget_and_follow_the_modules(
    modules: dict[int, int], spare: int
) -> None:
    homes = [number for number, count in modules.items() if count]
    if not homes:
        return
    budget = Budget(len(homes) + spare, "day")
    shares = budget_shares(budget, modules)
    assert sorted(shares) == sorted(homes)
    assert sum(each.wakes for each in shares.values()) == budget.wakes
    total = sum(modules.values())
    for number, share in shares.items():
        assert share.span == "day"
        assert abs(share.wakes - 1 - spare * modules[number] / total) < 1


def test_a_budget_that_leaves_a_partition_nothing_is_refused() -> None:
    assert budget_shares(Budget(2, "day"), {3: 5, 4: 0, 7: 1}) == {
        3: Budget(1, "day"),
        7: Budget(1, "day"),
    }
    with pytest.raises(InputError, match=r"one wake to each of the 2 .* got 1/day: a longer span"):
        budget_shares(Budget(1, "day"), {3: 5, 7: 1})


def test_each_gate_has_its_share_and_all_else_of_the_policy(tmp_path: Path) -> None:
    modules = [MODULE | {"module_id": f"agent-{number}/mail"} for number in range(30)]
    policy = {"budget": "100/week", "hold_s": 3}
    here = plan(tmp_path, modules=modules, policy=policy, storage={"url": URL, "partitions": 4})
    here.check()
    counts = Counter(partition_of(str(each["module_id"]), 4) for each in modules)
    gates = [here.gate_of(number).policy for number in range(4)]
    assert {each.hold_s for each in gates} == {3}
    shares = [int((each.budget or "").removesuffix("/week")) for each in gates]
    assert sum(shares) == 100
    assert [round((share - 1) * 30 / 96) for share in shares] == [counts[n] for n in range(4)]


def test_without_a_budget_a_gate_is_as_the_settings_have_it(tmp_path: Path) -> None:
    here = plan(tmp_path)
    assert here.gate_of(3) is here.settings.gate
