from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.plain_values import mended, plain, well_formed


def test_tuples_become_lists_and_the_copy_is_its_own() -> None:
    value = {"a": (1, [2.5, None]), "b": {"c": True}}
    copy = plain(value)
    assert copy == {"a": [1, [2.5, None]], "b": {"c": True}}
    copy["b"]["c"] = False
    assert value["b"] == {"c": True}


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (b"x", "hold plain values, not bytes"),
        ({1, 2}, "hold plain values, not set"),
        (float("nan"), "hold no NaN and no infinity"),
        (float("-inf"), "hold no NaN and no infinity"),
        (1 << 63, "hold whole numbers of at most 64 bits"),
        ("\udfff", "hold text that UTF-8 can hold"),
        ({"\ud800": 1}, "hold text that UTF-8 can hold"),
        ({None: 1}, "have text as its keys"),
        ([0] * 10_000, "hold at most 10000 values"),
    ],
)
def test_what_json_cannot_hold_is_refused(value: object, rule: str) -> None:
    with pytest.raises(ValueError, match=f"^{rule}$"):
        plain(value)


def test_depth_is_limited() -> None:
    value: object = 1
    for _ in range(49):
        value = [value]
    assert plain(value) == value
    with pytest.raises(ValueError, match="be nested at most 50 deep"):
        plain([value])


@settings(deadline=None)
@given(st.text())
def test_mended_text_can_always_be_encoded(text: str) -> None:
    assert mended(text) == text
    broken = f"{text}\ud800"
    assert not well_formed(broken)
    assert mended(broken) == f"{text}?"


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_json_can_hold_comes_back_the_same(value: object) -> None:
    assert json.loads(json.dumps(plain(value))) == value
