"""The keys below `executive`: defaults, borders, and how a slip is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.settings import load_settings, parse_settings
from prefrontal.settings.agent_file import read_agent_config
from prefrontal.settings.executive import ExecutiveSettings

WHOLE = """\
executive:
  links: {outcomes: false, trust: false, beliefs: false, consult: false, control: true}
  tools: my/tools
  act: false
  trust: {log_odds_per_point: 0.5, defer_below: -1, budget_below: 3, wakes_per_hour: null}
  tie_margin: 0.1
  max_beliefs: 3
  take_up_hours: 0
"""


def refusal(raw: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        parse_settings({"executive": raw})
    return str(caught.value)


def test_without_a_word_every_link_is_on_but_that_of_the_control_agent() -> None:
    told = parse_settings({}).executive
    assert told.links.model_dump() == {
        "outcomes": True,
        "trust": True,
        "beliefs": True,
        "consult": True,
        "control": False,
    }
    assert (told.tools, told.act) == (None, True)
    trust = told.trust
    assert (trust.log_odds_per_point, trust.defer_below, trust.budget_below) == (0.15, -2, -2)
    assert trust.wakes_per_hour == 2.0


def test_every_key_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    path.write_text(WHOLE, encoding="utf-8")
    told = load_settings(path).executive
    default = ExecutiveSettings()
    for name in ExecutiveSettings.model_fields:
        assert getattr(told, name) != getattr(default, name), name
    for part in ("links", "trust"):
        for name, value in getattr(told, part).model_dump().items():
            assert value != getattr(default, part).model_dump()[name], name
    assert told.tools == "my/tools"
    assert told.trust.wakes_per_hour is None


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"link": {}}, "(did you mean 'links'?)"),
        ({"links": {"outcomes": 2}}, "executive.links.outcomes must be true or false, got 2"),
        ({"links": {"control": "maybe"}}, "executive.links.control must be true or false"),
        ({"trust": {"defer_below": 11}}, "executive.trust.defer_below must be a whole number in"),
        ({"trust": {"budget_below": 0.5}}, "must be a whole number in -10..10, got 0.5"),
        ({"trust": {"log_odds_per_point": 11}}, "log_odds_per_point must be a number in 0..10"),
        ({"tie_margin": 2}, "executive.tie_margin must be a number in 0..1, got 2"),
        ({"take_up_hours": -1}, "executive.take_up_hours must be a number of at least 0, got -1"),
        ({"tools": " "}, "executive.tools must be a non-blank string, got ' '"),
    ],
)
def test_a_slip_is_told_by_field_rule_and_value(raw: Mapping[str, Any], told: str) -> None:
    assert told in refusal(raw)


def test_a_switch_can_be_set_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_EXECUTIVE__LINKS__TRUST", "false")
    monkeypatch.setenv("PREFRONTAL_EXECUTIVE__TRUST__DEFER_BELOW", "-4")
    told = parse_settings({}).executive
    assert told.links.trust is False
    assert told.trust.defer_below == -4


def test_the_agents_commands_read_a_file_that_has_the_key(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    path.write_text(WHOLE + "cortex: {schedule_minutes: 5}\n", encoding="utf-8")
    assert read_agent_config(path) == {"cortex": {"schedule_minutes": 5}}
