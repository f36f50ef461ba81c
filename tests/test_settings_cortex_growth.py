"""What most agents leave as it is has defaults that hold, and says what it must be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from prefrontal.settings import cortex_growth as growth


def test_the_defaults_are_the_ones_that_are_documented() -> None:
    directives, consult = growth.Directives(), growth.Consultations()
    assert (directives.per_cycle, directives.per_hour, directives.require_approval) == (2, 6, False)
    assert consult.timeout_seconds == 30.0
    assert (consult.on_timeout_money, consult.on_timeout) == ("deny", "proceed")
    assert consult.enabled is growth.Adaptive().enabled is growth.Sharing().enabled is False
    assert growth.Triage().max_output_tokens == 150
    assert growth.Adaptive().interaction_threshold == (3, 20)
    assert (growth.Cost().input_per_mtok, growth.Cost().output_per_mtok) == (3.0, 15.0)


@pytest.mark.parametrize(
    ("model", "values", "rule"),
    [
        (growth.Directives, {"per_cycle": -1}, "be a whole number in 0..100"),
        (growth.Consultations, {"timeout_seconds": 0}, "be a number of seconds above 0"),
        (growth.Consultations, {"holding_reply": " "}, "be a non-blank string"),
        (growth.Consultations, {"low_trust": 11}, "less than or equal to 10"),
        (growth.Consultations, {"on_timeout": "ask"}, "'deny' or 'proceed'"),
        (growth.Triage, {"depth": "deeper"}, "'deep', 'rules', 'triage' or 'auto'"),
        (growth.Adaptive, {"interaction_threshold": (9, 3)}, "have bounds in order"),
        (growth.Cost, {"daily_dollars": -1}, "be a number of at least 0"),
        (growth.Sharing, {"weight": 2}, "be a number in 0..1"),
        (growth.Evidence, {"jump_after": 0}, "be a whole number above 0"),
        (growth.Lessons, {"caps": 3}, "Extra inputs are not permitted"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_rule(
    model: type[BaseModel], values: dict[str, Any], rule: str
) -> None:
    with pytest.raises(ValidationError, match=rule):
        model(**values)


def test_lists_as_a_file_holds_them_are_taken() -> None:
    assert growth.Consultations(money_tools=["stamp"]).money_tools == ("stamp",)  # type: ignore[arg-type]
    assert growth.Triage(always_deep=[]).always_deep == ()  # type: ignore[arg-type]
