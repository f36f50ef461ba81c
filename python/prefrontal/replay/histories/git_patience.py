"""git is ended when it waits for something that never comes, such as a pipe in place of a file."""

from __future__ import annotations

import fcntl
import struct
import subprocess
import termios
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

STEPS = 12
"""Looks within its patience."""


class Patience:
    """While inside, ends `process` once it has neither worked nor had anything to read from for so
    long. is_over: whether it did. A process that works, or whose output waits to be read, goes on.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.is_over = False
        self._process = process
        self._step_s = seconds / STEPS
        self._ended = Event()
        self._thread = Thread(target=self._look, name="prefrontal-git-patience", daemon=True)

    def __enter__(self) -> Patience:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        idle, before = 0, None
        while not self._ended.wait(self._step_s):
            now = _work(self._process.pid)
            rests = now is not None and now == before and not _waits(self._process)
            idle = idle + 1 if rests else 0
            before = now
            if idle >= STEPS and self._process.poll() is None:
                self.is_over = True
                self._process.kill()
                return


def stuck(folder: str, seconds: float) -> str:
    """What to say of a repository on which git came to a stand."""
    return (
        f"git must be able to read {folder!r}, got nothing from it for {seconds:g} s: a pipe or a"
        " device in place of a file, or a disk that does not answer"
    )


def _work(number: int) -> tuple[str, ...] | None:
    """Ticks of the processor that the process has used; None where that cannot be known."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return tuple(text.rpartition(")")[2].split()[11:13])


def _waits(process: subprocess.Popen[bytes]) -> bool:
    """Whether output is there that nobody has read yet."""
    assert process.stdout is not None
    try:
        answer = fcntl.ioctl(process.stdout.fileno(), termios.FIONREAD, b"\0" * 4)
    except (OSError, ValueError):  # closed: it is being waited for
        return False
    return bool(struct.unpack("i", answer)[0])
