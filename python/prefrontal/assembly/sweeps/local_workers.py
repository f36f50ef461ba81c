"""Worker processes on this machine, each asked a line and answering with one."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .pool import LostTask, Task
from .worker import read_answer

PATIENCE_S = 5.0


class LocalWorkers:
    """Processes of `worker`, one started for each task that finds none idle; `close` kills them."""

    def __init__(self, work: str, folder: str) -> None:
        self._words = [sys.executable, "-P", "-m", f"{__package__}.worker", work, folder]
        self._idle: list[subprocess.Popen[bytes]] = []
        self._busy: dict[int, tuple[subprocess.Popen[bytes], int]] = {}

    def ask(self, place: int, task: Task) -> None:
        process = self._idle.pop() if self._idle else self._started()
        assert process.stdin is not None and process.stdout is not None
        self._busy[process.stdout.fileno()] = (process, place)
        with suppress(BrokenPipeError):  # it was killed while it had nothing to do
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()

    def answered(self) -> Iterator[tuple[int, Any]]:
        for process, place, line in self._lines():
            if line.endswith(b"\n"):
                self._idle.append(process)
                yield place, read_answer(line)
            else:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_S)  # it closed its output, and is about to end
                code = _end(process)
                yield place, LostTask(f"signal {-code}" if code < 0 else f"exit code {code}")

    def close(self) -> None:
        for process in (*self._idle, *(each for each, _ in self._busy.values())):
            _end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        """In a group of its own: Ctrl-C at the terminal reaches the command alone."""
        return subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )

    def _lines(self) -> Iterator[tuple[subprocess.Popen[bytes], int, bytes]]:
        """Waits for one at least: the process, its task, and a line, cut short if it ended."""
        with selectors.DefaultSelector() as selector:
            for number in self._busy:
                selector.register(number, selectors.EVENT_READ)
            ready = [key.fd for key, _ in selector.select()]
        for number in ready:
            process, place = self._busy.pop(number)
            assert process.stdout is not None
            yield process, place, process.stdout.readline()


def _end(process: subprocess.Popen[bytes]) -> int:
    """Kill it with what it started, unless it ended; its exit code, negative for a signal."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
    return process.wait()
