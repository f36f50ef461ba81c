"""Worker processes that are asked one task each at a time; one that is killed is replaced."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from ...errors import InputError

TRIES = 3
"""How often a task is tried whose worker ended before it had answered."""

PATIENCE_S = 5.0

Task = dict[str, Any]


class LostTask:
    """In place of an answer: each worker that had the task ended. why: how the last one did."""

    def __init__(self, code: int) -> None:
        self.why = f"signal {-code}" if code < 0 else f"exit code {code}"


class WorkerPool:
    """At most `jobs` processes of `worker`, each started when there is a task for it.

    restarts: how many workers were replaced. On leaving the `with` all are killed.
    """

    def __init__(self, work: str, folder: str, jobs: int) -> None:
        self._words = [sys.executable, "-P", "-m", f"{__package__}.worker", work, folder]
        self._jobs = jobs
        self._idle: list[subprocess.Popen[bytes]] = []
        self._busy: dict[int, tuple[subprocess.Popen[bytes], int]] = {}
        self.restarts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in (*self._idle, *(each for each, _ in self._busy.values())):
            _end(process)

    def answers(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        """The place of each task and its answer, or a LostTask, in the order they come.

        Raises InputError with the sentence of the first task that is refused.
        """
        waiting, tries = deque(range(len(tasks))), [0] * len(tasks)
        while waiting or self._busy:
            while waiting and len(self._busy) < self._jobs:
                place = waiting.popleft()
                tries[place] += 1
                self._ask(place, tasks[place])
            for process, place, line in self._answered():
                if line.endswith(b"\n"):
                    self._idle.append(process)
                    yield place, _answer(line)
                    continue
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_S)  # it closed its output, and is about to end
                code = _end(process)
                if tries[place] < TRIES:
                    self.restarts += 1
                    waiting.appendleft(place)
                else:
                    yield place, LostTask(code)

    def _ask(self, place: int, task: Task) -> None:
        process = self._idle.pop() if self._idle else self._started()
        assert process.stdin is not None and process.stdout is not None
        self._busy[process.stdout.fileno()] = (process, place)
        with suppress(BrokenPipeError):  # it was killed while it had nothing to do
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()

    def _started(self) -> subprocess.Popen[bytes]:
        """In a group of its own: Ctrl-C at the terminal reaches the command alone."""
        return subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )

    def _answered(self) -> Iterator[tuple[subprocess.Popen[bytes], int, bytes]]:
        """Waits for one at least: the process, its task, and a line, cut short if it ended."""
        with selectors.DefaultSelector() as selector:
            for number in self._busy:
                selector.register(number, selectors.EVENT_READ)
            ready = [key.fd for key, _ in selector.select()]
        for number in ready:
            process, place = self._busy.pop(number)
            assert process.stdout is not None
            yield process, place, process.stdout.readline()


def _answer(line: bytes) -> Any:
    answer = json.loads(line)
    if "refusal" in answer:
        raise InputError(answer["refusal"])
    return answer["answer"]


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
