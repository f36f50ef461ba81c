"""YAML is read as PyYAML reads it, and refused where it would take long."""

from __future__ import annotations

from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.storage import yaml_text
from prefrontal.storage.yaml_text import MOST_LEVELS, MOST_VALUES, compose_yaml, parse_yaml

from ..exhaustive import first

LEVELS = 12
BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, LEVELS)
)
MERGES = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}\n" for n in range(1, 4 * LEVELS)
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False)
    | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@pytest.fixture(params=["libyaml", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(yaml, "__with_libyaml__", request.param == "libyaml")
    monkeypatch.setattr(
        yaml_text, "_loader_class", yaml_text._loader_class.__wrapped__  # not the one kept
    )  # fmt: skip
    return str(request.param)


@given(values)
def test_what_was_written_is_read(value: Any) -> None:
    assert parse_yaml(yaml.safe_dump(value)) == value


@pytest.mark.parametrize(
    "text",
    ["", "# nothing", "a: 1\nb: [x, 0x1f, 1:30, 2001-12-14, ~, yes]",
     "- &a {k: v}\n- *a\n- <<: *a\n  z: 1",
     "a: |\n  one\n  two\n", "? [1, 2]\n: x", "'quoted': \"\\u00e9\"", "é: ü"],
)  # fmt: skip
def test_documents_are_read_as_pyyaml_does(parser: str, text: str) -> None:
    try:
        known = yaml.safe_load(text)
    except yaml.YAMLError:
        with pytest.raises(ValueError, match="unhashable"):
            parse_yaml(text)
    else:
        assert parse_yaml(text) == known


@pytest.mark.parametrize(
    ("text", "sentence"),
    first(
        8,
        [
            ("[" * 2048, f"must be nested at most {MOST_LEVELS} deep"),
            ("- " * 500_000, f"must be nested at most {MOST_LEVELS} deep"),
            ("? " * 3000, f"must be nested at most {MOST_LEVELS} deep"),
            (BOMB, f"must hold at most {MOST_VALUES:,} values, with what aliases repeat"),
            (MERGES, f"must hold at most {MOST_VALUES:,} values, with what aliases repeat"),
            ("- x\n" * (MOST_VALUES + 1), f"must hold at most {MOST_VALUES:,} values"),
            ("a: &a [*a]", "must hold no alias in what it repeats"),
            ("a: 1\nb: 2\na: 3", r"the key 'a' stands twice \(line 3\)"),
            ("a: {x: 1, x: 2}", "the key 'x' stands twice"),
            ("a: [", "line"),
            ("--- 1\n--- 2", "single document"),
            ("!!python/object:os.system x", "could not determine a constructor"),
            ("!" + "x" * 5000 + " y", "could not determine a constructor"),
        ],
    ),
)
def test_what_would_take_long_or_is_none_is_refused_in_a_sentence(
    parser: str, text: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refused:
        parse_yaml(text)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("digits", ["9" * 100_000, "1:" * 100_000 + "1", "0x" + "f" * 100_000])
def test_a_number_that_is_too_long_is_text(digits: str) -> None:
    assert parse_yaml(f"a: {digits}") == {"a": digits}
    assert parse_yaml("a: 1:30\nb: 0xff") == {"a": 90, "b": 255}


def test_nodes_have_the_marks_of_their_lines(parser: str) -> None:
    root = compose_yaml("é: 1\nb:\n  - x\n")
    [_, (key, entries)] = root.value
    assert (key.start_mark.line, key.start_mark.index) == (1, 5)
    assert entries.value[0].start_mark.index == 12
    assert compose_yaml("") is None
