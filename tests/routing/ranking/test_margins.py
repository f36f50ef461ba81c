"""The second model of what was learned: margins over words and pairs of neighbours."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import SourceError
from prefrontal.routing.ranking.index import ToolIndex
from sealed_files import HEADER, sealed_index

ENTRY = struct.Struct("<QQQ")
MARGINS = range(117, 120)
"""Sections of a saved index: keys, starts and cells."""
PROMPTS = ("hand the dog the ball", "is it cold today", "put this on paper", "dog of the hand")


def build() -> ToolIndex:
    return ToolIndex.build(
        [
            {"name": "first", "intents": ["send ada a letter of bob", "how warm is it outside"]},
            {"name": "second", "intents": ["send bob a letter of ada", "write this on paper"]},
            {"name": "third", "doc": "Plays a song.", "intents": ["hand the ball to the dog"]},
        ]
    )


def told(index: ToolIndex, prompt: str) -> dict[str, dict[str, Any]]:
    found = index.rank(prompt, explain=True)
    return {tool.name: tool.explanation for tool in found if tool.explanation is not None}


@pytest.mark.parametrize(
    ("prompt", "name"),
    [("send ada a letter of bob now", "first"), ("please send bob a letter of ada", "second")],
)
def test_the_order_of_words_tells_tools_apart(prompt: str, name: str) -> None:
    index = build()
    by_tool = told(index, prompt)
    assert by_tool["first"]["phrasing"] == pytest.approx(by_tool["second"]["phrasing"], abs=1e-9)
    assert index.rank(prompt, 1)[0].name == name
    other = "first" if name == "second" else "second"
    assert by_tool[name]["margin"] > by_tool[other]["margin"] + 0.1


def test_what_was_learned_has_a_margin_near_one_and_what_nobody_said_none() -> None:
    index = build()
    assert told(index, "write this on paper")["second"]["margin"] == pytest.approx(1.0, abs=0.2)
    assert all(one["margin"] == 0.0 for one in told(index, "zebra crossing").values())


def test_a_rejection_lowers_the_margin_of_its_tool_alone() -> None:
    index = build()
    prompt = "put this on paper"
    before = told(index, prompt)
    index.reject(prompt, "second")
    after = told(index, prompt)
    assert after["second"]["margin"] < before["second"]["margin"]
    assert after["first"]["margin"] == before["first"]["margin"]


def resaved(path: Path, change: Callable[[int, int, int], tuple[int, int, int]]) -> Path:
    """A file of the index whose sections' numbers, starts and sizes are changed."""
    build().save(path)
    data = bytearray(path.read_bytes())
    (sections,) = struct.unpack_from("<Q", data, HEADER.size)
    for at in range(HEADER.size + 8, HEADER.size + 8 + sections * ENTRY.size, ENTRY.size):
        ENTRY.pack_into(data, at, *change(*ENTRY.unpack_from(data, at)))
    path.write_bytes(sealed_index(bytes(data)))
    return path


def test_an_index_saved_without_margins_learns_them_when_it_is_read(tmp_path: Path) -> None:
    old = ToolIndex.load(
        resaved(
            tmp_path / "old",
            lambda number, start, size: (number + 1000 * (number in MARGINS), start, size),
        )
    )
    for prompt in PROMPTS:
        assert old.rank(prompt, explain=True) == build().rank(prompt, explain=True)


@pytest.mark.parametrize("cut", [8, 16])
def test_margins_that_do_not_fit_together_are_refused(tmp_path: Path, cut: int) -> None:
    bent = resaved(
        tmp_path / "bent",
        lambda number, start, size: (number, start, size - cut * (number == MARGINS[0])),
    )
    with pytest.raises(SourceError, match="do not fit together"):
        ToolIndex.load(bent)
