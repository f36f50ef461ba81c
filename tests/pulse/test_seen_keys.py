"""Repetitions are recognised for so long and for so many, in little memory."""

from __future__ import annotations

import tracemalloc
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.pulse.seen_keys import SeenKeys

STEPS = st.lists(st.tuples(st.integers(-3, 8), st.floats(0.0, 4.0)), max_size=60)


@given(steps=STEPS, most=st.integers(1, 6))
def test_it_remembers_what_an_ordered_mapping_would(
    steps: list[tuple[int, float]], most: int
) -> None:
    seen, plain, now = SeenKeys(most), OrderedDict[int, float](), 0.0
    for key, pause in steps:
        now += pause
        while plain and next(iter(plain.values())) < now - 5.0:
            plain.popitem(last=False)
        repeated = key in plain
        assert seen.again(key, now, since=now - 5.0) is repeated
        if not repeated:
            if len(plain) == most:
                plain.popitem(last=False)
            plain[key] = now
        assert len(seen) == len(plain)


@pytest.mark.exhaustive
def test_fifty_thousand_keys_take_less_than_seven_megabytes() -> None:
    tracemalloc.start()
    seen = SeenKeys(50_000)
    for number in range(60_000):
        seen.again(hash(str(number)), number / 1000, since=0.0)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(seen) == 50_000
    assert size < 7e6
