from __future__ import annotations

import ast
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.trials.entry_point import EntryPoint, entry_point

SIGNATURES = [
    "()",
    "(a)",
    "(a, /)",
    "(a, b, /, c)",
    "(a, *, b)",
    "(a=1, *, b, c=2)",
    "(*a)",
    "(**a)",
    "(a, /, b=1, *c, d, e=2, **f)",
    "(a: int, b: 'list[str] | None' = None) -> dict[str, float]",
    "(a, *b, c)",
    "(a=(1, 2), /)",
]


def read(source: str) -> EntryPoint:
    found = entry_point(source)
    assert found is not None
    return found


@pytest.mark.parametrize("signature", SIGNATURES)
def test_the_stub_of_a_function_has_its_signature(signature: str) -> None:
    stub = read(f"def run{signature}:\n    return 1\n").stub()
    first: dict[str, object] = {}
    second: dict[str, object] = {}
    exec(f"def run{signature}: ...", first)
    exec(stub, second)
    assert inspect.signature(first["run"]) == inspect.signature(second["run"])  # type: ignore[arg-type]
    assert read(stub).stub() == stub


def test_run_wins_over_main_and_the_last_definition_over_the_first() -> None:
    assert read("def main(**kwargs): ...\ndef run(a): ...\ndef run(b): ...").stub() == (
        "def run(b): ..."
    )
    assert read("async def main(**kwargs): ...").stub() == "async def main(**kwargs): ..."
    assert entry_point("def other(): ...\nclass run: ...") is None


def test_a_parameter_is_required_without_a_default_unless_it_takes_the_rest() -> None:
    found = read("def run(a, /, b=1, *c, d, e=2, **f): ...")
    assert [one.name for one in found.parameters if one.required] == ["a", "d"]
    kinds = [one.kind for one in found.parameters]
    assert kinds == ["positional", "either", "rest", "keyword", "keyword", "keywords"]


def test_docstrings_of_module_and_function_are_joined() -> None:
    assert read('"""One."""\ndef run():\n    """Two."""').doc == "One.\n\nTwo."
    assert read("def run(): ...").doc == ""


@pytest.mark.parametrize("source", ["def run(:", "x = '", b"\xff\xfe", "a\0b", "(" * 500])
def test_source_that_is_no_python_is_a_sentence(source: str | bytes) -> None:
    with pytest.raises(InputError, match="source must be Python, got"):
        entry_point(source)


def test_a_doubtful_escape_is_no_error() -> None:
    assert read("def run(a='\\d'): ...").parameters[0].default == repr("\\d")


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        entry_point(text)
    except InputError as error:
        assert "source must be Python" in str(error)
    else:
        ast.parse(text)
