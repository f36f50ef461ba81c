"""What cannot be decided wakes, once and loudly, whatever went wrong."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from prefrontal.cli.gate.cache import CallFile
from prefrontal.cli.gate.faults import GateFaults
from prefrontal.cli.gate.plan import GatePlan
from prefrontal.cli.gate.turn import take_turn
from prefrontal.errors import SourceError
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.storage.state_folder import StateFolder

from .turns import PATIENCE_S, Listener, Place

LEAST = "-9223372036854775807 - 1"
"""Has no absolute value in SQLite: asked for it, a statement fails."""
STEPS_READ = 4
"""Signs of life of a turn that has read its sources and not yet ended."""


@pytest.mark.exhaustive
def test_broken_settings_wake_in_the_contract_of_the_format(place: Place) -> None:
    place.settings("sources: {lgos: [app.log]}\nstate: state\n")
    code, output, errors = place.run("--format", "openclaw")
    assert code == 0
    answer = json.loads(output)
    assert answer["fire"] is True
    assert "lgos" in answer["message"]
    assert "so the answer is WAKE" in errors
    code, output, errors = place.run("--format", "openclaw")
    assert json.loads(output) == {"fire": False}
    assert "still no decision, as said before" in errors


def test_a_gate_that_hangs_in_the_system_wakes_at_the_limit(place: Place) -> None:
    (place.folder / "prefrontal.yml").unlink()
    os.mkfifo(place.folder / "prefrontal.yml")
    code, output, errors = place.run(limit_s=0.5)
    assert code == 0
    assert "no decision within 0.5 s" in output
    assert "no decision within 0.5 s" in errors


@pytest.mark.exhaustive
def test_a_locked_log_wakes_at_the_limit_and_loses_nothing(place: Place) -> None:
    place.take()
    place.write("ERROR while the log is locked")
    held = sqlite3.connect(place.state / "decisions.sqlite", isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    code, output, _ = place.run(limit_s=1.0)
    assert (code, "no decision within 1 s" in output) == (0, True)
    held.execute("ROLLBACK")
    held.close()
    [question] = place.questions()
    assert "ERROR while the log is locked" in question["question"]


@pytest.mark.parametrize(
    ("name", "number"), [("x" * 300, errno.ENAMETOOLONG), ("loop", errno.ELOOP)]
)
def test_a_folder_that_cannot_be_used_wakes_and_is_no_defect(
    place: Place, name: str, number: int
) -> None:
    loop = place.folder / "loop"
    loop.symlink_to(loop)
    code, output, errors = place.run(str(place.folder / name))
    assert code == 0
    assert "cannot be used" in output
    assert f"cannot be used: {os.strerror(number)}" in errors
    assert "defect" not in output + errors


def test_a_workspace_that_is_not_there_wakes_and_takes_no_other_settings(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)  # with settings of its own
    code, output, errors = place.run("--workspace", "assistnat")
    rule = "--workspace must be a folder, got 'assistnat'"
    assert (code, rule in output, rule in errors) == (0, True, True)
    assert not place.state.exists()


def change_log(place: Place, sentence: str) -> None:
    """By the SQLite of the gate: another one in this process would drop its locks."""
    log = SqliteDatabase(place.state / "decisions.sqlite")
    log.execute(sentence)
    log.close()


def fill(place: Place, when: str = "1") -> None:
    """The log takes no row of which that is true."""
    trigger = f"CREATE TRIGGER full_disk BEFORE INSERT ON decisions WHEN {when}"
    change_log(place, f"{trigger} BEGIN SELECT abs({LEAST}); END")


def test_what_could_not_be_stored_wakes_and_is_told_by_the_next_call(place: Place) -> None:
    place.take()
    fill(place, "new.acted")
    place.write("ERROR while no question can be stored")
    answer = json.loads(place.take("json").output)
    assert (answer["wake"], answer["questions"]) == (True, [])
    assert "what was decided could not be stored: " in answer["fault"]
    assert not GatePlan(place.call().key()).nothing_new()  # the next call has to look
    change_log(place, "DROP TRIGGER full_disk")
    [question] = place.questions()
    assert "ERROR while no question can be stored" in question["question"]


class Janitor(Listener):
    """Makes room in the log once a store has failed."""

    def __init__(self, place: Place, caplog: pytest.LogCaptureFixture) -> None:
        super().__init__()
        self._place = place
        self._caplog = caplog

    def go_on(self) -> None:
        super().go_on()
        end = time.monotonic() + PATIENCE_S
        while self.steps == STEPS_READ and "decisions could not be stored" not in self._caplog.text:
            assert time.monotonic() < end
            time.sleep(0.01)
        if self.steps == STEPS_READ:
            change_log(self._place, "DROP TRIGGER full_disk")


def test_what_the_end_of_a_call_can_store_is_told_by_it(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    place.take()
    fill(place)
    place.write("ERROR while the disk is full")
    janitor = Janitor(place, caplog)
    take_turn(place.call("json"), janitor)
    [report] = janitor.reports
    answer = json.loads(report.output)
    [question] = answer["questions"]
    assert "ERROR while the disk is full" in question["question"]
    assert answer["fault"] is None


def test_a_process_that_is_killed_before_it_has_decided_wakes(place: Place) -> None:
    (place.folder / "prefrontal.yml").unlink()
    os.mkfifo(place.folder / "prefrontal.yml")
    with place.begin("--format", "hermes") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + PATIENCE_S
        while not (found := children.read_text().split()) and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(int(found[0]), signal.SIGKILL)
        output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert json.loads(output.splitlines()[-1])["wakeAgent"] is True
    assert "was ended before it had decided" in errors


@pytest.mark.parametrize("damage", [b"no database", b""], ids=["foreign", "empty"])
def test_a_broken_log_is_a_sentence(place: Place, damage: bytes) -> None:
    place.take()
    for each in place.state.glob("decisions.sqlite*"):
        each.write_bytes(damage)
    place.write("ERROR")
    if damage:
        with pytest.raises(SourceError, match="not a database"):
            place.take()
    else:
        report = place.take()
        assert report.wake
        assert b"was lost since the last call" in report.errors
        assert b"Nothing that came is lost" not in report.output


def test_a_source_that_cannot_be_read_wakes_and_the_others_are_read(place: Place) -> None:
    place.settings("sources: {logs: [app.log], git: [gone]}\nstate: state\n")
    report = place.take()
    assert report.wake
    assert b"gone" in report.errors
    place.write("ERROR in the log")
    report = place.take()
    assert b"ERROR in the log" in report.output
    place.settings("sources: {logs: [app.log]}\nstate: state\n")
    assert not place.take().wake


def test_a_fault_wakes_once_and_again_when_it_was_over() -> None:
    faults = GateFaults("key")
    assert faults.wakes("no disk for 3 s")
    assert faults.wakes("no disk for 3 s")  # nobody took the answer
    faults.told()
    assert not faults.wakes("no disk for 4 s")
    assert faults.wakes("no settings")
    faults.told()
    assert not GateFaults("key").wakes("no settings")
    assert not faults.wakes("")
    assert faults.wakes("no settings")
    assert GateFaults("another").wakes("no settings")


@pytest.mark.exhaustive
def test_a_fault_of_which_nobody_heard_wakes_again(place: Place) -> None:
    place.settings("sources: {logs: [app.log], git: [gone]}\nstate: state\n")
    assert place.take(is_printed=False).wake
    assert place.take().wake
    assert not place.take().wake
    with place.begin() as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(PATIENCE_S)
    place.settings("sources: {lgos: [app.log]}\nstate: state\n")
    with place.begin() as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(PATIENCE_S)
    assert place.run()[0] == 0
    assert place.run()[0] == 1


def test_an_address_that_is_not_reached_wakes_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    place.settings(
        "sources: {network: [{url: 'http://127.0.0.1:9/', every_s: 600}]}\nstate: state\n"
    )
    report = place.take()
    assert report.wake
    assert b"127.0.0.1:9/ cannot be read" in report.errors
    wakes, faults = [], []
    for _ in range(8):
        now += 300.0
        report = place.take()
        wakes.append(report.wake)
        faults.append(b"cannot be read" in report.errors)
    assert wakes == [False] * 8
    assert faults == [False, True] * 4  # asked at every second call


def test_a_fault_that_cannot_be_remembered_wakes_each_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.folder / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.folder / "file"))
    assert GateFaults("key").wakes("no disk")
    assert GateFaults("key").wakes("no disk")
    assert place.take().wake is False  # and without a plan all is looked at
    place.write("ERROR")
    assert place.take().wake


def test_a_full_disk_keeps_what_was_there_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = CallFile("key", "fault")
    assert file.write(["no settings"])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        assert not file.write(["no disk"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read() == ["no settings"]
    assert list(Path(file.path).parent.iterdir()) == [Path(file.path)]


def test_what_is_kept_for_another_call_or_was_cut_is_not_read(place: Place) -> None:
    file = CallFile("key", "plan")
    assert file.read() is None
    assert file.write(["a", "", "b"])
    assert file.read() == ["a", "", "b"]
    data = Path(file.path).read_bytes()
    for cut in range(len(data)):
        Path(file.path).write_bytes(data[:cut])
        assert file.read() is None
    Path(file.path).write_bytes(data.replace(b"key", b"kex"))
    assert file.read() is None
    assert (Path(file.path).stat().st_mode & 0o777) == 0o600


@pytest.mark.exhaustive
def test_two_gates_at_once_ask_once(place: Place) -> None:
    place.take()
    place.write("ERROR")
    with place.begin("--json") as one, place.begin("--json") as two:
        outputs = [each.communicate(timeout=PATIENCE_S)[0] for each in (one, two)]
    answers = [json.loads(each) for each in outputs]
    assert sorted(len(each["questions"]) for each in answers) == [0, 1]
    assert sorted(each["wake"] for each in answers) == [False, True]


def test_a_gate_that_waits_for_another_too_long_says_so(place: Place) -> None:
    place.take()
    state = StateFolder(place.state)
    waits = pytest.raises(SourceError, match="another prefrontal gate is at work")
    with state.called(0.0), waits, state.called(0.01):
        raise AssertionError


@pytest.mark.parametrize("is_set_up", [True, False])
def test_a_signal_between_two_handlers_ends_the_call_without_a_word(
    place: Place, is_set_up: bool
) -> None:
    code = """
import os, signal, sys
from prefrontal.cli.gate import supervisor
real = signal.signal
def now(number, handler):
    done = real(number, handler)
    if number == signal.SIGTERM and is_last(handler):
        os.kill(os.getpid(), signal.SIGINT)
    return done
def is_last(handler):
    if sys.argv[2] == "True":
        return handler is supervisor._raise
    return handler is signal.SIG_DFL
real(signal.SIGINT, lambda *_: os._exit(9))
signal.signal = now
supervisor._ENDING = (signal.SIGTERM, signal.SIGINT)
if sys.argv[2] == "True":  # it comes once the last one is set, or the first one set back
    supervisor._ENDING = supervisor._ENDING[::-1]
supervisor.answer_words(["--workspace", sys.argv[1]])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(place.folder), str(is_set_up)],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
