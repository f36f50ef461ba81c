"""What the program inside the sandbox makes of a module, its arguments and its results."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prefrontal.routing.trials import child_program
from prefrontal.routing.trials.child_program import Cut, called, failure, load, shown, signature

PATH = "/tools/made.py"


@pytest.fixture(autouse=True)
def _other_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tool_on_trial", ModuleType("tool_on_trial"))


def made(source: str) -> Any:
    """The function `run` of a module with this source."""
    return load({"path": PATH, "source": source.encode().decode("latin-1")}).run


def request(*arguments: list[Any], value: int = 0, **keywords: list[Any]) -> dict[str, Any]:
    return {"arguments": list(arguments), "keywords": keywords, "value": value}


def test_a_module_is_run_from_the_bytes_of_the_request_and_knows_its_path() -> None:
    function = made("def run(text='ä'):\n    return text, __file__\n")
    assert called(function, request(value=100))["value"] == ["ä", PATH]


def test_a_signature_says_of_each_parameter_how_it_is_given_and_whether_it_must_be() -> None:
    function = made("def run(a, /, b, *rest, c, d=1, **more): ...\n")
    assert signature(function) == [
        ["a", "positional", True], ["b", "either", True], ["rest", "rest", False],
        ["c", "keyword", True], ["d", "keyword", False], ["more", "keywords", False],
    ]  # fmt: skip


def test_arguments_are_of_the_types_that_were_meant() -> None:
    function = made(
        "def run(*given, **named):\n    return [*map(repr, given), *map(repr, named)]\n"
    )
    given: list[list[Any]] = [
        ["path", "/x"], ["tuple", [["plain", 1], ["bytes", "b"]]], ["set", [1]],
        ["frozenset", []], ["date", "2026-01-02"], ["datetime", "2026-01-02T03:04:05"],
        ["plain", {"a": None}],
    ]  # fmt: skip
    assert called(function, request(*given, value=1000, key=["plain", 1]))["value"] == [
        "PosixPath('/x')", "(1, b'b')", "{1}", "frozenset()", "datetime.date(2026, 1, 2)",
        "datetime.datetime(2026, 1, 2, 3, 4, 5)", "{'a': None}", "'key'",
    ]  # fmt: skip


def test_of_a_mapping_the_keys_are_reported_within_limits() -> None:
    found = called(made("def run():\n    return {'k' * 200: 1, 5: 2}\n"), request())
    assert found == {"returned": "dict", "keys": ["k" * 100], "shown": found["shown"]}
    many = called(made("def run():\n    return {str(n): n for n in range(600)}\n"), request())
    assert len(many["keys"]) == 500


def test_what_must_be_awaited_is_no_result() -> None:
    found = called(made("class run:\n    def __await__(self): ...\n"), request())
    assert found == {"ok": False, "type": "", "text": "it returns something to await"}


@dataclass
class Point:
    x: int
    y: object


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (-(2**70), hex(-(2**70))),
        (0.5, 0.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ({3, 1, 2}, [1, 2, 3]),
        (OrderedDict({1: (b"\xff", Path("/x"))}), {"1": ["\ufffd", "/x"]}),
        (Point(1, date(2026, 1, 2)), {"x": 1, "y": "2026-01-02"}),
        (object, "<class 'object'>"),
    ],
)
def test_a_value_becomes_one_that_json_holds(value: object, plain: object) -> None:
    assert Cut(1000).plain(value) == plain


def test_a_value_past_the_limit_ends_in_an_ellipsis() -> None:
    assert Cut(5).plain("abcdefgh") == "abcd…"
    assert Cut(4).plain([1, 2, 3, 4, 5]) == [1, 2, "…"]
    assert Cut(6).plain({"abcdefgh": 1, "more": 2}) == {"abcde…": "…"}
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]
    assert str(Cut(1000).plain(deep)).count("[") == child_program.DEEPEST + 1


class HostileError(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


def test_a_stranger_that_raises_when_it_is_shown_is_shown_all_the_same() -> None:
    assert shown(HostileError()).startswith("<HostileError instance at ")
    assert shown(type("list", (), {})()) == "<list, whose repr raises TypeError>"
    found = failure(HostileError(), PATH)
    assert (found["type"], found["text"], found["line"]) == ("HostileError", "", 0)


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("def run():\n\n    raise KeyError('x') from ValueError('y')\n", "KeyError", 3),
        ("def run():\n    return (\n", "SyntaxError", 2),
        ("import no_such_module_anywhere\n", "ModuleNotFoundError", 1),
    ],
)
def test_an_error_is_told_with_the_line_of_the_tool_and_its_causes(
    source: str, kind: str, line: int
) -> None:
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - each its own
        called(made(source), request())
    found = failure(raised.value, PATH)
    assert (found["ok"], found["type"], found["line"]) == (False, kind, line)
    assert ("ValueError" in found["kinds"]) == (kind == "KeyError")
