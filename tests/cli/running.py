"""A real `prefrontal watch` in a process of its own."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PATIENCE_S = 60.0


class Running:
    """One watch: its lines as they come, and a way to end it."""

    def __init__(
        self,
        *words: str | Path,
        stdout: int = subprocess.PIPE,
        command: str = "watch",
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PREFRONTAL_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "prefrontal", command, *map(str, words)],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._lines: dict[str, queue.SimpleQueue[str]] = {}
        self._threads = []
        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr)):
            self._lines[name] = queue.SimpleQueue()
            if stream is None:
                continue
            reader = threading.Thread(target=self._read, args=(stream, self._lines[name]))
            reader.start()
            self._threads.append(reader)

    def line(self, stream: str = "out") -> str:
        """The next line; raises queue.Empty when none comes in a long time."""
        return self._lines[stream].get(timeout=PATIENCE_S)

    def until(self, words: str) -> list[str]:
        """Lines of standard error up to the first that holds `words`."""
        found = [self.line("err")]
        while words not in found[-1]:
            found.append(self.line("err"))
        return found

    def end(self, number: int = signal.SIGINT) -> tuple[int, list[str], list[str]]:
        """Send the signal and wait; (exit code, the rest of the output, the rest of the errors)."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, list[str], list[str]]:
        """Wait for the end; as `end`."""
        code = self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return code, self._rest("out"), self._rest("err")

    def close(self) -> None:
        self.process.kill()
        self.ended()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _rest(self, stream: str) -> list[str]:
        lines = self._lines[stream]
        return [lines.get() for _ in range(lines.qsize())]

    @staticmethod
    def _read(stream: IO[str], lines: queue.SimpleQueue[str]) -> None:
        for line in stream:
            lines.put(line.rstrip("\n"))


@contextmanager
def watching(
    *words: str | Path, stdout: int = subprocess.PIPE, command: str = "watch"
) -> Iterator[Running]:
    """A watch that has begun; killed in the end, if it still runs."""
    running = Running(*words, stdout=stdout, command=command)
    try:
        running.until("Ctrl-C stops")
        yield running
    finally:
        running.close()
