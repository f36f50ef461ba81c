"""JSON-like values become dataclasses by their annotations, or are refused in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from prefrontal.errors import InputError
from prefrontal.typed_fields import FieldError, Must, Shape, read, recover, then

Share = Annotated[float, Must("be a number in 0..1", lambda value: 0 <= value <= 1)]
Name = Annotated[str, Must("be a name", str.isidentifier, covers_type=True), then(str.lower)]


@dataclass(frozen=True)
class Row:
    name: Name
    share: Share | None = None
    pair: tuple[str, float] = ("", 0.0)


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    kind: Literal["a", "b"] = "a"
    flags: list[bool] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    count: int = 0


OPEN, CLOSED, WHOLE = Shape(closed=False), Shape(), Shape("an object", whole=True, closed=False)


def test_a_document_becomes_dataclasses() -> None:
    raw = {"rows": [{"name": "A", "share": 1, "pair": ["x", 2]}], "kind": "b", "more": {"y": 1}}
    row = Row("a", 1.0, ("x", 2.0))
    assert read(Table, raw, CLOSED) == Table((row,), "b", [], {"y": 1})
    assert read(Row, {"name": "A"} | {"z": 1}, OPEN) == Row("a")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ([], "table must be a mapping, got []"),
        ({}, "table must have the keys rows, got []"),
        ({"row": []}, "table must have only known keys, got 'row' (did you mean 'rows'?)"),
        ({"rows": {}}, "rows must be a list, got {}"),
        ({"rows": [{"name": 1}]}, "rows[0].name must be a name, got 1"),
        ({"rows": [{"name": "a b"}]}, "rows[0].name must be a name, got 'a b'"),
        ({"rows": [{"name": "a"}, 7]}, "rows[1] must be a mapping, got 7"),
        ({"rows": [{"nam": "a"}]}, "rows[0] must have only known keys, got 'nam'"),
        ({"rows": [{"name": "a", "share": 2}]}, "rows[0].share must be a number in 0..1, got 2.0"),
        ({"rows": [{"name": "a", "share": "2"}]}, "rows[0].share must be a finite number, got '2'"),
        ({"rows": [{"name": "a", "share": 10**400}]}, "rows[0].share must be a finite number"),
        ({"rows": [{"name": "a", "pair": ["x"]}]}, "rows[0].pair must be a list of 2, got ['x']"),
        ({"rows": [{"name": "a", "pair": ["x", "y"]}]}, "rows[0].pair[1] must be a finite number"),
        ({"rows": [], "kind": "c"}, "kind must be one of a, b, got 'c'"),
        ({"rows": [], "flags": [1]}, "flags[0] must be true or false, got 1"),
        ({"rows": [], "count": True}, "count must be a whole number, got True"),
        ({"rows": [], "more": None}, "more must be a mapping, got None"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_its_place(raw: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Table, raw, CLOSED, whole="table")
    assert str(caught.value).startswith(sentence)


def test_a_place_stands_before_the_path() -> None:
    with pytest.raises(InputError, match=r"^here\.rows\[0\]\.name must be a name, got 1$"):
        read(Table, {"rows": [{"name": 1}]}, CLOSED, "here")
    with pytest.raises(InputError, match=r"^here must have only known keys, got 'x'; known are "):
        read(Row, {"name": "a", "x": 1}, CLOSED, "here")


def test_a_whole_object_has_every_field() -> None:
    with pytest.raises(InputError, match=r"^share must be present, got \{'name': 'a'\}$"):
        read(Row, {"name": "a"}, WHOLE)


def test_what_is_made_of_a_value_may_be_refused_too() -> None:
    def refused(value: str) -> str:
        raise FieldError("be another", value)

    with pytest.raises(InputError, match=r"^here must be another, got 'x'$"):
        read(Annotated[str, then(refused)], "x", CLOSED, "here")


@dataclass(frozen=True)
class Stored:
    name: str
    count: int = 0
    at: float | None = None
    notes: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)


def test_of_what_was_stored_a_damaged_field_is_ignored() -> None:
    raw = {"name": "a", "count": 3.0, "at": None, "notes": ["a", 1], "more": 1}
    assert recover(Stored, raw, None) == Stored("a", 3, None, ("a",))
    assert recover(Stored, {"name": "a", "at": float("inf"), "count": True}, None) == Stored("a")
    assert recover(Stored, {"name": 5}, None) is None


def test_entries_of_a_stored_mapping_are_read_one_by_one() -> None:
    shares = {"a": 1, "b": "x", "c": None}
    assert recover(Stored, {"name": "a", "shares": shares}, None) == Stored("a", shares={"a": 1.0})
    assert recover(Stored, {"name": "a", "shares": [1]}, None) == Stored("a")


def test_a_stored_row_that_lacks_a_field_is_no_row() -> None:
    assert recover(list[Stored], [{"name": "a"}, {}, 3, {"name": "b"}], []) == [
        Stored("a"),
        Stored("b"),
    ]
    assert recover(list[Stored], {}, []) == []


def test_a_type_that_cannot_be_read_is_refused_at_the_first_use() -> None:
    with pytest.raises(KeyError, match="bytes"):
        recover(bytes, b"", b"")


MANY = {f"rows{number}": 1 for number in range(40)}


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (Row, {"x" * 200 + str(number): 1 for number in range(10)}),
        (Table, MANY),
        (dict[str, float], {"x" * 2_000: "y" * 2_000}),
    ],
    ids=["long keys", "many that look like a missing one", "long place"],
)
def test_a_refusal_is_short_however_long_keys_and_values_are(kind: Any, raw: object) -> None:
    with pytest.raises(InputError) as refusal:
        read(kind, raw, OPEN, whole="table")
    assert len(str(refusal.value)) <= 500
    assert "must" in str(refusal.value)


@pytest.mark.parametrize("key", [1.5, None])
def test_a_key_that_is_no_text_has_a_place_too(key: object) -> None:
    with pytest.raises(InputError) as refusal:
        read(dict[str, float], {key: "x"}, OPEN)
    assert str(refusal.value) == f"{key} must be a finite number, got 'x'"
