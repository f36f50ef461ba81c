"""A runner that confines nothing: for tests of what becomes of an outcome, not of the sandbox."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

OUTPUT_LIMIT = 4 << 20


@dataclass(frozen=True)
class PlainOutcome:
    """What became of a command."""

    returncode: int | None
    stdout: bytes
    stderr: bytes
    stopped_by: str = ""
    level: str = "plain"
    duration_s: float = 0.0

    @property
    def ok(self) -> bool:
        return self.returncode == 0 and not self.stopped_by


@dataclass
class PlainRunner:
    """Runs a command as it is. asked: the words of every command. limit_s: at most, for tests.

    narrowings: hosts that runs were narrowed to. broken: fails as a sandbox that cannot be
    started. enforced: what it claims.
    """

    enforced: bool = True
    level: str = "plain"
    limit_s: float = 30.0
    broken: bool = False
    asked: list[list[str]] = field(default_factory=list)
    narrowings: list[tuple[str, ...]] = field(default_factory=list)

    def narrow(self, hosts: Iterable[str]) -> Self:
        self.narrowings.append(tuple(hosts))
        return self

    def run(
        self,
        argv: Sequence[str],
        *,
        scratch: Path,
        readable: Sequence[Path] = (),
        max_seconds: float | None = None,
        stdin: bytes = b"",
    ) -> PlainOutcome:
        self.asked.append(list(argv))
        assert scratch.is_dir() and all(path.exists() for path in readable)
        if self.broken:
            return PlainOutcome(None, b"", b"no sandbox here", "sandbox")
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = time.monotonic()
            child = subprocess.Popen(
                argv,
                cwd=scratch,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_limit_files,  # noqa: PLW1509 - tests start no threads here
            )
            stopped_by = self._wait(child, stdin, min(max_seconds or 30.0, self.limit_s))
            took = time.monotonic() - started
            stdout, stderr = _content(out), _content(err)
        if max(len(stdout), len(stderr)) >= OUTPUT_LIMIT:
            stopped_by = "output"
        return PlainOutcome(child.returncode, stdout, stderr, stopped_by, self.level, took)

    def _wait(self, child: subprocess.Popen[bytes], stdin: bytes, limit_s: float) -> str:
        stopped_by = ""
        try:
            child.communicate(stdin, timeout=limit_s)
        except subprocess.TimeoutExpired:
            stopped_by = "time"
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return stopped_by


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
