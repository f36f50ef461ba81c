"""What was held back: by which question it was told, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.decisions.log import DecisionLog, NewLabel
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..running import watching

NOW = 1_704_137_400.0
MODULE = parse_fingerprint(
    {
        "module_id": "code",
        "cluster": "c",
        "version": "1",
        "question_template": "{text} ({location})?",
        "default_threshold": 0.0,
    }
)


WAITS = "1 window held back waits; a watch that has code tells of it."


def commit(text: str) -> SignalEvent:
    return SignalEvent("git", "/src", "commit", 1.0, NOW, {"text": text})


@pytest.fixture
def told(tmp_path: Path) -> list[str]:
    """Ids: a question, two that a later one told of, that one, and one that waits."""
    clock = ManualClock(NOW)
    policy = PolicySettings(cooldown_s=60.0, key_ttl_s=0.0)
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        one = Stepper(log, [MODULE], GateSettings(policy=policy), clock=clock)
        for text in ("one", "two", "three"):
            one.wake(commit(text))
        clock.advance(60.0)
        one.tick()
        one.wake(commit("four"))
        return [each.id for each in log.records()]


def run(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(main, [*words, "--state", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_explain_and_decisions_say_what_became_of_it(tmp_path: Path, told: list[str]) -> None:
    _, second, third, late, fourth = told
    page = run(tmp_path, "explain", second)
    assert "It was held back: the module had woken the agent just before (cooldown)." in page
    assert f"by the question {late[:8]}" in page
    assert "not yet: it waits until what held it back ends" in run(tmp_path, "explain", fourth)
    page = run(tmp_path, "explain", late)
    assert "It had been held back, and was asked when that ended." in page
    assert f"{second[:8]} two (held back: cooldown)" in page
    assert f"{third[:8]} three (held back: cooldown)" in page
    lines = run(tmp_path, "decisions", "--slept").splitlines()
    assert lines[0] == WAITS
    assert "cooldown, waits for a question" in lines[2]
    assert f"cooldown, told by {late[:8]}" in lines[3]


def test_a_watch_without_their_module_says_that_windows_wait_for_one_that_has_it(
    tmp_path: Path, told: list[str]
) -> None:
    with watching(tmp_path / "inbox", "--state", tmp_path) as running:
        _, _, errors = running.end()
    assert errors[-1] == WAITS
    assert not any("the next watch tells" in each for each in errors)


def test_programs_are_told_the_same(tmp_path: Path, told: list[str]) -> None:
    _, second, third, late, fourth = told
    by = {id_: json.loads(run(tmp_path, "explain", id_, "--json"))["told_by"] for id_ in told}
    assert by == {told[0]: None, second: late, third: late, late: None, fourth: None}
    question = json.loads(run(tmp_path, "explain", late, "--json"))
    assert question["payload"]["late"] is True
    assert question["payload"]["folded"][1] == {
        "id": third, "time": "2024-01-01T19:30:00.000Z", "reason": "cooldown", "name": "three",
    }  # fmt: skip
    rows = map(json.loads, run(tmp_path, "decisions", "--slept", "--json").splitlines())
    assert {row["id"]: row["told_by"] for row in rows} == {second: late, third: late, fourth: None}


def test_saying_the_same_again_is_learned_once(tmp_path: Path, told: list[str]) -> None:
    for _ in range(3):
        run(tmp_path, "feedback", told[0], "useful")
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        assert [each.label for each in log.labels_after(0)] == [1.0]


def test_explain_says_whose_a_label_is_that_no_person_gave(tmp_path: Path, told: list[str]) -> None:
    first, second, third, late, _ = told
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        log.keep((), [NewLabel(second, 0.0, NOW, "preset"), NewLabel(third, 1.0, NOW, "preset")])
        log.add_label(first, 1.0, NOW)
    labels = [
        next(
            line
            for line in run(tmp_path, "explain", each).splitlines()
            if line.startswith("label ")
        )
        for each in (second, late, first)
    ]
    assert "0 (useless), given " in labels[0]
    assert labels[0].endswith(", by its history")
    assert "1 (useful), given " in labels[1]
    assert labels[1].endswith(", by what it told of")
    assert ", by" not in labels[2]
