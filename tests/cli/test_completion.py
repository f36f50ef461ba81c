"""What a shell completes, and how little is imported for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from prefrontal.cli import COMMANDS, main
from prefrontal.cli.completion import SHELLS, VARIABLE, script
from prefrontal.decisions.log import DecisionLog

from .tree import TREE

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


@pytest.fixture
def command(tmp_path: Path) -> dict[str, str]:
    """An environment in which a shell finds `prefrontal`."""
    file = tmp_path / "prefrontal"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prefrontal "$@"\n')
    file.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    return environment | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb"}


def test_bash_completes_with_the_script(command: dict[str, str]) -> None:
    asked = f"""{script("bash")}
COMP_WORDS=(prefrontal feedback 12345678 use); COMP_CWORD=3
_prefrontal_completion prefrontal
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], capture_output=True, text=True, env=command, check=True
    )
    assert (done.stdout.split(), done.stderr) == (["useful", "useless"], "")


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("prefrontal feedback 12345678 use", ["useful", "useless"]),
        ("prefrontal replay --re", ["--recall", "--relevant", "--report"]),
        ("prefrontal dec", ["decisions"]),
    ],
)
def test_fish_completes_with_the_script(
    command: dict[str, str], line: str, words: list[str]
) -> None:
    asked = f"{script('fish')}\ncomplete -C '{line}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", asked],
        capture_output=True,
        text=True,
        env=command,
        check=True,
    )
    assert [each.partition("\t")[0] for each in done.stdout.splitlines()] == words


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("prefrontal feedback 12345678 usef", "prefrontal feedback 12345678 useful "),
        ("prefrontal replay --relev", "prefrontal replay --relevant "),
        ("prefrontal replay --relevant fol", "prefrontal replay --relevant followup "),
        ("prefrontal dec", "prefrontal decisions "),
    ],
)
def test_zsh_completes_with_the_script(
    tmp_path: Path, command: dict[str, str], line: str, whole: str
) -> None:
    """A person's Tab in a shell of its own; the completed line is what the shell would run."""
    (tmp_path / "_prefrontal").write_text(script("zsh"))
    asked = f"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'unsetopt zle_bracketed_paste; PS1=; fpath=({tmp_path} $fpath)'
zpty -w shell 'autoload -Uz compinit; compinit -D -u; keep() {{ print -r -- "$BUFFER" > line }}'
zpty -w shell 'zle -N keep; bindkey "^X^K" keep; print IS"READY"'
zpty -r shell out '*ISREADY*'
zpty -w -n shell $'{line}\t\x18\x0b'
repeat 600; do [[ -s line ]] && break; sleep 0.1; done
zpty -d shell
"""
    subprocess.run(["zsh", "-f", "-c", asked], env=command, cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "line").read_text() == f"{whole}\n"


def test_a_description_is_one_line() -> None:
    """zsh takes three lines for an entry: its kind, itself and what it is."""
    helps = [(name, each) for name, leaf in TREE.items() for each in leaf.params]
    assert not [
        (name, each.name)
        for name, each in helps
        if isinstance(each, click.Option) and "\n" in (each.help or "")
    ]


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
    assert completed("feedback", "--state", str(state), ids[0], "use") == ["useful", "useless"]


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
