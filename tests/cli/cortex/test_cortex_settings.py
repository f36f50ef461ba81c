"""`prefrontal cortex config` and `cost`: what the cortex is told, and what it costs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.cortex.state import CortexState

from ..refusals import refusal
from .cortex_samples import Kept

pytestmark = pytest.mark.usefixtures("kept")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["cortex", *words])


def said(*words: str) -> str:
    return refusal(run(*words))


def settings(*words: str) -> dict[str, dict[str, Any]]:
    lines = run("config", "--json", *words).stdout.splitlines()
    return {each["key"]: each for each in map(json.loads, lines)}


def test_every_setting_is_told_with_the_file_it_comes_from(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".prefrontal"
    home.mkdir(parents=True)
    (home / "prefrontal.yml").write_text(
        "cortex: {schedule_minutes: 20, max_beliefs: 7, cost: {daily_dollars: 2}}\n"
    )
    (tmp_path / "prefrontal.yml").write_text("cortex: {schedule_minutes: 15}\n")
    told = settings()
    here = str(tmp_path / "prefrontal.yml")
    assert told["schedule_minutes"] == {"key": "schedule_minutes", "value": 15.0, "origin": here}
    assert (told["max_beliefs"]["value"], told["max_trust_delta"]["origin"]) == (7, "default")
    assert told["cost.daily_dollars"]["origin"] == str(home / "prefrontal.yml")
    assert set(settings("--set")) == {"schedule_minutes", "max_beliefs", "cost.daily_dollars"}
    lines = run("config", "--set").stdout.splitlines()
    assert lines[0].split() == ["setting", "value", "from"]
    assert lines[2].split() == ["max_beliefs", "7", "~/.prefrontal/prefrontal.yml"]


def test_both_spellings_of_a_key_are_known_by_the_first(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text(
        "cortex: {reflection_interval: 10, triggers: [new_peer, interaction_count: 8]}\n"
    )
    told = settings("--set")
    assert {key: each["value"] for key, each in told.items()} == {
        "schedule_minutes": 10.0,
        "triggers": ["new_peer", "interaction_count"],
        "interaction_threshold": 8,
    }


def test_without_a_file_everything_is_as_it_comes() -> None:
    assert {each["origin"] for each in settings().values()} == {"default"}
    assert "every setting has its default" in run("config", "--set").stdout


def test_a_file_is_checked_before_it_is_used(tmp_path: Path) -> None:
    good, odd, bad = (tmp_path / f"{name}.yml" for name in ("good", "odd", "bad"))
    good.write_text("cortex: {schedule_minutes: 15}\n")
    odd.write_text("cortex: {scedule_minutes: 15}\n")
    bad.write_text("cortex: {max_trust_delta: 0}\n")
    assert run("config", "--check", str(good)).stdout == f"{good} can be used.\n"
    result = run("config", "--check", str(odd))
    assert result.stdout == f"{odd} can be used, but 1 of its keys is not known.\n"
    assert "did you mean 'schedule_minutes'" in result.stderr
    assert f"Error: {bad}: cortex.max_trust_delta must" in said("config", "--check", str(bad))
    assert "cannot be read" in said("config", "--check", str(tmp_path / "missing.yml"))


def test_settings_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortex: {schedule_minutes: soon}\n")
    assert "cortex.schedule_minutes must" in said("config")
    assert "cortex.schedule_minutes must" in said("cost")


def costs(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("cost", "--json", *words).stdout)
    return found


def test_the_cost_of_a_day_is_told_for_each_interval() -> None:
    told = costs()
    rows = [(row["minutes"], row["cycles"], round(row["dollars"], 2)) for row in told["reference"]]
    assert rows == [(15, 96, 1.22), (30, 48, 0.61), (60, 24, 0.31)]
    assert told["cycle"]["input"] == 2250
    page = run("cost").stdout
    for part in ("15 min", "254,400", "$1.22", "30 min", "$0.61", "60 min", "$0.31", "No cap is"):
        assert part in page


def test_the_configuration_alone_decides_the_estimate(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text(
        "cortex: {schedule_minutes: 45, max_beliefs: 0, max_context_tokens: 1500,"
        " cost: {input_per_mtok: 1, output_per_mtok: 10, daily_dollars: 0.5}}\n"
    )
    told = costs("--interval", "20")
    [row] = told["estimate"]
    assert (row["cycles"], row["tokens"]) == (72, 72 * told["cycle"]["total"])
    assert row["tokens"] < told["reference"][0]["tokens"]
    assert told["cycle"]["beliefs"] == 0
    assert told["cycle"]["input"] <= 1500
    assert [row["minutes"] for row in costs()["estimate"]] == [15, 30, 45, 60]
    assert "A day ends at $0.50." in run("cost").stdout


def test_what_was_used_is_told_by_day(kept: Kept) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    used = [{"date": day, "cycles": 12, "tokens_in": 27_000, "tokens_out": 4_800}]
    kept.write(state=CortexState(usage=used))
    [told] = costs()["used"]
    assert (told["cycles"], told["dollars"]) == (12, pytest.approx(0.153))
    line = next(line for line in run("cost").stdout.splitlines() if line.startswith(day))
    assert line.split()[1:] == ["12", "27,000", "4,800", "$0.15"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--interval", "0"], "--interval must be minutes above 0"),
        (["--interval", "nan"], "--interval must be minutes above 0"),
        (["--peers", "0"], "--peers must be a whole number above 0, got 0"),
    ],
)
def test_a_slip_is_told(words: list[str], sentence: str) -> None:
    assert sentence in said("cost", *words)
