"""The result of a sandboxed command."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NUMBERS = ("killed", "memory_kb", "threads", "scratch_kb", "wall_us", "cpu_us")
_BY_SIGNAL = {
    -signal.SIGXCPU: "time",
    -signal.SIGXFSZ: "file size",
    -signal.SIGSYS: "system call",
}


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """returncode: exit status, negative for a signal, None when it never ran.

    stopped_by: "time", "memory", "processes", "disk", "file size", "output", "system call" (a
    forbidden one), "no result" (a function ended its process), "sandbox" (it could not be confined
    or watched, so it was not run or was ended; stderr and notes say why), or empty. level: of
    confinement. duration_s, cpu_s: wall clock and processor time of all its processes.
    peak_memory_mb: of all together, sampled every 20 ms, with page tables and what their pipes and
    sockets may hold. threads: most at a time. killed: processes that had to be ended. scratch_mb:
    size of the scratch folder at the end. notes: sentences for people.
    """

    returncode: int | None
    stdout: bytes
    stderr: bytes
    stopped_by: str
    level: str
    duration_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_mb: float = 0.0
    threads: int = 0
    killed: int = 0
    scratch_mb: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it exited with status 0, within every limit."""
        return self.returncode == 0 and not self.stopped_by


def not_run(level: str, sentence: str) -> SandboxResult:
    """The result of a command that was not started."""
    return _not_run(level, b"", b"", sentence)


def result_of(
    report: Mapping[str, Any], level: str, streams: tuple[bytes, bytes], too_much_output: bool
) -> SandboxResult:
    """The result from the launcher's report; a run without a report has failed."""
    stdout, stderr = streams
    returncode = _returncode(report)
    if returncode is None:
        sentence = str(report.get("error", "the sandbox ended without a report"))
        return _not_run(level, stdout, stderr, sentence)
    stopped = str(report["stopped_by"]) or _BY_SIGNAL.get(returncode, "")
    numbers = {name: int(report[name]) for name in _NUMBERS}
    return SandboxResult(
        returncode=returncode,
        stdout=stdout,
        stderr=stderr,
        stopped_by="output" if too_much_output else stopped.replace("caller", "sandbox"),
        level=level,
        duration_s=numbers["wall_us"] / 1e6,
        cpu_s=numbers["cpu_us"] / 1e6,
        peak_memory_mb=numbers["memory_kb"] / 1024,
        threads=numbers["threads"],
        killed=numbers["killed"],
        scratch_mb=numbers["scratch_kb"] / 1024,
    )


def _returncode(report: Mapping[str, Any]) -> int | None:
    """Exit status, or the negative number of a signal; None when it was not run."""
    complete = report.get("started") is True and report.keys() >= {"stopped_by", *_NUMBERS}
    if not complete:
        return None
    status, number = report.get("exit_status"), report.get("signal")
    return int(status) if status is not None else -int(number) if number is not None else None


def _not_run(level: str, stdout: bytes, stderr: bytes, sentence: str) -> SandboxResult:
    stderr += sentence.encode() + b"\n"
    return SandboxResult(None, stdout, stderr, "sandbox", level, notes=(sentence,))
