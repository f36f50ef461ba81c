"""`prefrontal run`: from a signal to what was learned, live and over events that were kept."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.clock import FIRST_MOMENT, LAST_MOMENT
from prefrontal.decisions.document import instant
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import WakePayload
from prefrontal.ledger import Ledger

from ...executive.desk_tools import tools_of
from ..routed import confined
from ..running import watching

NOW = 1_700_000_000.0
MODULE = {
    "module_id": "code",
    "cluster": "work",
    "version": "1",
    "question_template": "Check the syntax of {location}.",
    "default_threshold": 0.0,
    "signal_priors": {},
}


class Project:
    """A folder with a broken file, tools, and settings."""

    def __init__(self, folder: Path, **told: Any) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        self.tools = tools_of(folder).root
        self.state = folder / "state"
        self.workspace = folder / "agent"
        self.config = folder / "prefrontal.yml"
        document = {
            "modules": [MODULE],
            "policy": {"settle_s": 0.05},
            "audit_share": 0,
            "cortex": {"triggers": [{"interaction_count": 2}]},
        }
        self.config.write_text(json.dumps(document | told), encoding="utf-8")

    @property
    def words(self) -> list[str]:
        told = {"config": self.config, "state": self.state, "workspace": self.workspace}
        return [word for name, path in told.items() for word in (f"--{name}", str(path))]

    def event(self, number: int, text: str = "def f(:\n", **features: Any) -> str:
        file = self.work / f"file{number}.py"
        file.write_text(text, encoding="utf-8")
        told = {"actor": "ada", "extension": ".py"} | features
        line = {"source": "filesystem", "location": str(file), "delta_type": "modified"}
        return json.dumps({**line, "timestamp": NOW + 600 * number, "features": told})

    def once(self, *lines: str, words: tuple[str, ...] = ()) -> Result:
        told = ["run", str(self.work), "--once", "-", *self.words, *words]
        return CliRunner().invoke(main, told, input="\n".join(lines))

    def log(self) -> DecisionLog:
        return DecisionLog(self.state / "decisions.sqlite")

    def kinds(self) -> list[str]:
        with self.log() as log:
            return sorted(each.kind for each in log.recent(100, kind=None))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PREFRONTAL_STATE", "PREFRONTAL_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def said(result: Result) -> str:
    """The one sentence of a refusal."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.strip().splitlines()[-1]


@confined
def test_kept_events_run_through_the_whole_loop_and_the_story_is_told(project: Project) -> None:
    done = project.once(*(project.event(number) for number in range(2)))
    assert done.exit_code == 0, done.output
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert len(lines) == 7
    assert lines[0].endswith(f"Check the syntax of {project.work / 'file0.py'}.")
    assert lines[1].startswith("route check_syntax 1.00.")
    assert lines[2].startswith("done check_syntax")
    assert lines[2].endswith("file0.py:1: invalid syntax")
    assert lines[6].startswith("trust ada new -> +")
    assert "Done: 2 events, 2 wakes, 0 audits." in done.stderr
    assert "Attended to 2 wakes (2 done), 1 conclusion." in done.stderr
    assert project.kinds() == ["act", "act", "assessment", "route", "route", "wake", "wake"]
    with Ledger(project.workspace / "ledger.sqlite", read_only=True) as ledger:
        assert all((each.outcome or 0.0) > 0.0 for each in ledger.interactions())


@pytest.mark.exhaustive
@confined
def test_as_json_each_decision_is_one_object(project: Project) -> None:
    done = project.once(*(project.event(n) for n in range(2)), words=("--json",))
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["kind"] for each in told] == [*["wake", "route", "act"] * 2, "assessment"]
    assert told[1]["cause"] == told[0]["id"]
    assert told[2]["payload"]["value"] == ["file0.py:1: invalid syntax"]
    assert told[2]["score"] is None
    assert [each["time"] for each in told] == [instant(NOW)] * 3 + [instant(NOW + 600)] * 4


@pytest.mark.exhaustive
@confined
def test_the_same_events_come_to_the_same_decisions(tmp_path: Path) -> None:
    told = []
    texts = ("def f(:\n", "x = 1\n", "")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        project = Project(tmp_path / name, seed=1)
        lines = [project.event(n, texts[n % 3], actor=f"peer {n % 2}") for n in range(8)]
        done = project.once(*lines, words=("--json",))
        found = [json.loads(line) for line in done.stdout.splitlines()]
        kept = [each for each in found if each["kind"] == "assessment"]
        told.append([(each["subject"], each["payload"], each["time"]) for each in kept])
    assert told[0] == told[1]
    assert len(told[0]) > 3


@pytest.mark.exhaustive
def test_a_file_of_events_is_read_as_well(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(project.event(0) + "\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "--once", str(path), str(project.work), *project.words])
    assert (done.exit_code, done.stdout.count("\n")) == (0, 3)


def test_a_line_that_is_no_event_is_told_of_and_left_out(project: Project) -> None:
    odd = '{"source": "a", "location": "b", "delta_type": "c", "features": {"text": 7}}'
    done = project.once("oops", project.event(0), odd, "", project.event(1))
    assert done.exit_code == 0, done.output
    assert done.stderr.count("Left out: ") >= 1
    assert "Attended to 2 wakes" in done.stderr or "Attended to 3 wakes" in done.stderr


def test_no_events_are_no_trouble_and_no_event_among_lines_is_a_slip(project: Project) -> None:
    done = project.once()
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "There were no events.\n")
    assert not project.state.exists()
    refused = project.once("oops", "{}")
    assert refused.exit_code == 2
    assert "--once must hold events, got 2 lines and none is one" in refused.stderr


def test_a_file_that_is_not_there_is_one_sentence(project: Project) -> None:
    done = CliRunner().invoke(main, ["run", "--once", "/no/such/file", *project.words])
    assert said(done) == "Error: /no/such/file cannot be read: No such file or directory"


def test_without_a_tool_that_fits_the_sinks_are_asked(tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    module = MODULE | {"question_template": "Anything new in {location}?"}
    project = Project(tmp_path, modules=[module], sinks=[{"lines": str(asked)}])
    done = project.once(project.event(0), project.event(1))
    assert "2 asked" in done.stderr, done.output
    told = [json.loads(line) for line in asked.read_text().splitlines()]
    assert [each["subject"] for each in told] == ["code", "code"]
    assert told[0]["question"].startswith("Anything new in ")


@pytest.mark.exhaustive
@confined
def test_a_tool_that_fits_leaves_the_sinks_alone(tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    project = Project(tmp_path, sinks=[{"lines": str(asked), "durable": True}])
    project.once(project.event(0))
    assert asked.read_text() == ""


def test_a_durable_sink_is_owed_what_the_agent_was_asked(tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    module = MODULE | {"question_template": "Anything new in {location}?"}
    sinks = [{"lines": str(asked), "durable": True, "name": "diary"}]
    pinned = {"pinned_beliefs": {"house": "The house is blue."}}
    project = Project(tmp_path, modules=[module], sinks=sinks, cortex=pinned)
    project.once(project.event(0))
    [told] = [json.loads(line) for line in asked.read_text().splitlines()]
    assert "The house is blue." in told["question"]
    with project.log() as log:
        deliveries = log.deliveries()
        [wake] = log.recent()
        assert [each.state for each in deliveries.of(wake.id)] == ["done"]
        deliveries.close()


@confined
def test_events_that_reach_no_module_are_told(tmp_path: Path) -> None:
    files = MODULE | {"signal_priors": {"filesystem": {"watch_directories": ["/"]}}}
    project = Project(tmp_path, modules=[files])
    mail = {"source": "mail", "location": "inbox", "delta_type": "created", "timestamp": NOW}
    done = project.once(project.event(0), json.dumps(mail), json.dumps(mail | {"source": "x"}))
    assert done.exit_code == 0
    told = "2 events reached no module: none declares the sources 'mail', 'x' with what is in it"
    assert told in done.stderr
    assert "reached no module" not in project.once(project.event(1)).stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("moment", [FIRST_MOMENT, LAST_MOMENT, 2.0**31])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_events_at_the_ends_of_the_calendar_are_run_through(
    project: Project, moment: float, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        event = json.loads(project.event(0)) | {"timestamp": moment}
        done = project.once(json.dumps(event))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert done.exit_code == 0
    assert "Done: 1 event, 1 wake" in done.stderr


@pytest.mark.exhaustive
def test_what_a_person_said_is_taught_at_the_next_start_once(project: Project) -> None:
    project.once(project.event(0))
    with project.log() as log:
        [route] = log.recent(kind="route")
    told = ["feedback", route.id[:8], "wrong", "--state", str(project.state)]
    noted = CliRunner().invoke(main, told)
    assert noted.exit_code == 0, noted.output
    assert "a route, of check_syntax was 0" in noted.stdout
    done = project.once(project.event(1))
    assert f"Learned: route {route.id[:8]} of check_syntax was 0." in done.stderr
    with project.log() as log:
        later, before = log.recent(2, kind="route")
    assert (to_plain(before.payload).get("taught"), to_plain(later.payload)["taught"]) == (None, 2)
    again = project.once(project.event(2))
    assert "Learned" not in again.stderr


@pytest.mark.exhaustive
def test_a_wake_that_a_killed_run_left_is_taken_up(project: Project) -> None:
    project.once(project.event(0))
    with project.log() as log:
        [wake] = log.recent()
        left = dict.fromkeys(("label", "labelled_at"))
        log.append(changed(wake, id="f" * 32, question="Check the syntax of nothing.py.", **left))
        log.append(changed(wake, id="e" * 32, payload=WakePayload("of watch"), **left))
        log.append(changed(wake, id="d" * 32, time=NOW - 1e6, **left))
    done = project.once(project.event(1))
    assert "ffffffff" in done.stdout
    assert "eeeeeeee" not in done.stdout
    assert "dddddddd" not in done.stdout
    with project.log() as log:
        assert len(log.followed("f" * 32)) >= 2


@pytest.mark.exhaustive
@confined
def test_with_its_link_on_the_control_agent_learns_and_keeps_what_it_learned(
    tmp_path: Path,
) -> None:
    pytest.importorskip("torch")
    project = Project(tmp_path, executive={"links": {"control": True}})
    done = project.once(project.event(0))
    assert done.exit_code == 0, done.output
    kept = (project.state / "plan-selector.pt").read_bytes()
    project.once(project.event(1))
    assert (project.state / "plan-selector.pt").read_bytes() != kept


def changed(record: Decision, **fields: Any) -> Decision:
    from dataclasses import replace

    return replace(record, **fields)


@pytest.mark.exhaustive
def test_a_ledger_in_use_ends_the_run_before_it_begins(project: Project) -> None:
    project.once(project.event(0))
    with Ledger(project.workspace / "ledger.sqlite"):
        refused = project.once(project.event(1))
    assert refused.exit_code == 2
    assert "ledger.sqlite" in refused.stderr
    assert refused.stdout == ""


def test_settings_that_cannot_be_are_told(project: Project, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text("executive: {acts: true}\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "--config", str(bad)])
    assert "(did you mean 'act'?)" in said(done)


@pytest.mark.exhaustive
@confined
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_live_a_saved_file_is_acted_on_and_a_signal_ends_it_cleanly(
    project: Project, number: int, code: int
) -> None:
    with watching(project.work, *project.words, command="run") as running:
        (project.work / "new.py").write_text("def f(:\n")
        lines = [running.line() for _ in range(3)]
        ended, more, errors = running.end(number)
    assert lines[0].endswith(f"Check the syntax of {project.work / 'new.py'}.")
    assert "check_syntax" in lines[1]
    assert "invalid syntax" in lines[2] or "invalid syntax" in " ".join(more)
    assert ended == code
    assert any(line.startswith("Stopped: 1 event, 1 wake") for line in errors)
    assert "Attended to 1 wake (1 done), 0 conclusions." in errors
    assert project.kinds() == ["act", "route", "wake"]


@pytest.mark.exhaustive
@confined
def test_live_a_persons_word_is_heard_within_seconds(project: Project) -> None:
    with watching(project.work, *project.words, command="run") as running:
        (project.work / "new.py").write_text("def f(:\n")
        for _ in range(3):
            running.line()
        with project.log() as log:
            [act] = log.recent(kind="act")
            log.add_label(act.id, 1.0, act.time)
        assert running.until("Learned: act")
        assert running.end()[0] == 130


@pytest.mark.exhaustive
@confined
def test_live_what_the_run_writes_itself_wakes_nobody(tmp_path: Path) -> None:
    project = Project(tmp_path)
    with watching(tmp_path, *project.words, command="run") as running:
        (project.work / "new.py").write_text("def f(:\n")
        for _ in range(3):
            running.line()
        (project.work / "end.py").write_text("x = 1\n")
        for _ in range(3):
            running.line()
        code, _, errors = running.end()
    assert code == 130
    assert any(line.startswith("Stopped: 2 events, 2 wakes") for line in errors)


@pytest.mark.exhaustive
def test_live_a_second_run_on_the_same_state_is_refused(project: Project) -> None:
    with watching(project.work, *project.words, command="run") as running:
        refused = CliRunner().invoke(main, ["run", str(project.work), *project.words])
        assert "is in use by another prefrontal watch" in said(refused)
        assert running.end()[0] == 130


@pytest.mark.exhaustive
@confined
def test_live_a_killed_run_loses_no_wake(project: Project) -> None:
    with watching(project.work, *project.words, command="run") as running:
        (project.work / "new.py").write_text("def f(:\n")
        begun = running.line()
        running.process.kill()  # in the middle of it: the tool is tried out before its first run
        running.ended()
    assert "act" not in project.kinds()
    with watching(project.work, *project.words, command="run") as again:
        lines = [again.line() for _ in range(3)]
        assert again.until("1 wake was left over and comes first.")
        assert again.end()[0] == 130
    assert lines[0] == begun
    assert "invalid syntax" in lines[2]
    assert project.kinds() == ["act", "route", "wake"]
    with Ledger(project.workspace / "ledger.sqlite", read_only=True) as ledger:
        assert list(ledger.interactions()) == []  # a folder is no peer
