"""`watch --shadow`, `shadow` and `adopt --shadow`, as a person runs them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import click.testing
import pytest

from prefrontal.assembly.shadow.adoption import AdoptedShadow, ShadowMark
from prefrontal.cli import main
from prefrontal.cli.shadow.adoption import _sentence
from prefrontal.decisions.log import DecisionLog
from prefrontal.settings import load_settings
from prefrontal.storage.state_folder import StateFolder

from ...assembly.test_shadow import run
from ..running import PATIENCE_S, watching
from ..watch.kills import config, decided, kill_often, writing


def invoke(*words: object) -> click.testing.Result:
    return click.testing.CliRunner().invoke(main, [str(each) for each in words])


def said(*words: object) -> dict[str, Any]:
    result = invoke(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def refusal(*words: object) -> str:
    result = invoke(*words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.stderr
    return result.stderr.strip().splitlines()[-1].removeprefix("Error: ")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Of a log file, with a sink that would tell."""
    log = tmp_path / "app.log"
    log.touch()
    path = config(tmp_path, logs=[str(log)])
    document = json.loads(path.read_text()) | {"sinks": [{"lines": "told.jsonl"}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write(folder: Path, *lines: str) -> None:
    with (folder / "app.log").open("a", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)


def until_decided(folder: Path, line: str) -> None:
    """Wait until the shadow in this folder decided about the line."""
    for _ in range(round(PATIENCE_S / 0.05)):
        if line in shadowed(folder):
            return
        Event().wait(0.05)
    raise AssertionError(f"{line!r} was not decided about")


def shadowed(folder: Path) -> Counter[str]:
    return decided_in(folder / "state" / "shadow" / "decisions.sqlite")


def decided_in(file: Path) -> Counter[str]:
    with DecisionLog(file) as log:
        events = [event for record in log.records() for event in record.window]
        return Counter(str(each.features["text"]) for each in events if each.source != "time")


def told(folder: Path) -> list[str]:
    file = folder / "told.jsonl"
    return [json.loads(line)["question"] for line in file.read_text().splitlines()] * file.exists()


@pytest.mark.exhaustive
def test_a_shadow_reads_for_itself_and_adopting_it_goes_on_behind(
    tmp_path: Path, settings: Path
) -> None:
    with watching("--config", settings, "--shadow") as running:
        write(tmp_path, "in the shadow")
        until_decided(tmp_path, "in the shadow")
        assert said("shadow", "--config", settings, "--json")["running"] is True
        assert "is in use by another" in refusal("adopt", "--shadow", "--config", settings, "--yes")
        code, out, err = running.end()
    assert (code, out) == (130, [])
    assert any("nobody is woken" in line for line in err)
    assert not (tmp_path / "told.jsonl").exists()
    with watching("--config", settings, "--shadow") as running:  # goes on, and reads nothing twice
        write(tmp_path, "after a restart")
        until_decided(tmp_path, "after a restart")
        running.end()
    assert shadowed(tmp_path) == Counter(["in the shadow", "after a restart"])

    shown = said("adopt", "--shadow", "--config", settings, "--json")
    assert shown["modules"] == ["everything"]
    assert shown["next"] == [f"prefrontal watch --config {settings}"]
    with watching("--config", settings) as running:
        write(tmp_path, "from then on")
        assert running.line().endswith("says: from then on")
        running.end()
    assert [line.partition(" says: ")[2] for line in told(tmp_path)] == ["from then on"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [2, 30])
def test_a_shadow_decides_about_each_line_once_whenever_it_is_killed(
    tmp_path: Path, kills: int
) -> None:
    path, numbers = tmp_path / "app.log", count()
    path.touch()
    settings = config(tmp_path, logs=[str(path)])
    with watching("--config", settings, "--shadow"):  # what is there at first is no event
        pass
    with writing(lambda: write(tmp_path, *(f"line {next(numbers)}" for _ in range(40)))):
        kill_often(kills, settings, words=("--shadow",))
    write(tmp_path, "the last line")
    with watching("--config", settings, "--shadow") as running:
        until_decided(tmp_path, "the last line")
        running.end()
    expected = Counter([f"line {number}" for number in range(next(numbers))] + ["the last line"])
    assert shadowed(tmp_path) == expected
    assert not (tmp_path / "state" / "decisions.sqlite").exists()
    said("adopt", "--shadow", "--config", settings, "--json")
    with watching("--config", settings) as running:
        write(tmp_path, "from then on")
        assert running.line().endswith("says: from then on")
        running.end()
    assert decided(tmp_path) == Counter(["from then on"])


def test_the_report_says_what_it_would_have_cost_and_is_json_on_demand(
    tmp_path: Path, settings: Path
) -> None:
    run(load_settings(settings), range(2), shadow=True)
    found = said("shadow", "--config", settings, "--json")
    assert (found["running"], found["signals"], found["has_rates"]) == (False, 2, False)
    assert [each["name"] for each in found["policies"]] == [
        *("prefrontal", "on_change", "heartbeat", "cheap_heartbeat")
    ]
    text = invoke("shadow", "--config", settings).stdout
    for words in (
        "Nobody was woken.",
        "2 signals came; it would have asked ",
        "Cheap one, 55 min",
        "Note: Too short for rates: they need 6 hours",
        f"prefrontal feedback --state {tmp_path}/state/shadow ID useful",
        "prefrontal adopt --shadow",
    ):
        assert words in text


def test_a_report_of_what_cannot_be_written_is_made(tmp_path: Path, settings: Path) -> None:
    run(load_settings(settings), range(2), shadow=True)
    for name in ("decisions.sqlite-shm", "watch.lock"):
        place = tmp_path / "state" / "shadow" / name
        place.unlink(missing_ok=True)
        place.symlink_to("nowhere")
    found = said("shadow", "--config", settings, "--json")
    assert (found["running"], found["signals"]) == (False, 2)


def test_one_signal_is_told_in_the_singular(tmp_path: Path, settings: Path) -> None:
    run(load_settings(settings), range(1), shadow=True)
    text = " ".join(invoke("shadow", "--config", settings).stdout.split())
    assert "1 signal came; it would have asked 1 time, 0 audits among them." in text
    assert "of the 1 window that" in text


def test_a_shadow_that_is_forgotten_begins_anew(tmp_path: Path, settings: Path) -> None:
    run(load_settings(settings), range(2), shadow=True)
    assert "--yes asks nothing" in refusal("shadow", "--config", settings, "--forget")
    gone = said("shadow", "--config", settings, "--forget", "--yes", "--json")
    assert gone == {"forgotten": str(tmp_path / "state" / "shadow")}
    assert not (tmp_path / "state" / "shadow").exists()


def test_settings_with_what_cannot_be_seen_are_named_as_bash_reads_them(tmp_path: Path) -> None:
    mark = ShadowMark(0.0, 0, watched=("--config", "/a\u034fb.yml"))
    sentence = _sentence(StateFolder(tmp_path), AdoptedShadow(mark, {}, 0))
    assert sentence.endswith(r"  prefrontal watch --config $'/a\xcd\x8fb.yml'")


def test_what_cannot_be_is_one_sentence(tmp_path: Path, settings: Path) -> None:
    none = f"shadow must have begun, and {tmp_path}/state holds none: `prefrontal watch --shadow`"
    assert refusal("shadow", "--config", settings).startswith(none)
    assert refusal("adopt", "--shadow", "--config", settings, "--yes").startswith(none)
    tells = "shadow must come without --exec, --post, --json and --format: a shadow tells nobody"
    assert refusal("watch", "--config", settings, "--shadow", "--json") == tells
    assert refusal("watch", "--config", settings, "--shadow", "--exec", "true") == tells
    both = refusal("adopt", tmp_path, "--shadow", "--config", settings, "--yes")
    assert both.startswith("shadow must come without a history")
    alone = refusal("adopt", tmp_path, "--state", tmp_path, "--yes")
    assert alone.startswith("state must come with --shadow")
