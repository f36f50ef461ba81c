from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.catalog import signature
from prefrontal.routing.types import ArgSpec


def function(source: str) -> signature.Function:
    found = signature.entry_of(signature.parse_python(source))
    assert found is not None
    return found


def test_arguments_have_hints_defaults_and_say_whether_they_are_required() -> None:
    source = "def run(df: DataFrame, n: int = 3, *rest, name: str | None = None, deep, **more): ..."
    assert signature.arguments(function(source)) == [
        ArgSpec("df", "DataFrame", True, None),
        ArgSpec("n", "int", False, "3"),
        ArgSpec("name", "str | None", False, "None"),
        ArgSpec("deep", None, True, None),
    ]


def test_a_hint_in_quotes_loses_them() -> None:
    found = function("def run(df: 'pd.DataFrame') -> 'dict[str, float]': ...")
    assert signature.arguments(found)[0].type_hint == "pd.DataFrame"
    assert signature.hint(found.returns) == "dict[str, float]"


def test_run_wins_over_main_and_the_last_of_twins_counts() -> None:
    source = "def main(a): ...\ndef run(b): ...\ndef run(c): ...\n"
    assert [each.name for each in signature.arguments(function(source))] == ["c"]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = 1",
        "class run: ...",
        "class A:\n    def run(self): ...",
        "def other():\n    def run(): ...",
    ],
)
def test_only_a_function_at_the_top_is_an_entry(source: str) -> None:
    assert signature.entry_of(signature.parse_python(source)) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import os\nfrom .impl import run",
            (2, "run must be defined in the file, got it imported"),
        ),
        ("from .impl import go as main", (1, "main must be defined in the file, got it imported")),
        ("run = print", (1, "run must be defined in the file, got it assigned")),
        ("running = print", None),
    ],
)
def test_an_entry_from_elsewhere_is_named(source: str, expected: tuple[int, str] | None) -> None:
    assert signature.indirect_entry(signature.parse_python(source)) == expected


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("async def run(): ...", "run() must be a plain function, got an async one"),
        ("def main(a, /, b): ...", "main() must take its arguments by name, got 'a' before /"),
        ("def run():\n    yield 1", "run() must return its result, got a generator"),
        ("def run():\n    def inner():\n        yield 1\n    return inner", ""),
        ("def run(a, *, b=1): ...", ""),
    ],
)
def test_what_cannot_be_called_by_name_is_refused(source: str, why: str) -> None:
    assert signature.refusal(function(source)) == why


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ("return {'summary': 1, 'n': 2}", ("summary", "n")),
        ("return dict(summary=1, n=2)", ("summary", "n")),
        ("result = {'a': 1}\n return result", ("a",)),
        ("result: dict = {'a': 1}\n return result", ("a",)),
        ("result = {'a': 1}\n result = {'b': 1}\n return result", ()),
        ("result = {'a': 1}\n other = result['b'] = {'c': 1}\n return result", ("a",)),
        ("if x:\n  return {'a': 1, 'b': 2}\n return {'b': 3, 'c': 4}", ("b",)),
        ("if x:\n  return None\n return {'b': 3}", ()),
        ("return x", ()),
        ("return list(a=1)", ()),
        ("return {**x, 'a': 1, 2: 3}", ("a",)),
        ("f = lambda: {'a': 1}\n def g():\n  return {'b': 1}\n return {'c': 1}", ("c",)),
        ("pass", ()),
    ],
)
def test_returned_keys_are_those_every_returned_dict_has(body: str, keys: tuple[str, ...]) -> None:
    assert signature.returned_keys(function(f"def run(x):\n {body}\n")) == keys


@pytest.mark.parametrize(
    "source",
    ["def run(:", "\0", "x = '\n", "(" * 500, "-" * 100_000 + "1", "9" * 5000],
)
def test_whatever_is_no_python_is_a_syntax_error(source: str) -> None:
    with pytest.raises(SyntaxError):
        signature.parse_python(source)


def test_a_doubtful_escape_is_no_warning() -> None:
    assert isinstance(signature.parse_python("'\\d'"), ast.Module)


names = st.from_regex(r"[a-z]{1,6}_", fullmatch=True)


@settings(deadline=None)
@given(st.lists(st.tuples(names, st.integers(0, 3)), unique_by=lambda each: each[0], max_size=6))
def test_any_signature_comes_back_as_python_itself_sees_it(drawn: list[tuple[str, int]]) -> None:
    import inspect

    plain = [name for name, kind in drawn if kind == 0] + [
        f"{name}: int = 1" for name, kind in drawn if kind == 1
    ]
    named = [name if kind == 2 else f"{name}='x'" for name, kind in drawn if kind >= 2]
    source = f"def run({', '.join([*plain, '*rest', *named])}): ..."
    space: dict[str, object] = {}
    exec(source, space)
    run = space["run"]
    assert callable(run)
    real = [
        (each.name, each.default is each.empty)
        for each in inspect.signature(run).parameters.values()
        if each.kind is not each.VAR_POSITIONAL
    ]
    found = signature.arguments(function(source))
    assert [(each.name, each.required) for each in found] == real
