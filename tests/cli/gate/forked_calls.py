"""Calls of the gate that need not import it: each is a fork of one process that has.

What a call does is all there, its two processes, its limit and its answer; only the start of an
interpreter is left out, in which nothing is read or written that could be lost.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefrontal.cli.gate.supervisor import answer_words

from .turns import PATIENCE_S


class ForkedCall:
    """One call; `process` leads a process group of its own."""

    def __init__(self, process: int, output: Path) -> None:
        self.process = process
        self._output = output
        self._end = os.pidfd_open(process)

    def is_over(self, timeout_s: float) -> bool:
        """Whether it ended within that time."""
        return bool(select.select([self._end], [], [], timeout_s)[0])

    def kill(self) -> None:
        """End all of it at once."""
        os.killpg(self.process, signal.SIGKILL)
        assert self.is_over(PATIENCE_S)

    def output(self) -> str:
        """What it printed; it is over then."""
        os.close(self._end)
        return self._output.read_text()


class GateForks:
    """Begins calls, one after the other."""

    def __init__(self, server: subprocess.Popen[str], folder: Path) -> None:
        self._server = server
        self._output = folder / "output"

    def begin(self, *words: str) -> ForkedCall:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._output.write_text("")
        print(json.dumps([str(self._output), *words]), file=self._server.stdin, flush=True)
        return ForkedCall(int(self._server.stdout.readline()), self._output)


@contextmanager
def gate_forks(folder: Path) -> Iterator[GateForks]:
    """For calls that need the modules which this process has imported so far."""
    modules = sorted(name for name in sys.modules if name.startswith("prefrontal."))
    with subprocess.Popen(
        [sys.executable, "-m", __name__, *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as server:
        try:
            yield GateForks(server, folder)
        finally:
            assert server.stdin is not None
            server.stdin.close()
            server.wait(PATIENCE_S)


def serve(modules: list[str]) -> None:
    """Fork for each line of standard input: a file for the output, and words."""
    for name in modules:
        importlib.import_module(name)
    before = 0
    for line in sys.stdin:
        if before:
            os.waitpid(before, 0)  # no sooner, so that its number is nobody else's
        output, *words = json.loads(line)
        before = os.fork()
        if before == 0:
            os.setpgid(0, 0)
            os.dup2(os.open(output, os.O_WRONLY | os.O_APPEND), 1)
            answer_words(words)
        os.setpgid(before, before)  # both do, so that it leads its group before anybody knows it
        print(before, flush=True)
    if before:
        os.waitpid(before, 0)


if __name__ == "__main__":
    serve(sys.argv[1:])
