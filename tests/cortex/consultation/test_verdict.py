"""A verdict is read from a model's reply only when it is one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.consultation.verdict import ConsultVerdict, default_verdict, parse_verdict
from prefrontal.settings.cortex_growth import Consultations


def test_a_verdict_is_read_with_what_belongs_to_it() -> None:
    text = (
        'Here: {"reasoning": "new\\npeer", "decision": "conditional", "conditions": ["ask", 3], '
        '"suggested_response": "One moment.", "extra": 1}'
    )
    assert parse_verdict(text) == ConsultVerdict("conditional", ("ask",), "new peer", "One moment.")


@pytest.mark.parametrize(
    "text",
    ["", "yes", "[]", '{"decision": "maybe"}', '{"decision": true}', '{"decision": "deny"', "{}"],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_verdict(text) is None


def test_without_a_verdict_money_waits_and_the_rest_goes_on() -> None:
    settings = Consultations()
    assert default_verdict("money", settings, "late").decision == "deny"
    for kind in ("irreversible", "commitment", "scope"):
        assert default_verdict(kind, settings, "late").decision == "approve"
    other = Consultations(on_timeout="deny", on_timeout_money="proceed")
    assert default_verdict("money", other, "late").decision == "approve"
    assert default_verdict("scope", other, "late").decision == "deny"


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = parse_verdict(text)
    assert found is None or found.decision in ("approve", "deny", "conditional")


def test_braces_that_never_close_cost_no_time() -> None:
    assert parse_verdict("{" * 1_000_000) is None  # quadratic, it would run for minutes
