"""What the operator wishes, kept as text, and what it makes of beliefs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cortex.memory.wishes import OperatorWishes, Pin
from prefrontal.cortex.models import Belief

NOW = 1_700_000_000.0


def belief(key: str, value: str = "a value", **changes: object) -> Belief:
    return Belief(key, value, "a reason", 3, NOW, **changes)  # type: ignore[arg-type]


def after(wishes: OperatorWishes, *beliefs: Belief, **always: str) -> dict[str, Belief]:
    return {each.key: each for each in wishes.applied(beliefs, always)}


def test_wishes_survive_being_written() -> None:
    wishes = OperatorWishes(reflect_requested_at=NOW, hints=[{"a": 1}])
    wishes.pin("one", "Grüße", NOW)
    wishes.pin("two", None, NOW)
    wishes.forget("three", NOW)
    wishes.approve("four", NOW)
    wishes.reject("five", NOW + 1)
    assert OperatorWishes.from_text(wishes.to_text()) == wishes


@pytest.mark.parametrize(
    "text", [None, "", "null", "[1]", "{broken", "[" * 99_999, '{"pinned": 3}']
)
def test_damaged_wishes_count_as_none(text: str | None) -> None:
    assert OperatorWishes.from_text(text) == OperatorWishes()


def test_one_damaged_wish_does_not_take_the_others_along() -> None:
    text = '{"pinned": {"a": 3, "b": {"value": " ", "at": 1}, "c": {"value": "x", "at": 2}}, '
    text += '"forgotten": {"d": NaN, "e": true, "f": 5}, "reflect_requested_at": "soon"}'
    wishes = OperatorWishes.from_text(text)
    assert wishes == OperatorWishes(pinned={"c": Pin("x", 2.0)}, forgotten={"f": 5.0})


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(
        ["pinned", "forgotten", "hints", "approved", "value", "at", "a"]), inner, max_size=3),
    max_leaves=8))  # fmt: skip
def test_whatever_was_stored_something_can_be_read(raw: object) -> None:
    import json

    wishes = OperatorWishes.from_text(json.dumps(raw))
    assert OperatorWishes.from_text(wishes.to_text()) == wishes
    wishes.applied([belief("a")])


def test_a_forgotten_belief_is_gone_until_it_is_formed_anew() -> None:
    wishes = OperatorWishes()
    wishes.forget("one", NOW)
    assert set(after(wishes, belief("one"), belief("two"))) == {"two"}
    again = belief("one")
    again.created_at = NOW + 1
    assert set(after(wishes, again)) == {"one"}


def test_a_pinned_belief_stays_as_it_is_or_gets_the_operator_s_value() -> None:
    wishes = OperatorWishes()
    wishes.pin("one", None, NOW)
    wishes.pin("two", "other words", NOW)
    wishes.pin("three", "new", NOW)
    wishes.pin("nowhere", None, NOW)
    held = after(wishes, belief("one", quarantined=True), belief("two"))
    assert {key: each.value for key, each in held.items()} == {
        "one": "a value",
        "two": "other words",
        "three": "new",
    }
    assert all(each.pinned and not each.quarantined for each in held.values())
    assert held["three"].provenance == "operator"
    assert not held["three"].expired_at(NOW * 2)


def test_the_settings_pin_and_the_command_line_stands_in_front() -> None:
    wishes = OperatorWishes()
    wishes.pin("one", "said last", NOW)
    held = after(wishes, one="of the file", two="of the file")
    assert (held["one"].value, held["two"].value) == ("said last", "of the file")


def test_approving_ends_the_quarantine_of_what_was_there() -> None:
    wishes = OperatorWishes()
    wishes.approve("one", NOW)
    assert not after(wishes, belief("one", quarantined=True))["one"].quarantined
    later = belief("one", quarantined=True)
    later.created_at = NOW + 1
    assert after(wishes, later)["one"].quarantined


def test_the_latest_wish_counts() -> None:
    wishes = OperatorWishes()
    wishes.pin("one", "x", NOW)
    wishes.forget("one", NOW)
    assert after(wishes, belief("one")) == {}
    wishes.pin("one", "x", NOW)
    assert set(after(wishes)) == {"one"}
    wishes.approve("two", NOW)
    wishes.reject("two", NOW)
    assert (wishes.approved, wishes.rejected) == ({}, {"two": NOW})
    wishes.approve("two", NOW)
    assert (wishes.approved, wishes.rejected) == ({"two": NOW}, {})


def test_applying_changes_no_belief_that_was_handed_in() -> None:
    one = belief("one", quarantined=True)
    wishes = OperatorWishes()
    wishes.pin("one", "x", NOW)
    wishes.applied([one])
    assert (one.value, one.pinned, one.quarantined) == ("a value", False, True)
