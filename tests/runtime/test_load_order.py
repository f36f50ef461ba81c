from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.plugin import PluginError, PluginMeta
from prefrontal.runtime.load_order import load_order


def meta(name: str, priority: int = 50, *needs: str, optional: tuple[str, ...] = ()) -> PluginMeta:
    return PluginMeta(
        name, "1", priority=priority, dependencies=needs, optional_dependencies=optional
    )


def test_without_dependencies_the_priority_orders_and_then_the_id() -> None:
    metas = [meta("b", 20), meta("z", 10), meta("a", 20)]
    assert load_order(metas) == ["z", "a", "b"]


def test_a_dependency_comes_first_whatever_its_priority() -> None:
    assert load_order([meta("early", 1, "late"), meta("late", 90)]) == ["late", "early"]


def test_an_optional_dependency_counts_only_when_it_is_there() -> None:
    early = meta("early", 1, optional=("late", "absent"))
    assert load_order([early]) == ["early"]
    assert load_order([early, meta("late", 90)]) == ["late", "early"]


def test_a_ready_plugin_of_low_priority_number_does_not_wait_for_others() -> None:
    metas = [meta("ledger", 21, "config"), meta("cortex", 23, "ledger"), meta("config", 1)]
    assert load_order([*metas, meta("soul", 15)]) == ["config", "soul", "ledger", "cortex"]


def test_a_missing_dependency_is_refused_and_both_are_named() -> None:
    with pytest.raises(PluginError, match="cortex must have the plugin 'ledger', which is not"):
        load_order([meta("cortex", 23, "ledger")])


def test_a_circle_is_refused_and_told_step_by_step() -> None:
    metas = [meta("a", 1, "b"), meta("b", 1, "c"), meta("c", 1, "a"), meta("d", 1, "a")]
    with pytest.raises(PluginError, match="a -> b -> c -> a"):
        load_order(metas)


def test_a_plugin_that_needs_itself_is_a_circle() -> None:
    with pytest.raises(PluginError, match="circle, got a -> a"):
        load_order([meta("a", 1, "a")])


@given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 11))), max_size=12))
def test_the_order_is_the_plain_one_however_plugins_are_listed(
    drawn: list[tuple[int, set[int]]],
) -> None:
    """Dependencies point to earlier numbers only, so there is always an order."""
    metas = [
        meta(f"p{i:02}", priority, *(f"p{j:02}" for j in sorted(needs) if j < i))
        for i, (priority, needs) in enumerate(drawn)
    ]
    plain: list[str] = []
    while len(plain) < len(metas):
        ready = [m for m in metas if m.id not in plain and set(m.dependencies) <= set(plain)]
        plain.append(min(ready, key=lambda m: (m.priority, m.id)).id)
    assert load_order(metas) == plain
    assert load_order(reversed(metas)) == plain
