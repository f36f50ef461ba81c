"""`prefrontal decisions`, `explain` and `feedback`, on a log with known decisions."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from prefrontal.cli import main
from prefrontal.cli.decisions.explain_page import print_list
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.types import Reason, SignalEvent

from ..refusals import refusal


def decision(number: int, **changes: Any) -> Decision:
    event = SignalEvent("filesystem", f"/in/{number}.pdf", "created", 1.0, 1_700_000_000.0)
    told: dict[str, Any] = {
        "id": f"{number:08x}" * 4,
        "time": 1_700_000_000.0 + number,
        "payload": WakePayload(),
        "subject": "invoices",
        "acted": True,
        "reason": str(Reason.WOKE),
        "score": 0.9,
        "threshold": 0.6,
        "question": f"A new invoice at /in/{number}.pdf?",
        "propensity": 1.0,
        "window": (event,),
        "why": (("extension=.pdf", 3.2), ("source=filesystem", -2.2), ("bias", 0.0)),
    }
    return Decision(**told | changes)


SLEPT = {"acted": False, "reason": str(Reason.BELOW_THRESHOLD), "question": None, "score": 0.2}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PREFRONTAL_STATE", str(tmp_path))
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        log.append(decision(1))
        log.append(decision(2, **SLEPT))
        log.append(decision(3, subject="other", label=1.0, labelled_at=1_700_000_050.0))
    return tmp_path


def add(state: Path, record: Decision) -> None:
    with DecisionLog(state / "decisions.sqlite") as log:
        log.append(record)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def said(*words: str) -> str:
    return refusal(run(*words))


@pytest.mark.usefixtures("state")
def test_decisions_are_listed_the_newest_first() -> None:
    lines = run("decisions").stdout.splitlines()
    assert lines[0].split()[:5] == ["id", "when", "module", "score", "label"]
    assert [line[:8] for line in lines[1:]] == ["00000003", "00000001"]
    assert lines[2].rstrip().endswith("A new invoice at /in/1.pdf?")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_decisions_of_a_clock_that_was_ahead_hide_no_others(
    state: Path, form: tuple[str, ...]
) -> None:
    for number in (7, 8):
        add(state, decision(number, time=4_000_000_000.0 + number))
    done = run("decisions", "--limit", "3", *form)
    lines = [line for line in done.stdout.splitlines() if "000000" in line]
    listed = [next(number for number in "1378" if f"0000000{number}" in line) for line in lines]
    assert listed == ["3", "1", "8"]
    assert "decisions from a clock that was ahead are listed last" in done.stderr
    assert "the latest is dated 2096-10-02" in done.stderr
    assert "00000003" in run("decisions", "--limit", "1", *form).stdout


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("columns", ["80", "40"])
def test_the_year_is_listed_where_one_is_not_the_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    now = time.mktime((2026, 1, 1, 0, 0, 59, 0, 0, -1))
    latest = decision(7, time=now)
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", columns), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    assert "  2023-11-14 " in click.unstyle(run("decisions").stdout)
    print_list([latest, decision(1, time=now - 60.0)], now)
    both = click.unstyle(capsys.readouterr().out)
    assert "00000007  2026-01-01 00:00:59" in both and "00000001  2025-12-31 23:59:59" in both
    print_list([latest])
    assert "00000007  2026-01-01 00:00:59" in click.unstyle(capsys.readouterr().out)
    print_list([latest], now)
    assert "00000007  01-01 00:00:59" in click.unstyle(capsys.readouterr().out)


@pytest.mark.usefixtures("state")
def test_what_slept_is_listed_with_its_reason() -> None:
    lines = run("decisions", "--slept").stdout.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("00000002")
    assert "below threshold" in lines[1]


@pytest.mark.usefixtures("state")
def test_json_is_one_object_a_line() -> None:
    lines = run("decisions", "--json", "--limit", "1").stdout.splitlines()
    assert len(lines) == 1
    told = json.loads(lines[0])
    assert (told["subject"], told["label"], told["score"]) == ("other", 1.0, 0.9)
    assert (told["version"], told["events"][0]["location"]) == (2, "/in/3.pdf")


@pytest.mark.usefixtures("state")
def test_a_module_can_be_picked() -> None:
    assert len(run("decisions", "--module", "other", "--json").stdout.splitlines()) == 1
    assert "No decision of nobody in " in run("decisions", "--module", "nobody").stdout


def test_a_score_that_is_no_number_is_null(state: Path) -> None:
    add(state, decision(4, score=float("nan")))
    assert json.loads(run("decisions", "--json").stdout.splitlines()[0])["score"] is None
    assert run("explain", "00000004").exit_code == 0


@pytest.mark.usefixtures("state")
def test_explain_tells_question_score_reason_contributions_and_events() -> None:
    page = run("explain", "00000001").stdout
    assert page.startswith("A new invoice at /in/1.pdf?\n")
    for part in (
        "00000001" * 4, "invoices", "0.900, threshold 0.600", "the score reached the threshold",
        "/in/1.pdf", "filesystem created", "prefrontal feedback 00000001 useful",
    ):  # fmt: skip
        assert part in page
    lines = page.splitlines()
    for_it = next(line for line in lines if line.startswith("a .pdf file"))
    against = next(line for line in lines if line.startswith("a file  "))
    assert "+3.20" in for_it
    assert "-2.20" in against
    assert for_it.index("█") > against.rindex("█")
    assert for_it.count("█") > against.count("█") > 0
    assert "bias" not in page
    assert "what is usual here" not in page


@pytest.mark.usefixtures("state")
def test_explain_works_for_what_slept() -> None:
    page = run("explain", "00000002").stdout
    assert page.startswith("No question was asked.\n")
    assert "woke nobody: the score stayed below" in page


@pytest.mark.usefixtures("state")
def test_a_label_is_shown_and_not_asked_for() -> None:
    page = run("explain", "00000003").stdout
    assert "1 (useful), given 2023-11-14" in page
    assert "Was it worth it?" not in page


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_is_told_in_words(state: Path, reason: Reason) -> None:
    add(state, decision(9, reason=str(reason), propensity=0.02))
    outcome = next(
        line for line in run("explain", "00000009").stdout.splitlines() if "outcome" in line
    )
    assert outcome.rstrip().endswith(".")
    assert len(outcome.split()) > 5


def test_nothing_in_the_log_can_move_the_cursor(state: Path) -> None:
    evil = "\x1b[2J\x07\u202e"
    event = SignalEvent(evil, f"/in/{evil}", evil, 1.0, 0.0)
    changes = {"subject": evil, "question": f"q{evil}", "window": (event,), "why": ((evil, 1.0),)}
    add(state, decision(7, **changes))
    for words in (("explain", "00000007"), ("decisions",), ("feedback", "00000007", "useful")):
        output = run(*words).stdout
        assert not any(character in output for character in "\x1b\x07\u202e"), words


@pytest.mark.parametrize(
    ("label", "value"), [("useful", 1.0), ("useless", 0.0), ("0.25", 0.25), ("1", 1.0)]
)
def test_feedback_is_kept_and_told(state: Path, label: str, value: float) -> None:
    result = run("feedback", "00000001", label)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Noted: 00000001 of invoices was {value:g}.\n")
    with DecisionLog(state / "decisions.sqlite") as log:
        record = log.get("00000001")
    assert record is not None
    assert record.label == value


@pytest.mark.usefixtures("state")
def test_feedback_is_told_as_json() -> None:
    run("feedback", "00000001", "useless")
    told = json.loads(run("feedback", "00000001", "useful", "--json").stdout)
    assert (told["kind"], told["subject"]) == ("wake", "invoices")
    assert (told["label"], told["before"]) == (1.0, 0.0)


def test_what_is_unanswered_is_listed_and_answered_together(state: Path) -> None:
    add(state, decision(4))
    result = run("decisions", "--unanswered")
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "id",
        "00000004",
        "00000001",
    ]
    assert "prefrontal feedback ID ID useful (or useless)" in result.stderr
    [line, _] = run("decisions", "--unanswered", "--json").stdout.splitlines()
    assert json.loads(line)["id"] == decision(4).id
    noted = run("feedback", "00000004", "00000001", "0000", "useless")
    assert "of several" in noted.output  # one is none: nobody gets the label
    assert run("decisions", "--unanswered").stdout == result.stdout
    noted = run("feedback", "00000004", "00000001", decision(4).id, "useless")
    assert noted.stdout.splitlines() == [
        "Noted: 00000004 of invoices was 0.",
        "Noted: 00000001 of invoices was 0.",
        "A running watch learns from it within seconds, otherwise the next one does.",
    ]
    assert "is unanswered" in run("decisions", "--unanswered").stdout
    assert "got --slept" in said("decisions", "--unanswered", "--slept")
    assert "got --kind all" in said("decisions", "--unanswered", "--kind", "all")


def test_the_last_word_counts(state: Path) -> None:
    run("feedback", "00000001", "useful")
    assert "It was 1 before." in run("feedback", "00000001", "useless").stdout
    with DecisionLog(state / "decisions.sqlite") as log:
        assert [label for _, _, label, _ in log.labels_after(0)] == [1.0, 1.0, 0.0]


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("label", ["", "yes", "2", "-0.1", "-1", "nan", "inf", "0,5", "USEFUL"])
def test_a_label_that_is_none_is_refused(label: str) -> None:
    rule = "label must be useful, useless, right, wrong or a number from 0 to 1, got"
    assert f"{rule} {label!r}" in said("feedback", "00000001", label)


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("words", [["explain", "beef1234"], ["feedback", "beef1234", "useful"]])
def test_an_id_that_nobody_knows_is_told(words: list[str]) -> None:
    assert "decision id must be one that `prefrontal decisions` lists" in said(*words)


def test_an_id_that_is_not_enough_is_told(state: Path) -> None:
    assert "4 characters" in said("explain", "000")
    assert "0000" in said("explain", "0000")
    assert state.exists()


@pytest.mark.parametrize("words", [["decisions"], ["explain", "0000"], ["feedback", "0000", "1"]])
def test_a_folder_without_decisions_is_told(tmp_path: Path, words: list[str]) -> None:
    folder = tmp_path / "empty"
    assert f"{folder} holds no decisions yet" in said(*words, "--state", str(folder))
    assert not folder.exists()


def test_the_folder_that_the_settings_of_this_place_name_is_pointed_to(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = str(tmp_path / "empty")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prefrontal.yml").write_text(f"state: {state}\n")
    assert f"are found with --state {state}" in said("decisions", "--state", empty)
    (tmp_path / "prefrontal.yml").write_text("state: [")
    assert said("decisions", "--state", empty).rstrip().endswith("`prefrontal watch` makes them")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings that name a state with one decision, and a home without any."""
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    (folder / "st").mkdir(parents=True)
    (folder / "prefrontal.yml").write_text("state: ./st\n")
    add(folder / "st", decision(1))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["decisions"],
        ["explain", "00000001"],
        ["feedback", "00000001", "useful"],
        ["verify"],
        ["storage", "status"],
    ],
)
def test_the_state_that_the_settings_of_this_place_name_is_read(
    words: list[str], place: Path
) -> None:
    done = run(*words)
    assert done.exit_code == 0, done.output


def test_the_option_stands_before_named_settings_and_these_before_those_of_this_place(
    place: Path, tmp_path: Path
) -> None:
    for name, number in (("named", 2), ("option", 3)):
        (tmp_path / name).mkdir()
        add(tmp_path / name, decision(number))
    (tmp_path / "other.yml").write_text("state: named\n")
    config, state = ["--config", str(tmp_path / "other.yml")], ["--state", str(tmp_path / "option")]
    read = [run("decisions", "--json", *more).stdout for more in ([], config, config + state)]
    assert [json.loads(each)["id"][:8] for each in read] == ["00000001", "00000002", "00000003"]


def test_where_the_log_is_empty_the_state_that_was_read_is_told(place: Path) -> None:
    (place / "empty").mkdir()
    with DecisionLog(place / "empty" / "decisions.sqlite"):
        pass
    told = run("decisions", "--state", str(place / "empty")).stdout
    assert told == f"No decision in {place}/empty woke the agent yet.\n"


def test_decisions_of_a_watch_without_these_settings_are_pointed_to(
    place: Path, tmp_path: Path
) -> None:
    usual = tmp_path / "home" / ".local" / "state" / "prefrontal"
    usual.mkdir(parents=True)
    add(usual, decision(2))
    (place / "prefrontal.yml").write_text("state: nowhere\n")
    text = said("decisions")
    assert f"{place}/nowhere holds no decisions yet" in text
    assert f"others are found with --state {usual}" in text


def test_decisions_of_a_shadow_are_pointed_to_where_it_is_all_there_is(place: Path) -> None:
    shadow = place / "nowhere" / "shadow"
    shadow.mkdir(parents=True)
    add(shadow, decision(2))
    (place / "prefrontal.yml").write_text("state: nowhere\n")
    assert f"those of the shadow are found with --state {shadow}" in said("decisions")


def test_a_state_of_the_wrong_kind_is_refused_as_by_the_watch(place: Path) -> None:
    (place / "prefrontal.yml").write_text("state: [1]\n")
    assert "prefrontal.yml, line 1: state must be a non-blank string" in said("decisions")


@pytest.mark.parametrize("words", [["decisions"], ["explain", "00000001"], ["verify"]])
def test_a_log_where_nothing_can_be_written_is_read(state: Path, words: list[str]) -> None:
    (state / "decisions.sqlite-shm").symlink_to("nowhere")  # where SQLite makes a file
    done = run(*words)
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_label_where_nothing_can_be_written_is_refused(state: Path) -> None:
    (state / "decisions.sqlite-shm").symlink_to("nowhere")
    assert "cannot be opened" in said("feedback", "00000001", "useful")


def test_an_earlier_log_where_nothing_can_be_written_is_told(state: Path) -> None:
    with closing(SqliteDatabase(state / "decisions.sqlite")) as database:
        database.note_schema_version(1)
    (state / "decisions.sqlite-shm").symlink_to("nowhere")
    assert "must be opened once where it can be written" in said("decisions")


def test_a_log_that_is_no_log_is_told(tmp_path: Path) -> None:
    (tmp_path / "decisions.sqlite").write_text("not a database" * 100)
    assert "is not a database" in said("decisions", "--state", str(tmp_path))


@pytest.mark.usefixtures("state")
def test_a_limit_below_one_is_refused() -> None:
    assert "--limit must be a whole number above 0, got 0" in said("decisions", "--limit", "0")


def test_in_a_terminal_only_the_question_is_shortened(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(state, decision(5, question="Q" * 300, subject="書類" * 8, label=0.5))
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "80"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    first = click.unstyle(run("decisions").stdout).splitlines()[1]
    assert first.startswith("00000005  2023-11-14 ")
    assert first.split()[-3:-1] == ["0.90", "0.5"]
    assert first.rstrip().endswith("Q…")
    assert cell_len(first.rstrip()) == 80


def in_a_terminal(columns: int, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """The lines that a command prints there, without their colours."""
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", str(columns)), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    return [line.rstrip() for line in click.unstyle(run(*words).stdout).splitlines()]


def test_in_a_narrow_terminal_each_decision_is_a_paragraph(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(state, decision(5, question="what " * 60, subject="homework", label=0.5))
    lines = in_a_terminal(40, monkeypatch, "decisions")
    assert lines[0].split()[0] == "00000005"
    assert lines[1] == "  homework, score 0.90, label 0.5"
    words = f"  {'what ' * 7}".rstrip()
    assert lines[2:6] == [words, words, words, f"{words} …"]
    assert lines[6].split()[0] == "00000003"
    assert "1 wake" not in lines[7]
    assert in_a_terminal(40, monkeypatch, "decisions", "--kind", "all")[1].startswith("  wake, ")


def test_in_a_narrow_terminal_amounts_and_places_are_whole(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = in_a_terminal(40, monkeypatch, "explain", "00000001")
    [reason] = [line for line in lines if "-2.20" in line]
    assert "█" in reason
    assert lines[lines.index("event") + 2] == "  /in/1.pdf"
    assert max(map(cell_len, lines)) <= 40
