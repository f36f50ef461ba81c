"""Commands that need not import anything: each is a fork of one process that has.

What a command does is all there, its processes, limits and answers; only the start of an
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
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prefrontal.__main__ import main

PATIENCE_S = 60.0
LOOK_AGAIN_S = 0.005
_WITH_TORCH = ("prefrontal._torch", "prefrontal.control", "prefrontal.executive.selector")


class ForkedCommand:
    """One command; `process` leads a process group of its own."""

    def __init__(self, process: int, output: Path, errors: Path) -> None:
        self.process = process
        self._output = output
        self._errors = errors
        self._end = os.pidfd_open(process)

    def is_over(self, timeout_s: float) -> bool:
        """Whether it ended within that time."""
        return bool(select.select([self._end], [], [], timeout_s)[0])

    def until(self, words: str) -> None:
        """Wait until standard error holds them."""
        end = time.monotonic() + PATIENCE_S
        while words not in (text := self._errors.read_text()):
            if self.is_over(LOOK_AGAIN_S) or time.monotonic() > end:
                raise AssertionError(f"no {words!r} in {text!r}")

    def kill(self) -> None:
        """End all of it at once."""
        os.killpg(self.process, signal.SIGKILL)
        assert self.is_over(PATIENCE_S)

    def output(self) -> str:
        """What it printed; it is over then."""
        os.close(self._end)
        return self._output.read_text()


class Forks:
    """Begins commands, one after the other."""

    def __init__(self, server: subprocess.Popen[str], folder: Path) -> None:
        self._server = server
        self._output, self._errors = folder / "output", folder / "errors"

    def begin(self, *words: str) -> ForkedCommand:
        """words: of the command line, "prefrontal" left out."""
        assert self._server.stdin is not None and self._server.stdout is not None
        for file in (self._output, self._errors):
            file.write_text("")
        line = json.dumps([str(self._output), str(self._errors), *words])
        print(line, file=self._server.stdin, flush=True)
        process = int(self._server.stdout.readline())
        return ForkedCommand(process, self._output, self._errors)


@contextmanager
def forks(folder: Path, *modules: str) -> Iterator[Forks]:
    """For commands that need these modules, and those that this process has imported so far.

    What needs torch is left out: other tests of this process may have loaded it.
    """
    imported = (name for name in sys.modules if name.startswith("prefrontal."))
    imported = (name for name in imported if not name.startswith(_WITH_TORCH))
    names = sorted({*imported, *modules} - {"prefrontal.__main__"})
    with subprocess.Popen(
        [sys.executable, "-m", __name__, *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={k: v for k, v in os.environ.items() if k != "PREFRONTAL_STATE"},
    ) as server:
        try:
            yield Forks(server, folder)
        finally:
            assert server.stdin is not None
            server.stdin.close()
            server.wait(PATIENCE_S)


def serve(modules: list[str]) -> None:
    """Fork for each line of standard input: files for both outputs, and words."""
    for name in modules:
        with suppress(ImportError):  # of an extra that is only there as a test's double
            importlib.import_module(name)
    before = 0
    for line in sys.stdin:
        if before:
            os.waitpid(before, 0)  # no sooner, so that its number is nobody else's
        output, errors, *sys.argv[1:] = json.loads(line)
        before = os.fork()
        if before == 0:
            os.setpgid(0, 0)
            for stream, file in enumerate((output, errors), start=1):
                os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND), stream)
            main()
        os.setpgid(before, before)  # both do, so that it leads its group before anybody knows it
        print(before, flush=True)
    if before:
        os.waitpid(before, 0)


if __name__ == "__main__":
    serve(sys.argv[1:])
