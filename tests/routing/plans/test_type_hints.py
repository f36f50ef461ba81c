from __future__ import annotations

import pytest

from prefrontal.routing.plans.type_hints import (
    contradicts,
    is_mapping,
    same_type,
    says_much,
    value_type,
)

SAME = [
    ("int", "int"),
    ("pd.DataFrame", "DataFrame"),
    ("DataFrame", "'pandas.DataFrame'"),
    ("DataFrame", "Optional[DataFrame]"),
    ("DataFrame | None", "DataFrame"),
    ("int", "int | str"),
    ("Union[int, str]", "str | int"),
    ("List[int]", "list[int]"),
    ("typing.Dict[str, t.List[int]]", "dict[str, list[int]]"),
    ("Annotated[int, 'metres']", "int"),
]
OTHER = [
    ("int", "str"),
    ("int | str", "int"),
    ("list[int]", "list[str]"),
    ("int", None),
    (None, None),
    ("Any", "Any"),
    ("None", "None"),
    ("[", "["),
    ("", ""),
]


@pytest.mark.parametrize(("given", "wanted"), SAME)
def test_hints_in_other_spellings_are_the_same(given: str, wanted: str) -> None:
    assert same_type(given, wanted)
    assert not contradicts(given, wanted)


@pytest.mark.parametrize(("given", "wanted"), OTHER)
def test_other_hints_are_not(given: str | None, wanted: str | None) -> None:
    assert not same_type(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("int", "Any"),
        ("int", None),
        ("int", "["),
        ("int", "int | None"),
        ("int | str", "int"),
        ("int", "float"),
        ("dict[str, object]", "dict[str, Any]"),
        ("dict[str, int]", "Mapping"),
        ("list[list[float]]", "Sequence[Sequence[float]]"),
        ("list[int]", "tuple[int, ...]"),
    ],
)
def test_hints_that_may_mean_the_same_do_not_contradict(given: str, wanted: str | None) -> None:
    assert not contradicts(given, wanted)
    assert not contradicts(wanted, given)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("int", "str"),
        ("DataFrame", "str"),
        ("list[int]", "list[str]"),
        ("dict[str, dict[str, int]]", "dict[str, str]"),
        ("str", "list[str]"),
        ("str | bytes", "int | DataFrame"),
    ],
)
def test_known_and_different_hints_contradict(given: str, wanted: str) -> None:
    assert contradicts(given, wanted)
    assert contradicts(wanted, given)


def test_a_plain_type_says_little() -> None:
    assert says_much("DataFrame") and says_much("list[int]")
    little = (None, "str", "list", "Any", "dict[str, Any]", "str | DataFrame", "None")
    assert not any(says_much(hint) for hint in little)


def test_a_mapping_tells_the_type_of_its_values() -> None:
    assert value_type("dict[str, int]") == "int"
    assert value_type("t.Mapping[str, list[int]]") == "list[int]"
    assert [value_type(hint) for hint in ("dict", None, "int", "[", "list[int]")] == [None] * 5
    assert is_mapping("dict[str, int]") and is_mapping("typing.Mapping[str, int]")
    assert not is_mapping("DataFrame") and not is_mapping(None)
