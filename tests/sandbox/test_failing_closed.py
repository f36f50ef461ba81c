"""A sandbox that breaks is a failed run, never a free one; and what weaker levels still hold."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.sandbox import Limits, Policy, run
from prefrontal.sandbox import launching as launching_module
from prefrontal.sandbox.ladder import best_level, rung

from .driver import command_lines, survivors

pytestmark = pytest.mark.skipif(not best_level().works, reason=best_level().why)
LEVELS = [level for level in ("namespace", "landlock") if rung(level).works]
SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(9)"]


def launcher_that(does: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "launcher"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setattr(launching_module, "launcher", lambda: program)


@pytest.mark.parametrize(
    ("does", "note"),
    [
        ("exit 3", "the sandbox ended without a report"),
        ("echo status 0 >&1", "the sandbox ended without a report"),
        ('echo \'{"error":"no room"}\' >/proc/self/fd/$2', "no room"),
        ("echo '{\"exit_status\":0}' >/proc/self/fd/$2", "the sandbox ended without a report"),
        ("echo '[0]' >/proc/self/fd/$2", "the sandbox ended without a report"),
    ],
)
def test_a_launcher_that_does_not_report_success_is_a_failed_run(
    does: str, note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    best_level()  # found out with the real one
    launcher_that(does, tmp_path, monkeypatch)
    result = run(SLEEP, Limits(), Policy(tmp_path / "scratch"))
    assert (result.returncode, result.stopped_by, result.ok) == (None, "sandbox", False)
    assert result.notes == (note,)
    assert result.stderr.decode().splitlines()[-1] == note


def test_a_launcher_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    best_level()
    hanging = f"trap '' TERM; cd {tmp_path}/scratch; sleep 30 & wait; wait"
    launcher_that(hanging, tmp_path, monkeypatch)
    monkeypatch.setattr(launching_module, "GRACE_S", 0.2)
    began = time.monotonic()
    result = run(SLEEP, Limits(max_seconds=0.1), Policy(tmp_path / "scratch"))
    assert result.stopped_by == "sandbox" and time.monotonic() - began < 20
    assert survivors(tmp_path) == []


def test_a_launcher_that_cannot_be_started_is_a_failed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best_level()
    monkeypatch.setattr(launching_module, "launcher", lambda: Path("/nonexistent"))
    result = run(SLEEP, Limits(), Policy(tmp_path))
    assert result.returncode is None and "cannot be started" in result.notes[0]


@pytest.mark.parametrize("level", LEVELS)
def test_when_the_launcher_is_killed_the_run_has_failed_and_the_command_ends(
    level: str, tmp_path: Path
) -> None:
    def kill() -> None:
        while not (found := launchers(tmp_path)):
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(found[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    result = run(SLEEP, Limits(max_seconds=5), Policy(tmp_path, level=level))
    thread.join()
    assert (result.returncode, result.stopped_by) == (None, "sandbox")
    assert result.notes == ("the sandbox ended without a report",)
    assert survivors(tmp_path) == []


def launchers(scratch: Path) -> list[int]:
    """Processes that are the launcher of this scratch folder, the outermost first."""
    words = str(scratch).encode() + b"\0"
    lines = command_lines()
    return sorted(number for number, line in lines if number != os.getpid() and words in line)


@pytest.fixture
def greeter() -> Iterator[int]:
    """The port of a listener that greets once."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(5)

    def greet() -> None:
        try:
            client, _ = server.accept()
        except OSError:
            return
        client.send(b"hello")
        client.close()

    thread = threading.Thread(target=greet)
    thread.start()
    yield server.getsockname()[1]
    server.close()
    thread.join()


@pytest.mark.parametrize("level", LEVELS)
def test_with_network_it_connects_but_not_to_sockets_of_this_machine(
    level: str, tmp_path: Path, greeter: int
) -> None:
    program = f"""
import socket
print(socket.create_connection(('127.0.0.1', {greeter}), 3).recv(5))
for kind in (socket.AF_UNIX, socket.AF_PACKET):
    try:
        socket.socket(kind)
        print('ESCAPED')
    except OSError:
        pass
"""
    command = [sys.executable, "-I", "-c", program]
    result = run(command, Limits(), Policy(tmp_path, level=level, network=True))
    assert result.stdout == b"b'hello'\n", result.stderr


def test_without_confinement_the_limits_still_hold(tmp_path: Path) -> None:
    policy = Policy(tmp_path, level="none")
    looping = [sys.executable, "-c", "import os\nos.fork()\nwhile True: pass"]
    result = run(looping, Limits(max_seconds=0.3), policy)
    assert (result.stopped_by, result.killed, result.level) == ("time", 2, "none")
    hungry = run([sys.executable, "-c", "b'x' * 300_000_000"], Limits(max_mem_mb=200), policy)
    assert b"MemoryError" in hungry.stderr


def test_the_level_of_system_calls_alone_refuses_sockets(tmp_path: Path) -> None:
    program = "import socket; socket.socket()"
    result = run([sys.executable, "-c", program], Limits(), Policy(tmp_path, level="seccomp"))
    assert b"PermissionError" in result.stderr


def test_importing_the_sandbox_loads_nothing_heavy() -> None:
    program = "import sys, prefrontal.sandbox; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    assert not any(name in loaded for name in (b"'numpy'", b"'pydantic'", b"'yaml'", b"'asyncio'"))
