"""Where nobody knows the home folder, as of a container's user that is in no list of users."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.cli.gate.cache import CallFile
from prefrontal.cli.paths import home_short
from prefrontal.errors import InputError, SourceError
from prefrontal.home_folder import expanded, home_folder, known_home
from prefrontal.installation.programs import Caller
from prefrontal.installation.runtimes import runtimes_here
from prefrontal.installation.targets.systemd import systemd
from prefrontal.ledger.location import ledger_path
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.runtime.workspace_files import locate
from prefrontal.settings import parse_settings
from prefrontal.storage.state_folder import default_state

SENTENCE = "HOME must be set to a folder of yours, got no HOME and no user"


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder that we are in, without a home."""

    def unknown(_: int | str) -> NoReturn:
        raise KeyError

    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "PREFRONTAL_STATE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(pwd, "getpwnam", unknown)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_a_path_is_told_whose_home_is_meant(no_home: Path) -> None:
    assert known_home() is None
    with pytest.raises(SourceError, match=SENTENCE):
        home_folder()
    with pytest.raises(SourceError, match=SENTENCE):
        expanded("~/inbox")
    with pytest.raises(InputError, match=r"a user of this machine after ~, got '~ada/inbox'"):
        expanded("~ada/inbox")
    assert expanded("inbox") == Path("inbox")


def test_every_path_of_the_settings_is_told_whose_home_is_meant(no_home: Path) -> None:
    for resolve in (parse_settings({}).path, partial(locate, None)):
        with pytest.raises(SourceError, match=SENTENCE):
            resolve("~/inbox")
        with pytest.raises(InputError, match="a user of this machine after ~, got '~ada/inbox'"):
            resolve("~ada/inbox")
    with pytest.raises(SourceError, match=SENTENCE):
        ledger_path("~/ledger.sqlite", no_home)
    fingerprint = {
        "module_id": "inbox",
        "cluster": "mail",
        "version": "1",
        "question_template": "New?",
        "default_threshold": 0.5,
        "signal_priors": {"filesystem": {"watch_directories": ["~/inbox"]}},
    }
    with pytest.raises(InputError, match=rf"watch_directories.*{SENTENCE}"):
        parse_fingerprint(fingerprint)


@pytest.mark.parametrize("value", ["", "here", "./here", "~"])
def test_an_empty_variable_counts_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """And so does a relative one."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, value)
    user = list(pwd.getpwuid(os.getuid()))
    user[5] = str(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd(user))
    assert known_home() == home_folder() == expanded("~") == tmp_path
    assert default_state() == tmp_path / ".local/state/prefrontal"
    assert CallFile("key", "fault").path.startswith(f"{tmp_path}/.cache/prefrontal/")
    caller = Caller(["prefrontal"], tmp_path / "prefrontal.yml")
    [(place, _)] = systemd(caller).pieces
    assert place.name.startswith(f"{tmp_path}/.config/systemd/user/")


def test_paths_without_a_home_stay_as_they_are(no_home: Path) -> None:
    assert home_short("/root/x") == "/root/x"
    assert runtimes_here() == []


@pytest.mark.parametrize(
    "words",
    [
        *(["decisions"], ["verify"], ["shadow"], ["storage", "status"], ["memory", "list"]),
        ["watch", "."],
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_needs_a_home_says_so(no_home: Path, words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {SENTENCE}")


def test_what_needs_no_home_goes_on(no_home: Path) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert found["settings"]["fault"].startswith(SENTENCE)
    assert json.loads(run("init", "new", "--json").stdout)["file"].endswith("new/prefrontal.yml")
    assert run("decisions", "--state", "here").stderr.startswith("Error: here holds no decisions")


def test_a_gate_keeps_nothing_in_the_folder_where_it_is_called(no_home: Path) -> None:
    file = CallFile("key", "fault")
    assert not file.write(["one"])
    assert file.read() is None
    file.forget()
    assert not list(no_home.iterdir())


def test_the_gate_wakes_and_says_why(tmp_path: Path) -> None:
    code = (
        "import pwd, sys\n"
        "def unknown(_): raise KeyError\n"
        "pwd.getpwuid = unknown\n"
        "from prefrontal.__main__ import main\n"
        "sys.argv = ['prefrontal', 'gate']\n"
        "main()\n"
    )
    kept = {k: v for k, v in os.environ.items() if k != "HOME" and not k.startswith("XDG_")}
    words = [sys.executable, "-c", code]
    told = subprocess.run(
        words, check=False, cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=60
    )
    assert told.returncode == 0
    assert f"NO DECISION, so the answer is WAKE: {SENTENCE}" in told.stderr
    assert not list(tmp_path.iterdir())
