"""What a call of a tool comes to, and the sentence where it comes to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.trials.calling import CallOutcome, call_tool

from ..plain_runner import PlainRunner


def call(folder: Path, source: str, runner: PlainRunner | None = None, **given: Any) -> CallOutcome:
    path = folder / "made.py"
    return call_tool(runner or PlainRunner(), path, source.encode(), given, scratch=folder)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def run(:\n", "line 1"),
        ("x = 1\n", "the module defines neither run() nor main()"),
        ("def run(a, b, c=1): ...\n", "run() needs a, b"),
    ],
)
def test_what_cannot_be_called_is_not_started(tmp_path: Path, source: str, sentence: str) -> None:
    runner = PlainRunner()
    found = call(tmp_path, source, runner)
    assert sentence in found.reason
    assert (found.value, found.fault, runner.asked) == (None, "tool", [])


def test_arguments_that_are_no_json_are_the_machines_fault(tmp_path: Path) -> None:
    found = call(tmp_path, "def run(a): ...\n", a=object())
    assert found.reason.startswith("its arguments cannot be handed over: Object of type object")
    assert found.fault == "machine"


def test_a_sandbox_that_cannot_be_started_is_the_machines_fault(tmp_path: Path) -> None:
    found = call(tmp_path, "def run(): ...\n", PlainRunner(broken=True))
    assert found.reason and (found.value, found.fault) == (None, "machine")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("raise ValueError('no such month')", "no such month"),
        ("import os; os._exit(3)", "it ended before it answered (exit status 3)"),
    ],
)
def test_a_tool_that_raises_or_ends_is_told(tmp_path: Path, body: str, sentence: str) -> None:
    found = call(tmp_path, f"def run():\n    {body}\n")
    assert sentence in found.reason
    assert (found.value, found.fault, found.level) == (None, "tool", "plain")


def test_a_result_comes_back(tmp_path: Path) -> None:
    found = call(tmp_path, "def run(a):\n    return {'a': a}\n", a=2)
    assert (found.value, found.reason, found.fault) == ({"a": 2}, "", "")
