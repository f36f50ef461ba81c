"""The server is killed under the page, and comes back."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.storage.state_folder import StateFolder

from .dash_on_screen import Screen
from .dash_samples import wake


@contextmanager
def dash(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "prefrontal", "dash", "--no-token", "--state", str(folder / "state"),
         "--workspace", str(folder / "workspace"), "--port", str(port)],
        stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(folder)},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found, process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.exhaustive
def test_a_killed_server_is_told_and_the_page_comes_back_by_itself(
    screen: Screen, tmp_path: Path
) -> None:
    folder = StateFolder(tmp_path / "state")
    folder.make()
    with DecisionLog(folder.decisions) as log:
        log.append(wake(id="first", question="First?"))
        with dash(tmp_path, 0) as (process, address):
            screen.open(address)
            process.send_signal(signal.SIGKILL)
            screen.until(lambda: "no connection" in screen.line())
            assert "does not answer" in screen.said()
            assert screen.find(".question .text").text == "First?"
            screen.click(".question button[value=accept]")
            screen.until(lambda: "nothing was kept" in screen.find("#trouble").text)
        log.append(wake(id="second", question="Second?"))
        screen.complaints()
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        with dash(tmp_path, port):
            screen.until(lambda: screen.line() == "live")
            screen.until(lambda: screen.find(".question .text").text == "Second?")
            assert "back" in screen.said()
            screen.click(".question button[value=accept]")  # with the key of the new start
            screen.until(lambda: labels(log) == {"first": None, "second": 1.0})
            screen.until(lambda: len(screen.all(".question")) == 1)


def labels(log: DecisionLog) -> dict[str, float | None]:
    return {each.id: each.label for each in log.records()}
