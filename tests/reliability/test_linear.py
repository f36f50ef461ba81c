"""The doubling test of patterns and parsers tells quadratic time from linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import linear
from pattern_words import PatternWords


@pytest.fixture
def spend(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets CPU time pass."""
    seconds = [0.0]
    monkeypatch.setattr("time.thread_time", lambda: seconds[0])

    def spend(more: float) -> None:
        seconds[0] += more

    return spend


@pytest.mark.parametrize(
    ("name", "power", "scale", "is_linear"),
    [
        ("any", 1, 1e-4, True),
        ("any", 2, 1e-5, False),
        ("any", 2, 1e-8, True),  # 0.64 ms at most
        ("what a belief says of a tool", 2, 1e-7, True),  # 26 ms at its greatest length
        ("what a belief says of a tool", 2, 1e-5, False),
    ],
)
def test_quadratic_time_is_found(
    spend: Callable[[float], None], name: str, power: int, scale: float, is_linear: bool
) -> None:
    def run(text: str) -> None:
        spend(scale * len(text) ** power)

    finding = linear.grown(name, run, lambda size: "a" * size, 64, "a")
    assert finding.is_linear == is_linear


def test_texts_are_made_of_what_a_pattern_speaks_of() -> None:
    words = PatternWords(re.compile(r"(?:not|no longer)\s+(?P<verb>use[sd])(?=[a-c:]|\d++)(?>x)"))
    assert words.words >= {"use", "x"}
    assert words.letters >= set("notlgerusd:ax 1")


def test_a_pattern_is_called_as_its_module_calls_it() -> None:
    assert linear.methods_of("prefrontal.routing.catalog.docstring._FIELD") == ["match"]
    assert linear.methods_of("prefrontal.executive.chooser.beliefs._SENTENCE") == []
