"""`prefrontal dash` as a command: where it listens, what it needs, how it starts and ends."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli.dash import dash, watching_process
from prefrontal.errors import InputError, SourceError

TOKEN = "a-token-that-is-long-enough"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Result:
    alone = [] if any("token" in each for each in words) else ["--no-token"]
    return CliRunner().invoke(dash, ["--state", "state", *alone, *words])


@contextmanager
def running(
    folder: Path, *words: str, port: int = 0
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the address that it told."""
    if not any(each.startswith("--token") for each in words):
        words = ("--no-token", *words)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PREFRONTAL_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "prefrontal", "dash", "--state", str(folder / "state"),
         "--port", str(port), *words],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path), "DASH_TOKEN": TOKEN},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found, process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


@contextmanager
def asked(address: str) -> Iterator[HTTPResponse]:
    """The answer of the server."""
    parts = urlsplit(address)
    with closing(HTTPConnection(parts.netloc, timeout=20)) as connection:
        connection.request("GET", f"{parts.path}?{parts.query}")
        with closing(connection.getresponse()) as answer:
            yield answer


def page_of(address: str) -> str:
    with asked(address) as answer:
        assert answer.status == 200
        return answer.read().decode()


def test_without_the_extra_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prefrontal.cli.dash.find_spec", lambda _: None)
    done = run()
    assert isinstance(done.exception, SourceError)
    assert str(done.exception) == ("this command needs a web server: pip install 'prefrontal[web]'")
    assert importlib.util.find_spec("starlette") is not None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_the_world_is_served_only_with_a_token(host: str) -> None:
    done = run("--host", host)
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("token must be set unless the host is this machine alone")
    assert "; --token-env NAME names" in str(done.exception)
    assert not Path("state").exists()


def test_a_token_must_be_set_and_long(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = run("--token-env", "NO_SUCH_TOKEN")
    assert str(missing.exception) == (
        "--token-env must name a variable that is set, got 'NO_SUCH_TOKEN'"
    )
    monkeypatch.setenv("SHORT_TOKEN", "short")
    short = run("--token-env", "SHORT_TOKEN")
    assert "token must have at least 16 characters" in str(short.exception)
    assert "'short'" not in str(short.exception)


def test_an_address_that_is_taken_is_one_sentence() -> None:
    with running(Path.cwd()) as (_, address):
        port = address.rsplit(":", 1)[1].strip("/")
        done = run("--port", port)
        assert isinstance(done.exception, SourceError)
        assert "is in use; --port 0 takes a free one" in str(done.exception)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_end_even_while_a_page_is_open(number: int) -> None:
    with running(Path.cwd()) as (process, address):
        page = page_of(address)
        assert "<title>Prefrontal</title>" in page
        assert "prefrontal watch FOLDER" in page
        with asked(f"{address}events") as stream:
            assert stream.readline().startswith(b"retry: ")
            process.send_signal(number)
            assert process.wait(20) == 128 + number
        assert process.stdout is not None
        assert process.stdout.read() == ""
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", [("--token-env", "DASH_TOKEN"), ("--token",)])
def test_with_a_token_the_link_that_is_told_opens_the_page(words: tuple[str, ...]) -> None:
    with running(Path.cwd(), *words) as (_, address):
        kept = Path("state", "http.token")
        secret = TOKEN if len(words) == 2 else kept.read_text().strip()
        assert address.endswith(f"/?token={secret}")
        with asked(address.partition("?")[0]) as refused:
            assert refused.status == 401
        with asked(address) as answer:
            assert "HttpOnly; SameSite=Strict" in (answer.getheader("set-cookie") or "")


@pytest.mark.exhaustive
def test_the_gate_that_watches_is_told_by_its_process() -> None:
    from prefrontal.storage.state_folder import StateFolder

    folder = StateFolder("state")
    folder.make()
    with folder.watched(), running(Path.cwd()) as (_, address):
        page = page_of(address)
        assert f"runs, process {os.getpid()}" in page


@pytest.mark.exhaustive
def test_the_modules_of_the_settings_are_shown() -> None:
    Path("prefrontal.yml").write_text(
        "threshold: 0.7\nmodules: [{module_id: bills, cluster: c, version: '1', "
        "question_template: '{location}?', default_threshold: 0.4}]",
        encoding="utf-8",
    )
    with running(Path.cwd(), "--config", "prefrontal.yml") as (_, address):
        page = page_of(address)
        assert "Threshold of bills" in page
        assert 'data-saved="0.70"' in page


def test_the_list_of_locks_is_read_without_taking_the_lock(tmp_path: Path) -> None:
    lock, listed = tmp_path / "watch.lock", tmp_path / "locks"
    assert watching_process(lock) is None
    lock.touch()
    assert watching_process(lock, tmp_path / "no list") is None
    inode = lock.stat().st_ino
    listed.write_text(
        f"1: POSIX  ADVISORY  WRITE 11 fd:00:{inode} 0 EOF\n"
        f"2: FLOCK  ADVISORY  WRITE 12 fd:00:1{inode} 0 EOF\n"
        f"3: FLOCK  ADVISORY  WRITE 13 fd:00:{inode} 0 EOF\n"
        f"3: -> FLOCK  ADVISORY  WRITE 14 fd:00:{inode} 0 EOF\n"
    )
    assert watching_process(lock, listed) == "13"
