"""Nothing that came from outside gets anywhere unmarked, although the reflector repeats it all."""

from __future__ import annotations

from itertools import product

import pytest

import bench_taint as bench
import taint_strings as strings
from taint_agent import DOORS
from taint_conversation import Talk

from ..exhaustive import first

FEW, SIZE = 4, 10
"""Orders at once: of ten enough to fill what is cut to a length."""
ROADS = [
    ("event", "padded"),
    ("tool", "split"),
    ("name", "laundered"),
    *(road for road in product(DOORS, strings.WAYS)),
]

CONVERSATION_ROADS = [("tool", "translated"), ("id", "laundered"), *product(DOORS, strings.WAYS)]


@pytest.mark.parametrize(("door", "way"), first(3, ROADS))
async def test_no_order_from_outside_gets_through(door: str, way: str) -> None:
    """The agent that only compares words is there to show that the parrot would get through."""
    languages = {"verbatim": strings.LANGUAGES, "padded": ("es",)}.get(way, ("zh",))
    for number, language in enumerate(languages):
        batch = range(SIZE * number, SIZE * (number + 1))
        tally = await bench.attacked(door, way, language, batch, twin=False)
        assert (tally.read, tally.through) == (SIZE, dict.fromkeys(bench.SINKS, 0))
    twin = await bench.attacked(door, way, language, batch, twin=True)
    assert twin.read == SIZE
    assert twin.through["prompt"] > 0
    assert twin.total > 3


@pytest.mark.parametrize(("door", "way"), first(1, CONVERSATION_ROADS))
async def test_no_order_gets_through_the_conversations_of_others(door: str, way: str) -> None:
    """The agent's own model repeats all that it reads, in chats, notes and facts."""
    tally = await bench.attacked(door, way, "ja", range(FEW), kind=Talk)
    assert (tally.read, tally.through) == (FEW, dict.fromkeys(bench.SINKS, 0))
    twin = await bench.attacked(door, way, "ja", range(FEW), twin=True, kind=Talk)
    assert twin.through["prompt"] == FEW


@pytest.mark.exhaustive
def test_no_honest_belief_of_the_ten_simulations_waits_for_an_approval() -> None:
    cost = bench.cost()
    assert cost.beliefs >= 20
    assert cost.waiting == 0


def test_a_translation_and_a_half_are_found() -> None:
    for language in strings.LANGUAGES:
        text = strings.written(417, language)
        assert len(text) <= 75
        assert strings.translated(417, language) != text
        for part in (*strings.halves(417, language), strings.padded(417, language)):
            assert strings.unmarked(part) == {417}
        assert strings.unmarked(f"a \N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}{text}") == {417}
    assert strings.unmarked("⟦zq417a⟧ zq418a") == {418}
