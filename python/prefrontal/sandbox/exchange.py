"""Feeds a process and drains its pipes, without a deadlock between them."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import IO

_PART = 65_536


@dataclass(slots=True)
class Streams:
    """The output so far."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    report: bytearray = field(default_factory=bytearray)
    too_much: bool = False

    def cut(self, most: int) -> bool:
        """Cut the output to `most` bytes; returns whether there was more."""
        room = most
        for stream in (self.stdout, self.stderr):
            self.too_much = self.too_much or len(stream) > room
            del stream[room:]
            room -= len(stream)
        return self.too_much


class Exchange:
    """The pipes of a launcher, until all are closed."""

    def __init__(
        self, process: subprocess.Popen[bytes], report: IO[bytes], streams: Streams, most: int
    ) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._streams = streams
        self._most = most
        self._stdin = process.stdin
        self._outputs = {
            process.stdout.fileno(): streams.stdout,
            process.stderr.fileno(): streams.stderr,
        }
        self._open = {**self._outputs, report.fileno(): streams.report}

    def run(self, stdin: bytes, longest_s: float) -> None:
        """Write stdin and read the outputs, for at most `longest_s`."""
        deadline = time.monotonic() + longest_s
        os.set_blocking(self._stdin.fileno(), False)
        with selectors.DefaultSelector() as selector:
            for descriptor in self._open:
                selector.register(descriptor, selectors.EVENT_READ)
            selector.register(self._stdin, selectors.EVENT_WRITE)
            left = memoryview(stdin)
            while self._open and (seconds := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(seconds):
                    if key.fd in self._open:
                        self._read(key.fd, selector)
                    elif not self._stdin.closed:
                        left = self._write(left, selector)

    def _read(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        part = os.read(descriptor, _PART)
        self._open[descriptor].extend(part)
        if not part:
            selector.unregister(descriptor)
            del self._open[descriptor]
        elif self._streams.cut(self._most):
            self._stop_reading(selector)

    def _stop_reading(self, selector: selectors.BaseSelector) -> None:
        """Leave the pipes full, so that writers block until they are ended."""
        for descriptor in self._outputs.keys() & self._open.keys():
            selector.unregister(descriptor)
            del self._open[descriptor]
        self._process.send_signal(signal.SIGTERM)

    def _write(self, left: memoryview, selector: selectors.BaseSelector) -> memoryview:
        """Write as much as the command accepts now; returns the rest."""
        try:
            left = left[os.write(self._stdin.fileno(), left[:_PART]) if left else 0 :]
        except BlockingIOError:
            return left
        except BrokenPipeError:
            left = left[:0]
        if not left:
            selector.unregister(self._stdin)
            self._stdin.close()
        return left
