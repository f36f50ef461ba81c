"""A result survives being saved, and a damaged file is refused with the field named."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.prices import USUAL_PRICES, TokenKinds
from prefrontal.replay.result import OtherLabels, Outcome, ReplayResult

from .sample_results import (
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)

SAMPLES = [sample_result(), hostile_result(), nothing_relevant(), tiny_result(), empty_result()]
SAVED = sample_result(windows=200).to_dict()
KEYS = {
    "windows", "relevant", "days", "auc", "asked_recall", "got_recall", "wakes_per_day",
    "share_woken", "precision", "tokens_per_useful_wake", "policies", "curve", "misses", "seconds",
}  # fmt: skip


@pytest.mark.parametrize("result", SAMPLES, ids=["full", "hostile", "none", "tiny", "empty"])
def test_a_result_comes_back_from_json_as_it_was(result: ReplayResult) -> None:
    assert ReplayResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_the_object_has_every_promised_key_and_every_policy_its_figures() -> None:
    assert set(SAVED) >= KEYS
    assert SAVED["format"] == 5
    names = {"name", "recall", "wakes_per_day", "share_woken", "precision"}
    assert all(set(each) >= names | {"tokens_per_useful_wake"} for each in SAVED["policies"])


def test_a_file_of_the_first_format_is_read_with_what_it_does_not_say() -> None:
    raw = deepcopy(SAVED)
    raw["format"] = 1
    for name in ("usd_per_million_tokens", "origin"):
        del raw[name]
    for policy in raw["policies"]:
        del policy["delay_minutes"], policy["delay_p90_minutes"]
    result = ReplayResult.from_dict(raw)
    assert (result.usd_per_million_tokens, result.origin) == (3.0, "")
    assert {each.delay_minutes for each in result.policies} == {None}
    assert replace(result, policies=()) == replace(sample_result(windows=200), policies=())


def of_one_model() -> ReplayResult:
    now = sample_result(windows=200)
    return replace(now, policies=tuple(replace(each, usd_per_wake=None) for each in now.policies))


def without_late_delays() -> ReplayResult:
    now = of_one_model()
    policies = tuple(replace(each, delay_p90_minutes=None) for each in now.policies)
    return replace(now, policies=policies)


def test_a_file_of_the_second_format_had_every_label() -> None:
    raw = deepcopy(SAVED)
    raw["format"] = 2
    for name in ("labels", "audits", "compared"):
        del raw[name]
    assert ReplayResult.from_dict(raw) == without_late_delays()


def test_a_file_of_the_third_format_knew_only_the_median_of_a_delay() -> None:
    raw = deepcopy(SAVED)
    raw["format"] = 3
    del raw["prices"]
    for policy in raw["policies"]:
        del policy["delay_p90_minutes"]
    assert ReplayResult.from_dict(raw) == without_late_delays()


def test_a_file_of_the_fourth_format_knew_one_model() -> None:
    raw = replace(sample_result(windows=200), prices=USUAL_PRICES).to_dict()
    raw["format"] = 4
    del raw["prices"]["small_usd_per_million"]
    for policy in raw["policies"]:
        del policy["usd_per_wake"]
    result = ReplayResult.from_dict(raw)
    assert result == replace(of_one_model(), prices=USUAL_PRICES)


@pytest.mark.parametrize("small", [None, TokenKinds(1.0, 0.1, 5.0)])
def test_prices_by_kind_of_token_come_back(small: TokenKinds | None) -> None:
    prices = replace(USUAL_PRICES, small_usd_per_million=small)
    result = replace(sample_result(windows=200), prices=prices)
    raw = json.loads(json.dumps(result.to_dict()))
    assert ReplayResult.from_dict(raw) == result


def test_what_other_labels_gave_comes_back() -> None:
    other = OtherLabels("all", 0.9, 3.1, 0)
    result = replace(sample_result(windows=200), labels="asked", audits=7, compared=other)
    assert ReplayResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_hold_is_refused_by_name(bad: float) -> None:
    with pytest.raises(InputError, match=r"^auc must be a finite number, got "):
        replace(sample_result(windows=200), auc=bad).to_dict()


def test_a_nan_deep_inside_is_refused_with_its_path() -> None:
    base = sample_result(windows=200)
    first = replace(base.strip[0], why=(("dir src", float("nan")),))
    with pytest.raises(InputError, match=r"^strip\[0\]\.why\[0\]\[1\] must be a finite number"):
        replace(base, strip=(first, *base.strip[1:])).to_dict()


def test_a_value_of_a_foreign_type_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^source must be a plain value, got "):
        replace(tiny_result(), source=b"bytes").to_dict()  # type: ignore[arg-type]


BROKEN = [
    (("format",), 6, "format must be from 1 to 5, got 6"),
    (("source",), 3, "source must be text, got 3"),
    (("windows",), -1, "windows must be a whole number, 0 or more, got -1"),
    (("windows",), True, "windows must be a whole number, 0 or more, got True"),
    (("relevant",), 10**6, "relevant must be at most windows (200), got 1000000"),
    (("days",), "3", "days must be a finite number, got '3'"),
    (("days",), -3.0, "days must be 0 or more, got -3.0"),
    (("days",), 10**400, "days must be a finite number, got 1000"),
    (("auc",), 1.5, "auc must be a number from 0 to 1, got 1.5"),
    (("auc",), float("nan"), "auc must be a finite number, got nan"),
    (("recall_interval",), [0.9, 0.8], "recall_interval must be two rising numbers from 0 to 1"),
    (("recall_interval",), [0.9], "recall_interval must be a pair of numbers, got [0.9]"),
    (("policies",), {}, "policies must be a list, got {}"),
    (("policies", 2), [], "policies[2] must be an object, got []"),
    (("policies", 2, "recall"), "all", "policies[2].recall must be a finite number, got 'all'"),
    (("curve", 0), [0.1, 0], "curve must run from [0, 0] to [1, 1]"),
    (("curve", 5), [0.0, 0.0], "curve[5] must not fall below"),
    (("misses", 1, "woke"), 1, "misses[1].woke must be true or false, got 1"),
    (("misses", 0, "paths"), ["a", 1], "misses[0].paths[1] must be text, got 1"),
    (("misses", 0, "why"), [["a"]], "misses[0].why[0] must be a [name, number] pair, got ['a']"),
    (("misses", 0, "why"), [["a", None]], "misses[0].why[0][1] must be a finite number, got None"),
    (("usd_per_million_tokens",), -1, "usd_per_million_tokens must be 0 or more, got -1"),
    (("policies", 0, "delay_minutes"), -1, "policies[0].delay_minutes must be 0 or more, got -1"),
    (("notes",), "one", "notes must be a list, got 'one'"),
]


@pytest.mark.parametrize(("path", "value", "message"), BROKEN)
def test_a_broken_field_is_refused_with_a_sentence(
    path: tuple[Any, ...], value: object, message: str
) -> None:
    raw = deepcopy(SAVED)
    at: Any = raw
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(InputError) as caught:
        ReplayResult.from_dict(raw)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("field", sorted(SAVED))
def test_a_missing_field_is_named(field: str) -> None:
    raw = {name: value for name, value in SAVED.items() if name != field}
    with pytest.raises(InputError, match=rf"^{field} must be present, got "):
        ReplayResult.from_dict(raw)


@pytest.mark.parametrize("raw", [None, [], "text", 3])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(InputError, match=r"^result must be an object, got "):
        ReplayResult.from_dict(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(field=st.sampled_from(sorted(SAVED)), value=JSON)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: object) -> None:
    # A number of windows that suits no other field is blamed on the field it does not suit.
    blamed = "relevant" if field == "windows" else field
    try:
        result = ReplayResult.from_dict({**SAVED, field: value})
    except InputError as error:
        refused = str(error)
    else:
        refused = f"none of {blamed}"
        json.dumps(result.to_dict(), allow_nan=False)
    assert field in refused or blamed in refused


def test_the_four_kinds_of_outcome_are_told_apart() -> None:
    base: Outcome = tiny_result().strip[0]
    kinds = {
        (woke, relevant): replace(base, woke=woke, relevant=relevant).kind
        for woke in (True, False)
        for relevant in (True, False)
    }
    assert kinds == {
        (True, True): "caught",
        (True, False): "wasted",
        (False, True): "missed",
        (False, False): "slept",
    }


def test_a_policy_is_found_by_name_or_not_at_all() -> None:
    result = sample_result(windows=200)
    found = result.policy("rule")
    assert found is not None
    assert found.name == "rule"
    assert result.policy("oracle") is None
