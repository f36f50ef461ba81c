"""Starts of the command: as a copy of this process that has imported everything, or for real."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prefrontal.errors import SourceError
from preload import acts_so_far
from voice import Voice
from writers import Say

PATIENCE_S = 120.0
_POLL_S = 0.01
LATE = -1000
"""Stands for the exit code of a command that took longer."""
MODULES = "RELIABILITY_MODULES"
"""The environment's name of a file that copies write their modules to."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended, and what it printed."""

    code: int
    output: str
    errors: str


class Start(Protocol):
    """Starts the command in a folder and waits for its end.

    until: once it is true the command is interrupted. output: what it prints is said as well. A
    command that was killed kills this process, too. Raises SourceError with the sentence of exit
    code 2, AssertionError for any code that is not in `codes`.
    """

    def __call__(
        self,
        folder: Path,
        *words: str,
        data: str = "",
        codes: Sequence[int] = (0,),
        until: Callable[[], bool] | None = None,
        output: Say | None = None,
    ) -> Answer: ...


def start_copy(
    folder: Path,
    *words: str,
    data: str = "",
    codes: Sequence[int] = (0,),
    until: Callable[[], bool] | None = None,
    output: Say | None = None,
) -> Answer:
    """A `Start` without an interpreter's start and imports."""
    streams = _streams(data, output)
    begin = os.lseek(streams[1], 0, os.SEEK_END)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Python's fork forgets what came
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # until it has its own
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            os.chdir(folder)
            os.environ.update(_places(folder))
            sys.argv = ["prefrontal", *words]
            _run()
        finally:
            os._exit(70)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    return _answer(child, streams, begin, words, codes, until)


def start_for_real(
    folder: Path,
    *words: str,
    data: str = "",
    codes: Sequence[int] = (0,),
    until: Callable[[], bool] | None = None,
    output: Say | None = None,
) -> Answer:
    """A `Start` of a new interpreter."""
    streams = _streams(data, output)
    begin = os.lseek(streams[1], 0, os.SEEK_END)
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "prefrontal", *words],
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        cwd=folder,
        env=os.environ | _places(folder),
    )
    process.returncode = 0  # it is waited for here
    return _answer(process.pid, streams, begin, words, codes, until)


class OneReal:
    """A `Start` whose call numbered `real`, from 0, is one of a new interpreter; others are copies.

    diary: a file that gets a line a call: whether it is real, acts on files before it, and when.
    """

    def __init__(self, real: int | None, diary: Path) -> None:
        self._real = real
        self._diary = diary
        self._number = 0

    def __call__(
        self,
        folder: Path,
        *words: str,
        data: str = "",
        codes: Sequence[int] = (0,),
        until: Callable[[], bool] | None = None,
        output: Say | None = None,
    ) -> Answer:
        is_real, self._number = self._number == self._real, self._number + 1
        with self._diary.open("a", encoding="ascii") as file:
            file.write(f"{int(is_real)} {acts_so_far()} {time.monotonic()}\n")
        start = start_for_real if is_real else start_copy
        return start(folder, *words, data=data, codes=codes, until=until, output=output)


def tell_modules() -> None:
    """Write down what this copy has imported, if somebody asks."""
    if path := os.environ.get(MODULES):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("".join(f"{name}\n" for name in sorted(sys.modules)))


def _run() -> None:
    """The command in this process, which it ends."""
    from prefrontal.__main__ import main

    faulthandler.enable(2)
    code: object = 70
    try:
        main()
    except SystemExit as error:
        code = error.code
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    tell_modules()
    os._exit(code if isinstance(code, int) else 0 if code is None else 70)


def _places(folder: Path) -> dict[str, str]:
    """The environment of a machine whose home is in the folder."""
    home = folder / "home"
    return {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PREFRONTAL_HOME": str(folder / "workspace"),
        "NO_COLOR": "1",
    }


def _streams(data: str, output: Say | None) -> tuple[int, int, int]:
    """Standard streams that are files, in memory but for what is said."""
    source, printed, errors = (os.memfd_create(name) for name in ("in", "out", "err"))
    os.write(source, data.encode())
    os.lseek(source, 0, os.SEEK_SET)
    if isinstance(output, Voice):
        os.close(printed)
        printed = os.open(output.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    return source, printed, errors


def _answer(
    child: int,
    streams: tuple[int, int, int],
    begin: int,
    words: Sequence[str],
    codes: Sequence[int],
    until: Callable[[], bool] | None,
) -> Answer:
    try:
        code = _waited(child, until)
        output, errors = _text(streams[1], begin), _text(streams[2], 0)
    finally:
        for stream in streams:
            os.close(stream)
    if code == -signal.SIGINT:  # it came before there was an interpreter
        code = 130
    if code == -signal.SIGKILL:
        os.kill(os.getpid(), signal.SIGKILL)
    if code == 2 and 2 not in codes:
        raise SourceError(errors.strip())
    assert code != LATE, f"took more than {PATIENCE_S:g} s: {errors}"
    assert code in codes, f"{' '.join(words)} ended with {code}: {errors} {output}"
    assert "Traceback" not in errors, errors
    return Answer(code, output, errors)


def _waited(child: int, until: Callable[[], bool] | None) -> int:
    end, is_told = time.monotonic() + PATIENCE_S, False
    if until is None:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if not is_told and until():
            os.kill(child, signal.SIGINT)
            is_told = True
        if time.monotonic() > end:
            os.kill(child, signal.SIGABRT)  # which tells what each thread was at
            os.waitpid(child, 0)
            return LATE
        time.sleep(_POLL_S)


def _text(stream: int, begin: int) -> str:
    size = os.lseek(stream, 0, os.SEEK_END) - begin
    return os.pread(stream, size, begin).decode(errors="replace")
