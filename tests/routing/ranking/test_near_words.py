"""Words of names a few edits away are found by their parts, as by comparing them with all."""

from __future__ import annotations

import random

import pytest

from prefrontal._core.routing import levenshtein, tokens
from prefrontal.routing.ranking.index import ToolIndex

from ..twin import is_turned

LETTERS = "bkzw"


def words(count: int, dice: random.Random) -> list[str]:
    """Different ones of 3 to 18 letters that are their own stems; many differ by few edits."""
    out: dict[str, None] = {}
    while len(out) < count:
        word = "".join(dice.choices(LETTERS, k=dice.randint(3, 18)))
        for _ in range(4):
            if tokens(word) == [word]:
                out[word] = None
            at = dice.randrange(len(word))
            word = word[:at] + dice.choice(["", *LETTERS]) + word[at + dice.randint(0, 1) :]
            word = (word + "bkz")[: max(3, min(18, len(word)))]
    return list(out)


def is_near(one: str, other: str) -> bool:
    return 4 * levenshtein(one, other) <= max(len(one), len(other))


def shares_a_start(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4 or one[:4] != other[:4]:
        return False
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    same = min(len(one), len(other)) if shared is None else shared
    return 2 * same >= max(len(one), len(other))


@pytest.mark.parametrize("seed", range(2))
def test_the_words_near_one_are_those_that_comparing_with_all_finds(seed: int) -> None:
    dice = random.Random(seed)
    named = words(3_000, dice)
    index = ToolIndex.build([{"key": word, "name": word, "doc": ""} for word in named])
    for asked in [*dice.sample(named, 20), *words(20, dice)]:
        ranked = index.rank(asked, len(named))
        found = {tool.name for tool in ranked if tool.features["name_similarity"] > 0.0}
        misspelt = asked not in named  # what a tool is called is no slip for another
        assert found == {
            word
            for word in named
            if word == asked
            or shares_a_start(asked, word)
            or (misspelt and (is_near(asked, word) or is_turned(asked.encode(), word.encode())))
        }


def test_a_word_that_a_tool_has_is_no_slip_for_another() -> None:
    index = ToolIndex.build(
        [
            {"name": "filter_rows", "doc": "Keep some rows."},
            {"name": "test_code", "doc": "Try code."},
            {"name": "open_it", "doc": "Open a file or a text."},
        ]
    )
    for asked in ("file", "text"):
        tools = {one.name: one.features["name_similarity"] for one in index.rank(asked, 3)}
        assert tools["filter_rows"] == tools["test_code"] == 0.0
    assert index.rank("fillter", 1)[0].features["name_similarity"] > 0.0
