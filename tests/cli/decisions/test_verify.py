"""`prefrontal verify`, on a log that a gate wrote."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.gate_module import VERSION
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

INVOICES = parse_fingerprint(
    {
        "module_id": "invoices",
        "cluster": "money",
        "version": "1",
        "question_template": "{location}: an invoice?",
        "default_threshold": 0.6,
        "signal_priors": {
            "filesystem": {"watch_directories": ["/in"], "relevant_extensions": [".pdf"]}
        },
    }
)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PREFRONTAL_STATE", str(tmp_path))
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        settings = GateSettings(log_refusals=True, audit_share=0.0)
        told = Stepper(log, [INVOICES], settings, clock=ManualClock())
        with told as gate:
            for name in ("a.pdf", "b.txt", "c.pdf"):
                gate.wake(SignalEvent("filesystem", f"/in/{name}", "created", 1.0, 1_700_000_000.0))
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["verify", *words])


def change(state: Path, sql: str) -> None:
    with closing(sqlite3.connect(state / "decisions.sqlite")) as other:
        other.execute(sql)
        other.commit()


def test_a_log_as_it_was_written_has_no_difference(state: Path) -> None:
    result = run()
    assert (result.exit_code, result.output) == (
        0,
        "3 decisions of 1 start were made again: no difference.\n",
    )


def test_one_decision_is_told_as_one(state: Path) -> None:
    change(state, "DELETE FROM decisions WHERE seq > (SELECT min(seq) FROM decisions)")
    assert run().output.startswith("1 decision of 1 start was made again: no difference.\n")


def test_what_comes_out_otherwise_is_shown_and_is_exit_code_3(state: Path) -> None:
    change(state, "UPDATE decisions SET score = 0.75 WHERE reason = 'below_threshold'")
    result = run()
    assert result.exit_code == 3
    heading, columns, row = result.output.splitlines()
    assert heading == "3 decisions of 1 start were made again: 1 difference."
    assert columns.split() == ["id", "kind", "what", "was", "now"]
    assert row.split()[1:4] == ["wake", "score", "0.75"]


def test_json_holds_the_counts_and_the_differences(state: Path) -> None:
    change(state, "UPDATE decisions SET question = 'Why?' WHERE events LIKE '%a.pdf%'")
    result = run("--json")
    assert result.exit_code == 3
    told = json.loads(result.output)
    [difference] = told.pop("differences")
    rules = {"version": VERSION, "decided": {str(VERSION): 3}, "differing": {str(VERSION): 1}}
    assert told == {
        "decided": 3, "starts": 1, "rules": rules, "left": {}, "lost": 0, "differing": 1,
    }  # fmt: skip
    assert difference | {"id": ""} == {
        "id": "",
        "kind": "wake",
        "field": "question",
        "was": "Why?",
        "now": "/in/a.pdf: an invoice?",
    }


def test_what_cannot_be_made_again_is_told(state: Path) -> None:
    change(state, "DELETE FROM states WHERE name LIKE 'start %'")
    result = run()
    assert result.exit_code == 0
    first, second = result.output.splitlines()
    assert first == "0 decisions of 0 starts were made again: no difference."
    assert second.startswith("3 decisions could not be made again: kept without")
    change(state, "DELETE FROM decisions WHERE seq > (SELECT min(seq) FROM decisions)")
    assert "\n1 decision could not be made again: kept without" in run().output


def of_release(state: Path, version: int, **more: object) -> None:
    """Let the start of the log be one of a release that decided by that version of the rules."""
    with closing(sqlite3.connect(state / "decisions.sqlite")) as other:
        sql = "SELECT name, content FROM states WHERE name LIKE 'start %'"
        [(name, content)] = other.execute(sql)
        start = json.loads(zlib.decompress(content)) | {"version": version} | more
        changed = zlib.compress(json.dumps(start).encode())
        other.execute("UPDATE states SET content = ? WHERE name = ?", (changed, name))
        other.commit()


def test_decisions_by_the_rules_of_an_earlier_release_are_told_as_such(state: Path) -> None:
    of_release(state, 6)  # whose scores differ in their rounding
    change(state, "UPDATE decisions SET score = 0.75 WHERE reason = 'below_threshold'")
    result = run()
    assert result.exit_code == 3
    assert result.output.splitlines()[1] == (
        "3 of them by version 6 of the rules, of an earlier release, and again by it (today's is"
        f" {VERSION}): 4 differences."
    )
    told = json.loads(run("--json").output)
    assert told["rules"]["differing"] == {"6": 4}
    [changed] = [each for each in told["differences"] if each["was"] == 0.75]
    assert changed["field"] == "score"


def test_decisions_by_the_rules_of_a_later_release_are_not_compared(state: Path) -> None:
    of_release(state, 99, unknown_here=True)
    change(state, "UPDATE decisions SET score = 0.75 WHERE reason = 'below_threshold'")
    result = run()
    assert result.exit_code == 0
    assert result.output.splitlines()[1] == (
        "3 decisions could not be made again: made by version 99 of the rules, of a later release;"
        f" this one knows those up to {VERSION}."
    )


def test_settings_name_the_state(state: Path, tmp_path: Path) -> None:
    config = tmp_path / "other" / "prefrontal.yml"
    config.parent.mkdir()
    config.write_text(f"state: {json.dumps(str(state))}\n", encoding="utf-8")
    assert run("--config", str(config)).output.startswith("3 decisions of 1 start")


def test_a_folder_without_a_log_is_one_sentence(tmp_path: Path) -> None:
    result = run("--state", str(tmp_path / "none"))
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "holds no decisions yet" in result.output


def test_a_wake_without_its_moment_is_a_damaged_log(state: Path) -> None:
    change(state, "UPDATE decisions SET details = json_remove(details, '$.event')")
    result = run()
    assert result.exit_code == 2
    assert "the log is damaged" in result.output


def test_the_log_is_that_of_the_settings(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFRONTAL_STATE")
    config = tmp_path / "other.yml"
    config.write_text(f"state: {state}\n")
    assert run("--config", str(config)).output.startswith("3 decisions of 1 start")
