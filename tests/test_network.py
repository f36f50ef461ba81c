"""Neither an import nor the start of a command reaches for a network, children included.

A library is loaded into each process before the C library and notes calls to internet addresses.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)
PATIENCE_S = 600
COMMAND = [sys.executable, "-m", "prefrontal"]
IMPORTS = """
import importlib, pkgutil, prefrontal
for module in pkgutil.walk_packages(prefrontal.__path__, "prefrontal."):
    if not module.name.endswith(("__main__", "._torch")):  # needs torch first
        importlib.import_module(module.name)
"""
STARTS = {  # command: its exit code; the state of one is there for the next
    "doctor": 0,
    "init --yes": 0,
    "gate watched": 1,
    "run --once events.jsonl": 0,
    "verify": 0,
    "decisions": 0,
    "replay --sample": 0,
    "replay --git .": 0,
    "route --plan summarize": 0,
    "cortex status": 0,
    "agent run --channel jsonl": 0,
    "mcp": 0,
}
SERVERS = [["watch", "watched"], ["dash", "--port", "0"]]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("network") / "network.so"
    source = Path(__file__).with_name("network.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", made, source, "-ldl"],
        check=True,
    )
    return made


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with a watched folder, a few events and a tool."""
    (tmp_path / "watched").mkdir()
    event = {"source": "filesystem", "location": "a.pdf", "delta_type": "created"}
    event["timestamp"] = 1_700_000_000.0  # type: ignore[assignment]
    (tmp_path / "events.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")
    tools = tmp_path / "workflows" / "shared_tools" / "summarize"
    tools.mkdir(parents=True)
    (tools / "matrix.py").write_text('"""Summarize a matrix."""\n\ndef run() -> int: ...\n')
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    return tmp_path


def environment(place: Path, library: Path) -> dict[str, str]:
    usual = {name: text for name, text in os.environ.items() if not name.startswith("PREFRONTAL_")}
    return {
        **usual,
        "HOME": str(place),
        "LD_PRELOAD": str(library),
        "NETWORK_NOTES": str(place / "notes"),
        "PREFRONTAL_STATE": str(place / "state"),
        "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
    }


def notes(place: Path) -> list[str]:
    return (place / "notes").read_text(encoding="utf-8").splitlines()


def reached(place: Path) -> list[str]:
    """What was noted but starts, of which there must be some."""
    lines = notes(place)
    assert any(line.startswith("start by ") for line in lines)
    return [line for line in lines if not line.startswith("start by ")]


def ended(command: Sequence[str], place: Path, library: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=place, env=environment(place, library), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def test_help_reaches_for_no_network(place: Path, library: Path) -> None:
    assert "Usage:" in ended([*COMMAND, "--help"], place, library).stdout
    assert reached(place) == []


@pytest.mark.exhaustive
def test_no_command_reaches_for_a_network(place: Path, library: Path) -> None:
    for words, code in STARTS.items():
        done = ended([*COMMAND, *words.split()], place, library)
        assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
        assert reached(place) == [], words
    assert any("git" in Path(line.split(" by ")[1]).name for line in notes(place))


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", SERVERS)
def test_no_server_reaches_for_a_network(words: list[str], place: Path, library: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, *words], cwd=place, env=environment(place, library), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline()  # it is ready
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert reached(place) == []


@pytest.mark.exhaustive
def test_no_module_reaches_for_a_network_when_it_is_imported(place: Path, library: Path) -> None:
    done = ended([sys.executable, "-c", IMPORTS], place, library)
    assert done.returncode == 0, done.stderr
    assert reached(place) == []


def test_an_attempt_is_noted_in_a_child_too(place: Path, library: Path) -> None:
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
    attempts = {
        f"{code}.connect(('127.0.0.1', 9))": "connect",
        f"{code}.sendto(b'x', ('127.0.0.1', 9))": "sendto",
        "import socket; socket.getaddrinfo('localhost', 9)": "getaddrinfo",
    }
    for attempt, call in attempts.items():
        ended(["sh", "-c", f'{sys.executable} -c "{attempt}"; true'], place, library)
        assert reached(place)[-1].startswith(f"{call} by ")
