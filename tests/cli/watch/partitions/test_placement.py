"""Workers are spread over machines evenly, and few of them move."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cli.watch.partitions.placement import dealt


def test_what_a_lost_machine_ran_goes_to_those_with_fewest() -> None:
    assert dealt(range(6), {"a": {0, 1}, "b": {2, 3}}) == {"a": {0, 1, 4}, "b": {2, 3, 5}}


def test_a_machine_that_joins_gets_a_share_and_nothing_else_moves() -> None:
    shares = dealt(range(6), {"a": {0, 1, 2}, "b": {3, 4, 5}, "c": set()})
    assert shares == {"a": {0, 1}, "b": {3, 4}, "c": {2, 5}}


def test_one_that_two_machines_run_while_it_moves_stays_on_one() -> None:
    assert dealt(range(3), {"a": {0, 1, 2}, "b": {2}}) == {"a": {0, 1}, "b": {2}}


@given(
    st.integers(0, 20),
    st.dictionaries(st.sampled_from("abcde"), st.sets(st.integers(0, 25)), min_size=1),
)
def test_each_worker_is_on_one_machine_and_shares_differ_by_one(
    count: int, machines: Mapping[str, Collection[int]]
) -> None:
    shares = dealt(range(count), machines)
    assert shares.keys() == machines.keys()
    assert sorted(number for each in shares.values() for number in each) == list(range(count))
    sizes = [len(each) for each in shares.values()]
    assert max(sizes) - min(sizes) <= 1
    assert dealt(range(count), shares) == shares
