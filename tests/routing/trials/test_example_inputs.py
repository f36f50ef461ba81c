from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.trials.child_program import decoded
from prefrontal.routing.trials.entry_point import entry_point
from prefrontal.routing.trials.example_inputs import ExampleInputs, example_inputs, from_hint


def inputs(signature: str, example: Mapping[str, Any] | None = None) -> ExampleInputs | str:
    entry = entry_point(f"def run{signature}: ...")
    assert entry is not None
    return example_inputs(entry, example)


def called(signature: str, example: Mapping[str, Any] | None = None) -> tuple[Any, Any, bool]:
    """Arguments and keywords as the tool gets them, and whether they were guessed."""
    found = inputs(signature, example)
    assert isinstance(found, ExampleInputs), found
    keywords = {name: decoded(value) for name, value in found.keywords.items()}
    return [decoded(value) for value in found.arguments], keywords, found.guessed


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("str", ""),
        ("int", 0),
        ("float", 0.0),
        ("bool", False),
        ("bytes", b""),
        ("None", None),
        ("list[int]", [1, 2, 3]),
        ("'list[int]'", [1, 2, 3]),
        ("typing.List[int]", [1, 2, 3]),
        ("Sequence[float]", [1.0, 2.0, 3.0]),
        ("list[str]", []),
        ("collections.abc.Sequence[str]", []),
        ("dict[str, int]", {}),
        ("Mapping", {}),
        ("set[int]", set()),
        ("frozenset", frozenset()),
        ("tuple[int, ...]", ()),
        ("tuple[int, str]", (0, "")),
        ("tuple", ()),
        ("pathlib.Path", Path("a.txt")),
        ("date", date(2025, 1, 1)),
        ("datetime", datetime(2025, 1, 1, tzinfo=UTC)),
        ("Optional[Frame]", None),
        ("Frame | None", None),
        ("Frame | int", 0),
        ("Union[Frame, str]", ""),
        ("Literal['fast', 'slow']", "fast"),
        ("Annotated[int, 'rows']", 0),
    ],
)
def test_a_plain_value_of_a_type_is_given(hint: str, value: object) -> None:
    assert called(f"(a: {hint})") == ([], {"a": value}, True)


@pytest.mark.parametrize("hint", ["Frame", "Callable[[], int]", "tuple[Frame, int]", "T", "1 + 2"])
def test_a_type_without_an_obvious_value_has_none(hint: str) -> None:
    assert inputs(f"(a: {hint})") == f"no example for a ({hint})"


def test_an_argument_without_a_type_has_none() -> None:
    assert inputs("(a)") == "no example for a"


def test_the_example_comes_first_and_types_fill_what_it_leaves_out() -> None:
    assert called("(a: int, b: str)", {"a": 7}) == ([], {"a": 7, "b": ""}, True)
    assert called("(a: int, b: str)", {"a": 7, "b": "x"}) == ([], {"a": 7, "b": "x"}, False)


def test_defaults_are_left_to_the_tool() -> None:
    assert called("(a=1, *b, c=2, **d)") == ([], {}, False)
    assert called("(a=1, *, c=2)", {"c": 3}) == ([], {"c": 3}, False)


def test_arguments_that_go_by_place_are_given_by_place() -> None:
    assert called("(a, b=2, /, c=3)", {"a": 1, "c": 5}) == ([1], {"c": 5}, False)
    assert inputs("(a=1, b=2, /)", {"b": 5}) == "the example must name what comes before b"


def test_text_becomes_what_its_type_says() -> None:
    given_ = {"a": "data.csv", "b": "2025-03-01", "c": date(2025, 3, 2), "d": "x"}
    signature = "(a: Path, b: date, c: date, d: bytes)"
    values = {"a": Path("data.csv"), "b": date(2025, 3, 1), "c": date(2025, 3, 2), "d": b"x"}
    assert called(signature, given_) == ([], values, False)


def test_names_that_the_tool_does_not_take_are_told_unless_it_takes_any() -> None:
    assert inputs("(a=1)", {"y": 1, "x": 2}) == "the example names x, y, which it does not take"
    assert called("(**rest)", {"x": 2}) == ([], {"x": 2}, False)


@settings(deadline=None)
@given(st.text())
def test_any_hint_has_a_value_or_none(hint: str) -> None:
    value = from_hint(hint)
    if value is not None:
        decoded(value)
