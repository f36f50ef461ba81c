"""What a shell completes, and how little is imported for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from prefrontal.cli import COMMANDS, main
from prefrontal.cli.completion import SHELLS, VARIABLE, script
from prefrontal.decisions.log import DecisionLog

SHARE = Path(__file__).parents[2] / "share"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "state"


def completed(*words: str) -> list[str]:
    """What stands to choose for the last word."""
    *before, typed = words
    found = ShellComplete(main, {}, "prefrontal", VARIABLE).get_completions(before, typed)
    return [each.value for each in found]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_each_shell_is_printed(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert (done.exit_code, done.stdout) == (0, script(shell))
    assert f"{VARIABLE}={shell}_complete" in done.stdout
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_bash_completes_with_the_script(tmp_path: Path, state: Path) -> None:
    command = tmp_path / "prefrontal"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prefrontal "$@"\n')
    command.chmod(0o755)
    asked = f"""{script("bash")}
COMP_WORDS=(prefrontal feedback 12345678 use); COMP_CWORD=3
_prefrontal_completion prefrontal
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], capture_output=True, text=True, env=environment, check=True
    )
    assert (done.stdout.split(), done.stderr) == (["useful", "useless"], "")


def test_commands_and_options_are_completed() -> None:
    assert completed("") == sorted(COMMANDS)
    assert completed("de") == ["decisions"]
    assert completed("route", "tools", "pro") == ["promote"]
    assert "--recall" in completed("replay", "--re")
    assert completed("replay", "--relevant", "") == [
        "path:",
        "message:",
        "followup",
        "fixed-later",
        "noop",
        "recorded",
    ]


def test_names_that_are_kept_are_completed(state: Path) -> None:
    (state / "modules").mkdir(parents=True)
    (state / "modules" / "tax%2Finvoices.json").write_text("{}")
    assert completed("modules", "remove", "--state", str(state), "tax") == ["tax/invoices"]
    CliRunner().invoke(main, ["memory", "store", "shopping", "Flour"])
    assert completed("memory", "get", "sh") == ["shopping"]


def test_decisions_are_completed_by_their_ids(state: Path) -> None:
    state.mkdir()
    with DecisionLog(state / "decisions.sqlite"):
        pass
    assert completed("explain", "--state", str(state), "") == []
    CliRunner().invoke(main, ["run", "--state", str(state), "--once", "-"], input="")
    event: dict[str, object] = {"source": "filesystem", "location": "/in/1.pdf"}
    event |= {"delta_type": "created", "magnitude": 1.0, "timestamp": 1.0}
    done = CliRunner().invoke(
        main, ["run", "--state", str(state), "--once", "-", "--json"], input=json.dumps(event)
    )
    assert done.exit_code == 0, done.output
    ids = completed("explain", "--state", str(state), "")
    assert ids
    assert all(len(each) == 8 for each in ids)
    assert completed("feedback", "--state", str(state), ids[0][:3])[0].startswith(ids[0][:3])


def test_what_cannot_be_read_completes_nothing_and_says_nothing(state: Path) -> None:
    state.mkdir()
    (state / "decisions.sqlite").write_text("this is no database " * 100)
    assert completed("explain", "--state", str(state), "") == []
    assert completed("explain", "--state", str(state / "nowhere"), "") == []
    assert completed("memory", "get", "--config", "nowhere.yml", "") == []


def test_completing_a_command_imports_none() -> None:
    code = """\
import os, sys
os.environ |= {"COMP_WORDS": "prefrontal ", "COMP_CWORD": "1"}
os.environ["_PREFRONTAL_COMPLETE"] = "bash_complete"
from prefrontal.cli import main
try:
    main(prog_name="prefrontal")
except SystemExit:
    print(*sorted(sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == len(COMMANDS)
    loaded = set(done.stderr.split())
    assert not loaded & {"numpy", "pydantic", "apsw", "rich", "yaml", "prefrontal._core"}
    assert not loaded & {home.partition(":")[0] for home, _ in COMMANDS.values()}


def test_the_installation_carries_the_manual_and_the_scripts() -> None:
    files = {each.as_posix(): each for each in distribution("prefrontal").files or []}
    for path in sorted(each for each in SHARE.rglob("*") if each.is_file()):
        place = path.relative_to(SHARE.parent).as_posix()
        found = next((each for name, each in files.items() if name.endswith(place)), None)
        assert found is not None, f"{place} is not installed"
        assert Path(str(found.locate())).read_text() == path.read_text()
