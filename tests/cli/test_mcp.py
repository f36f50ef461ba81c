from __future__ import annotations

import importlib.util
import os
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli.mcp import mcp
from prefrontal.errors import InputError, SourceError

from .running import Running


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(mcp, ["--state", "state", *words])


def test_without_the_extra_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prefrontal.mcp_sdk.find_spec", lambda _: None)
    done = run()
    assert isinstance(done.exception, SourceError)
    assert str(done.exception) == (
        "this command needs the SDK of the protocol: pip install 'prefrontal[mcp]'"
    )
    assert done.stdout == ""
    assert importlib.util.find_spec("mcp") is not None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_the_world_is_served_only_with_a_token(host: str) -> None:
    done = run("--transport", "http", "--host", host)
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("token must be set unless the host is this machine alone")
    assert "; --token-env NAME names" in str(done.exception)
    assert not Path("state").exists()


def test_a_token_is_read_from_the_environment_and_must_be_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = run("--transport", "http", "--token-env", "NO_SUCH_TOKEN")
    assert str(missing.exception) == (
        "--token-env must name a variable that is set, got 'NO_SUCH_TOKEN'"
    )
    monkeypatch.setenv("SHORT_TOKEN", "short")
    short = run("--transport", "http", "--token-env", "SHORT_TOKEN")
    assert "token must have at least 16 characters" in str(short.exception)
    assert "'short'" not in str(short.exception)


def test_a_module_that_cannot_be_stops_the_start() -> None:
    Path("prefrontal.yml").write_text("modules: [{module_id: x}]", encoding="utf-8")
    done = run("--config", "prefrontal.yml")
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("modules[0]: fingerprint must have the keys")
    assert done.stdout == ""


def test_settings_are_those_of_the_person_and_not_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Path("prefrontal.yml").write_text("threshold: of-a-stranger", encoding="utf-8")
    own = tmp_path / "home/.prefrontal/prefrontal.yml"
    own.parent.mkdir(parents=True)
    own.write_text("recall: my-own", encoding="utf-8")
    done = run("--transport", "http", "--host", "example.org")
    assert isinstance(done.exception, InputError)
    assert "recall" in str(done.exception)
    own.unlink()
    assert "token must be set" in str(run("--transport", "http", "--host", "example.org").exception)


def test_who_starts_it_at_a_terminal_is_told_whom_it_speaks_to(tmp_path: Path) -> None:
    terminal, end = os.openpty()
    with closing(Running("--state", tmp_path / "state", command="mcp", stdin=end)) as server:
        assert "add it to your agent" in server.line("err")
        code, output, _ = server.end()
    assert (code, output) == (130, [])
    os.close(terminal)
    os.close(end)


def test_help_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prefrontal.mcp_sdk.find_spec", lambda _: None)
    done = run("--help")
    assert done.exit_code == 0
    assert "--transport" in done.stdout
