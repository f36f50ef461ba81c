"""A replay that is asked for a budget in place of a recall."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.cli import main
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.report.gains import details
from prefrontal.replay.report.report import render_html
from prefrontal.replay.report.verdict import verdict
from prefrontal.replay.result import BudgetUse, ReplayResult
from prefrontal.settings.budget import Budget, parse_budget
from prefrontal.testing import ScriptedGate

from ..exhaustive import first
from .sample_results import sample_result
from .streams import history, window, write_lines

HOUR = 3600.0


@pytest.mark.parametrize("labels", ["all", "asked"])
@pytest.mark.parametrize("text", first(1, ["1/hour", "3/day", "10/week"]))
def test_no_span_holds_more_than_was_asked(labels: str, text: str) -> None:
    budget, windows = parse_budget(text), history(3, 600)
    gate = PulseGate()
    question = Question("h", "recorded", len(windows), labels=labels, budget=budget)
    result = backtest(windows, gate, question)
    assert result.budget is not None
    assert 0 < result.budget.most <= budget.wakes
    assert result.budget.asked == text


def test_the_most_of_a_span_is_counted_wherever_it_begins() -> None:
    at = [0.0, 13.0, 23.0, 25.0, 30.0, 80.0]  # hours: five come within the day that ends at 23
    gate = ScriptedGate(lambda _: 1.0)
    windows = [window(n, "a", relevant=True, at=1e9 + h * HOUR) for n, h in enumerate(at)]
    question = Question("h", "recorded", 0, budget=Budget(9, "day"))
    result = backtest(windows, gate, question)
    assert result.budget == BudgetUse("9/day", 4)  # 13, 23, 25 and 30


def test_the_first_come_are_taken_and_the_rest_is_missed() -> None:
    gate = ScriptedGate(lambda _: 1.0)
    windows = [window(n, "a", relevant=True, at=1e9 + n * HOUR) for n in range(10)]
    question = Question("h", "recorded", 0, labels="asked", budget=Budget(4, "day"))
    result = backtest(windows, gate, question)
    assert (result.got_recall, result.missed) == (0.4, 6)
    assert result.budget == BudgetUse("4/day", 4)
    assert len(gate.asked("learn")) == 4 + 10  # and ten of the gate that was asked for a recall


def test_both_askings_stand_in_the_table() -> None:
    windows = history(3, 600)
    asked = Question("h", "recorded", len(windows), labels="asked")
    alone = backtest(windows, PulseGate(), asked).policy("prefrontal")
    both = backtest(windows, PulseGate(), replace(asked, budget=Budget(2, "day")))
    beside = both.policy("by_recall")
    assert alone is not None
    assert beside is not None
    assert replace(beside, name="prefrontal", detail=alone.detail) == alone
    own = both.policy("prefrontal")
    assert own is not None
    assert own.detail == "at most 2/day"
    assert own.wakes_per_day < beside.wakes_per_day


@pytest.mark.exhaustive
def test_the_command_shows_both_and_json_says_what_was_asked(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "windows.jsonl", history(3, 600))
    runner = CliRunner()
    shown = runner.invoke(main, ["replay", "--events", str(path), "--budget", "3/day"])
    assert shown.exit_code == 0, shown.output
    assert "with at most 3/day the gate caught" in " ".join(shown.output.split())
    assert "\nAsked by recall " in shown.output
    raw = json.loads(
        runner.invoke(main, ["replay", "--events", str(path), "--budget", "3/day", "--json"]).output
    )
    assert raw["budget"]["asked"] == "3/day"
    assert raw["budget"]["most"] <= 3
    assert [each["name"] for each in raw["policies"]][-2:] == ["by_recall", "prefrontal"]
    assert ReplayResult.from_dict(raw).budget == BudgetUse(**raw["budget"])
    wrong = runner.invoke(main, ["replay", "--events", str(path), "--budget", "lots"])
    assert wrong.exit_code == 2
    assert "budget must be a whole number of wakes above 0" in wrong.output


def test_verdict_details_and_report_speak_of_the_budget() -> None:
    result = replace(sample_result(), budget=BudgetUse("20/day", 17))
    said = verdict(result)
    assert said.kind == "worth_it"
    assert "with at most 20/day the gate caught 89 %" in said.reason
    assert "no day had more than 17 wake-ups" in said.reason
    assert "Asked for at most 20/day (the most was 17), caught 89.2 %" in details(result)[0]
    assert "20/day was asked" in render_html([result])
    by_chance = replace(result, share_woken=0.95)
    assert verdict(by_chance).kind == "worth_little"
