"""`prefrontal gate` answers whether something came since the last call that matters."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.gate.plan import GatePlan
from prefrontal.cli.gate.turn import FIRST
from prefrontal.cli.watch.session import build_watch
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse.shells.asker import Asker
from prefrontal.settings import load_settings
from prefrontal.settings.gate import GateSettings

from .turns import Place

NIGHT = {
    "module_id": "night",
    "cluster": "hours",
    "version": "1",
    "question_template": "What is the hour? ({location})",
    "default_threshold": 0.0,
    "signal_priors": {"time": {"active_hours": [0, 23]}},
}


@pytest.mark.exhaustive
def test_the_command_says_what_came_since_the_last_call(place: Place) -> None:
    assert place.run() == (1, "", f"{FIRST}\n")
    assert GatePlan(place.call().key()).nothing_new()
    place.write("ERROR the database is gone")
    code, output, errors = place.run()
    assert (code, errors) == (0, "")
    assert "ERROR the database is gone" in output
    assert place.run() == (1, "", "")


def test_a_call_after_a_watch_goes_on_where_that_ended_and_says_nothing_of_a_first_one(
    place: Place,
) -> None:
    session = build_watch(load_settings(place.folder / "prefrontal.yml"))
    session.start()
    session.stop()
    place.write("ERROR the database is gone")
    report = place.take()
    assert b"ERROR the database is gone" in report.output
    assert FIRST.encode() not in report.errors


def test_nothing_new_is_seen_without_opening_the_log(place: Place) -> None:
    place.take()
    assert GatePlan(place.call().key()).nothing_new()
    place.write("one more")
    assert not GatePlan(place.call().key()).nothing_new()


def test_all_that_came_is_one_question_and_none_is_asked_twice(place: Place) -> None:
    place.take()
    place.write(*(f"line {number}" for number in range(20)))
    [question] = place.questions()
    assert "line 0" in question["question"]
    assert len(question["payload"]["folded"]) == 20
    assert place.questions() == []


@pytest.mark.parametrize(
    "change",
    [
        lambda place: place.settings("sources: {logs: [app.log, b.log]}\nstate: state\n"),
        lambda place: (place.state / "modules" / "a.json").write_text("{}"),
        lambda place: os.environ.update(PREFRONTAL_RECALL="0.5"),
        lambda place: place.log.unlink(),
    ],
    ids=["settings", "module", "environment", "log"],
)
def test_what_may_change_the_answer_is_looked_at_again(
    place: Place, change: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_RECALL", "0.9")  # so that it is taken back
    place.take()
    assert GatePlan(place.call().key()).nothing_new()
    assert callable(change)
    change(place)
    assert not GatePlan(place.call().key()).nothing_new()


def test_folders_and_repositories_are_looked_at_too(place: Place) -> None:
    (place.folder / "inbox").mkdir()
    repository = place.folder / "repository"
    git = ["git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    place.settings("sources: {directories: [inbox], git: [repository]}\nstate: state\n")
    place.take()
    assert GatePlan(place.call().key()).nothing_new()
    (place.folder / "inbox" / "invoice.pdf").write_text("100")
    [question] = place.questions()
    assert "invoice.pdf" in question["question"]
    assert place.questions() == []
    assert GatePlan(place.call().key()).nothing_new()
    (repository / "a.py").write_text("a = 1\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "First"], check=True)
    assert not GatePlan(place.call().key()).nothing_new()
    [question] = place.questions()
    assert "a.py" in question["question"]


def test_a_name_that_is_no_signal_is_nothing_new(place: Place) -> None:
    inbox = place.folder / "inbox"
    inbox.mkdir()
    place.settings("sources: {directories: [inbox]}\nstate: state\n")
    place.take()
    (inbox / "movie.mkv.part").write_text("half")
    (inbox / ".git").mkdir()
    (inbox / ".git" / "index").write_text("1")
    assert GatePlan(place.call().key()).nothing_new()


def test_a_question_that_nobody_took_is_told_again(place: Place) -> None:
    place.take()
    place.write("ERROR")
    first = json.loads(place.take("json", is_printed=False).output)["questions"]
    assert first
    assert place.questions() == first
    assert place.questions() == []


def test_the_label_of_an_answer_teaches_the_next(place: Place) -> None:
    place.take()
    place.write("INFO heartbeat")
    [question] = place.questions()
    with DecisionLog(place.state / "decisions.sqlite") as log:
        Asker(log, [], GateSettings()).label(question["id"], 0.0)
    place.write("INFO heartbeat")
    place.take()
    with DecisionLog(place.state / "decisions.sqlite") as log:
        state = log.load_state("weights")
    assert state is not None
    assert state[1] == 1  # the number of the label that was learned


def test_the_workspace_has_the_settings_and_a_slip_is_neither_wake_nor_sleep(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path("/"))
    assert place.run()[0] == 1
    runner = CliRunner()
    slips = ["--frmat text", "--format xml", "--exit-codes 1", "--exit-codes 1/64", "--limit 0"]
    for words in map(str.split, slips):
        done = runner.invoke(main, ["gate", *words])
        assert done.exit_code == 64, words
        assert "Error: " in done.output
    assert "Exit codes: 0 wake" in runner.invoke(main, ["gate", "--help"]).output


def test_nothing_new_imports_neither_click_nor_pydantic(place: Place) -> None:
    place.take()
    code = """
import os, sys
from prefrontal.cli.gate.plan import GatePlan
from prefrontal.cli.gate import supervisor
call = supervisor.call_of(["--workspace", sys.argv[1]])
assert GatePlan(call.key()).nothing_new()
supervisor.report_of(call, supervisor.GateVerdict()).to_bytes()
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(place.folder)], capture_output=True, text=True, check=True
    )
    heavy = {"click", "pydantic", "numpy", "apsw", "sqlite3", "json", "pathlib", "subprocess"}
    assert heavy.isdisjoint(done.stdout.split())


def test_what_must_be_listened_to_is_left_to_a_watch(place: Place) -> None:
    place.settings("sources: {logs: [app.log], socket: s.sock, stdin: true}\nstate: state\n")
    place.take()
    assert not (place.folder / "s.sock").exists()
    place.settings("sources: {socket: s.sock}\nstate: state\n")
    with pytest.raises(InputError, match=r"got only sources\.socket; `prefrontal watch` listens"):
        place.take()
    place.settings("sources: {logs: [app.log], polling: true}\nstate: state\n")
    assert place.take().errors == b""


def test_what_only_a_watch_hears_is_named_once(place: Place) -> None:
    place.settings("sources: {logs: [app.log], socket: s.sock, http: {}}\nstate: state\n")
    left = "Only `prefrontal watch` hears sources.http, sources.socket: a call does not look there."
    assert place.take().errors.decode() == f"{FIRST}\n{left}\n"
    place.write("ERROR")
    assert place.take().errors == b""
    place.settings("sources: {logs: [app.log], socket: s.sock}\nstate: state\n")
    left = "Only `prefrontal watch` hears sources.socket: a call does not look there.\n"
    assert place.take().errors.decode() == left


def test_an_answer_names_the_decision_for_feedback(place: Place) -> None:
    place.take()
    place.write("ERROR the database is gone")
    text = place.take("no-work").output.decode()
    id_ = text.split()[-1].strip("[]")
    with DecisionLog(place.state / "decisions.sqlite") as log:
        decision = log.get(id_)
    assert decision is not None and "the database is gone" in str(decision.question)


def test_a_module_of_hours_hears_of_the_time_once_a_minute(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.settings(f"modules: [{json.dumps(NIGHT)}]\nstate: state\n")
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    assert len(place.questions()) == 1
    assert GatePlan(place.call().key()).nothing_new()
    now += 30
    assert GatePlan(place.call().key()).nothing_new()
    now += 31
    assert not GatePlan(place.call().key()).nothing_new()
    assert len(place.questions()) == 1


def test_a_calendar_is_looked_at_too(place: Place) -> None:
    pytest.importorskip("recurring_ical_events")
    soon = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + 86_400))
    event = f"BEGIN:VEVENT\r\nUID:1\r\nDTSTART:{soon}\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\n"
    calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{}END:VCALENDAR\r\n"
    path = place.folder / "home.ics"
    path.write_text(calendar.format(""))
    place.settings("sources: {calendar: [{file: home.ics}]}\nstate: state\n")
    place.take()
    assert GatePlan(place.call().key()).nothing_new()
    path.write_text(calendar.format(event))
    assert not GatePlan(place.call().key()).nothing_new()
    [question] = place.questions()
    assert "Dentist" in question["question"]


def test_a_question_that_cannot_be_read_wakes_once_and_is_given_up(place: Place) -> None:
    place.take()
    place.write("ERROR the database is gone")
    assert b"the database is gone" in place.take(is_printed=False).output  # so it stays owed
    with closing(sqlite3.connect(place.state / "decisions.sqlite")) as log, log:
        log.execute("UPDATE decisions SET events = '[1' WHERE acted")
        [(damaged,)] = log.execute("SELECT id FROM decisions WHERE acted")
    answer = json.loads(place.take("json").output)
    assert answer["fault"] == f"the question {damaged} of the log cannot be read"
    assert (answer["wake"], answer["questions"]) == (True, [])
    assert place.questions() == []
