"""`prefrontal replay --log` shows what other settings would have done, from the log alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.decisions.log import Decision, DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "decisions.db"
    with DecisionLog(path) as decisions:
        for number in range(10):
            label = float(number % 2)
            record = Decision(
                new_id(), 1000.0 + number, "papers", True, "woke", 0.6 + number / 100,
                0.6, "?", 1.0, (), WakePayload(), label=label, labelled_at=2000.0,
            )  # fmt: skip
            decisions.append(record)
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["replay", *arguments])


def test_a_higher_threshold_wakes_less_and_misses_more(log: str) -> None:
    result = run("--log", log, "--threshold", "0.655", "--json")
    assert result.exit_code == 0
    (row,) = json.loads(result.output)["modules"]
    assert (row["woke"], row["would_wake"], row["caught"], row["missed"]) == (10, 4, 2.0, 3.0)


def test_a_cooldown_holds_wakes_back_and_the_table_says_so(log: str) -> None:
    result = run("--log", log, "--cooldown", "5")
    assert result.exit_code == 0
    assert "papers" in result.output
    assert "8 cooldown" in result.output
    free = "Would wake: without a cooldown or budget, as none was given."
    assert free not in " ".join(result.output.split())
    assert free in " ".join(run("--log", log).output.split())


def test_in_a_narrow_terminal_no_head_of_the_table_is_cut(
    log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("--log", log, "--cooldown", "5").output.splitlines()
    place = lines.index("papers")
    figures = " ".join(line.strip() for line in lines[place + 1 : place + 4])
    assert figures.startswith(
        "Decisions 10; Woke 10; Would wake 2; Caught 1; Missed 4; Wasted 1; Held"
    )


def test_json_says_what_held_wakes_back(log: str) -> None:
    result = run("--log", log, "--cooldown", "5", "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["modules"][0]["held_back"] == {"cooldown": 8}


def test_the_figures_so_far_stand_over_the_table_and_follow_the_time_asked_for(log: str) -> None:
    text = run("--log", log).output
    assert text.startswith("So far\n")
    assert "10 wake-ups so far: of 10 signals" in text
    so_far = json.loads(run("--log", log, "--json").output)["so_far"]
    assert (so_far["wakes"], so_far["labelled"], so_far["useful_share"]) == (10, 10, 0.5)
    later = json.loads(run("--log", log, "--since", "2020-01-01", "--json").output)["so_far"]
    assert (later["wakes"], later["first"], later["wakes_per_day"]) == (0, None, None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--log", "nowhere.db"], "--log must be the log of a gate"),
        (["--threshold", "0.5", "--git", "."], "must come with --log"),
        (["--log", "x", "--git", "."], "--log must come without"),
    ],
)
def test_a_wrong_use_is_one_sentence(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert result.output.count("\n") == 1


def test_a_wrong_setting_is_one_sentence(log: str) -> None:
    for option, value in (("--threshold", "2"), ("--cooldown", "-1")):
        result = run("--log", log, option, value)
        assert result.exit_code == 2
        assert "must" in result.output


def test_the_state_folder_of_a_watch_is_its_log(log: str, tmp_path: Path) -> None:
    Path(log).rename(tmp_path / "decisions.sqlite")
    result = run("--log", str(tmp_path), "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["modules"][0]["decisions"] == 10


def test_a_log_where_nothing_can_be_written_is_read(log: str) -> None:
    Path(f"{log}-shm").symlink_to("nowhere")  # where SQLite makes a file
    result = run("--log", log, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert (found["modules"][0]["decisions"], found["so_far"]["wakes"]) == (10, 10)


def test_prices_of_the_log_come_from_a_file(log: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    kinds = {"input": 2, "cached_input": 1, "output": 10}
    tokens = {"input": 500, "cached_input": 400, "output": 100}
    path.write_text(json.dumps({"usd_per_million": kinds, "tokens": tokens}), encoding="utf-8")
    so_far = json.loads(run("--log", log, "--prices", str(path), "--json").output)["so_far"]
    assert so_far["tokens_per_wake"] == 1000
    assert so_far["usd_per_million_tokens"] == pytest.approx(2.4)
    assert so_far["delay_s"] == {"median": 0.0, "p90": 0.0}
    assert "1,000 tokens a wake-up" in run("--log", log, "--prices", str(path)).output
