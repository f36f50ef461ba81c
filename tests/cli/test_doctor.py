"""`prefrontal doctor`: what this machine offers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import click.testing
import numpy as np
import pytest
import watchfiles

from prefrontal import _core
from prefrontal.cli import main
from prefrontal.cli.doctor import (
    PURPOSES,
    conversations_of,
    inotify_limits,
    levels,
    partitions_of,
    print_table,
    sqlite_note,
    storage_of,
)
from prefrontal.decisions.log import DecisionLog
from prefrontal.runtime.conversation.store import ConversationStore, conversations_path
from prefrontal.storage.opening import open_database


def run(*arguments: str) -> click.testing.Result:
    return click.testing.CliRunner().invoke(main, ["doctor", *arguments])


def test_json_is_one_object_with_what_is_installed() -> None:
    result = run("--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["instruction_set"] in found["instruction_sets"] == _core.instruction_sets()
    assert found["prefrontal"] == _core.__version__
    assert found["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert found["numpy"] == np.__version__
    assert found["sqlite"]["version"] == apsw.sqlite_lib_version()
    assert found["sqlite"]["apsw"] == apsw.apsw_version()
    assert found["watchfiles"] == watchfiles.VERSION
    assert found["cpus"] == os.cpu_count()


def test_extras_name_each_distribution_with_its_version_or_null() -> None:
    extras = json.loads(run("--json").stdout)["extras"]
    assert {"plot", "dev", "validate"} <= set(extras)
    assert list(extras["plot"]) == ["matplotlib"]
    assert extras["dev"]["pytest"] == pytest.__version__


def test_the_table_names_every_part() -> None:
    result = run()
    assert result.exit_code == 0
    for name in (
        "prefrontal",
        "Python",
        "instruction set",
        "numpy",
        "git",
        "SQLite",
        "watchfiles",
        "[plot]",
    ):
        assert name in result.stdout


def test_every_extra_has_a_purpose_or_is_for_developers() -> None:
    developers = {"audit", "bench", "coverage", "dev", "server", "wheel"}
    extras = set(json.loads(run("--json").stdout)["extras"])
    assert extras == set(PURPOSES) | developers
    assert "[dev]" not in run().stdout
    assert "[dev]" in run("--all").stdout


def test_settings_and_folders_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.delenv("PREFRONTAL_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("--json").stdout)["settings"] == {"file": None, "fault": None}
    assert "`prefrontal init` writes" in run().stdout
    file = tmp_path / "prefrontal.yml"
    file.write_text("state: kept\nworkspace: agent\n")
    (tmp_path / "kept").mkdir()
    facts = json.loads(run("--json").stdout)
    assert facts["settings"] == {"file": str(file), "fault": None}
    assert facts["folders"] == {"state": str(tmp_path / "kept"), "agent": str(tmp_path / "agent")}
    file.write_text("recall: 8\n")
    facts = json.loads(run("--json").stdout)
    assert facts["settings"]["fault"].startswith(f"{file}, line 1: recall must be a number")
    assert facts["folders"] == {"state": None, "agent": None}
    assert "not usable" in run().stdout


def test_a_missing_git_is_told_and_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert json.loads(run("--json").stdout)["git"] is None
    assert "needs it" in run().stdout


@pytest.mark.parametrize(
    ("version", "defective"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
    ],
)
def test_only_the_versions_with_the_wal_defect_get_a_note(
    version: tuple[int, ...], defective: bool
) -> None:
    assert (sqlite_note(version) is not None) == defective


def test_an_unknown_instruction_set_is_one_sentence_and_exit_code_2() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "prefrontal", "doctor"],
        env={**os.environ, "PREFRONTAL_ISA": "v9"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.startswith("Error: PREFRONTAL_ISA must be one of")
    assert result.stderr.rstrip().endswith("got 'v9'")
    assert result.stderr.count("\n") == 1


def test_the_limits_of_inotify_are_read_where_there_are_some(tmp_path: Path) -> None:
    assert inotify_limits(tmp_path) is None
    (tmp_path / "max_user_watches").write_text("100\n")
    assert inotify_limits(tmp_path) == {"max_user_watches": 100}
    (tmp_path / "max_user_watches").write_text("many\n")
    assert inotify_limits(tmp_path) is None


def test_the_levels_of_the_sandbox_are_told_with_what_is_missing() -> None:
    found = json.loads(run("--json").stdout)["sandbox"]
    assert list(found) == ["namespace", "landlock", "landlock-fs", "seccomp", "none"]
    assert found["none"] is None
    assert all(why is None or why.strip() for why in found.values())


def test_the_row_of_the_sandbox_names_the_level_and_why_none_is_stronger() -> None:
    assert levels({"namespace": None, "none": None}) == "level namespace"
    without = {"namespace": "no user namespaces", "landlock": None}
    assert levels(without) == "level landlock; not namespace: no user namespaces"


@pytest.mark.parametrize(
    ("content", "place", "fault"),
    [
        ("postgresql://127.0.0.1:1/none?schema=s", "/none?schema=s", "extra|start"),
        ("postgresql://localhost:1/none?schema=;", "decisions.sqlite", "names no store"),
        ("no database, nor a name of one", "decisions.sqlite", "is not a database"),
    ],
)  # fmt: skip
def test_where_decisions_lie_is_shown_and_what_is_wrong_with_it(
    tmp_path: Path, content: str, place: str, fault: str
) -> None:
    path = tmp_path / "decisions.sqlite"
    assert storage_of(path) == {"place": None, "fault": None}
    path.write_text(content)
    facts = storage_of(path)
    assert str(facts["place"]).endswith(place)
    assert re.search(fault, str(facts["fault"]))


def test_damaged_conversations_are_shown_with_what_to_do(tmp_path: Path) -> None:
    path = conversations_path(tmp_path)
    assert conversations_of(None) == conversations_of(tmp_path) == {"place": None, "fault": None}
    ConversationStore(path).close()
    assert conversations_of(tmp_path) == {"place": str(path), "fault": None}
    path.write_bytes(b"no database at all" * 99)
    assert "`prefrontal memory repair` saves what" in str(conversations_of(tmp_path)["fault"])


@pytest.mark.parametrize(
    ("url", "place", "fault"),
    [
        (
            "postgresql://127.0.0.1:1/a",
            "postgresql://127.0.0.1:1/a?schema=prefrontal",
            "cannot reach",
        ),
        ("postgresql://ada:secret@localhost/a", "storage.url", "storage must hold no password"),
    ],
)
def test_partitions_whose_server_does_not_answer_are_told(url: str, place: str, fault: str) -> None:
    found = partitions_of(url)
    assert (found["place"], found["held"], found["all"]) == (place, 0, 0)
    assert fault in str(found["fault"])
    assert "secret" not in str(found)


def test_a_store_of_a_newer_release_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    DecisionLog(path).close()
    assert storage_of(path)["fault"] is None
    with closing(open_database(path)) as database, database.transaction():
        database.note_schema_version(99)
    assert "newer release (schema 99" in (storage_of(path)["fault"] or "")


def test_a_long_place_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    place = "postgresql://ada@db.internal:5432/" + "prefrontal" * 12
    print_table([("storage", place)])
    assert "".join(line.split()[-1] for line in capsys.readouterr().out.splitlines()) == place


def test_a_place_that_is_no_text_is_shown_as_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_STATE", os.fsdecode(os.fsencode(tmp_path) + b"/a\xff\x1b[2J"))
    result = run()
    assert result.exit_code == 0
    assert f" {tmp_path}/a\N{REPLACEMENT CHARACTER}[2J, not there yet" in result.stdout


def test_a_pipe_gets_each_row_on_a_line_without_blanks_at_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table([("storage", "one word " * 30), ("git", "2.39")])
    assert capsys.readouterr().out == f"storage  {'one word ' * 30}".rstrip() + "\ngit      2.39\n"


def test_a_place_that_cannot_be_looked_at_or_written_is_told_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 300)
    fault = "it cannot be looked at: File name too long"
    assert storage_of(long / "decisions.sqlite") == {
        "place": str(long / "decisions.sqlite"),
        "fault": fault,
    }
    monkeypatch.setenv("PREFRONTAL_STATE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    words = " ".join(run().stdout.split())
    assert "not usable" in words and "you may not write there" in words
