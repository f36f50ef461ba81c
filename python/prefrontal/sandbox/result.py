"""The result of a sandboxed command."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

_REPORT_KEYS = {
    *("status", "stopped", "killed", "memory_kb", "threads"),
    *("scratch_kb", "wall_us", "cpu_us"),
}
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
    report: Mapping[str, str], level: str, streams: tuple[bytes, bytes], too_much_output: bool
) -> SandboxResult:
    """The result from the launcher's report; a run without a report has failed."""
    stdout, stderr = streams
    if not report.keys() >= _REPORT_KEYS:
        sentence = report.get("failed", "the sandbox ended without a report")
        return _not_run(level, stdout, stderr, sentence)
    returncode = os.waitstatus_to_exitcode(int(report["status"]))
    stopped = report["stopped"] or _BY_SIGNAL.get(returncode, "")
    return SandboxResult(
        returncode=returncode,
        stdout=stdout,
        stderr=stderr,
        stopped_by="output" if too_much_output else stopped.replace("told", "sandbox"),
        level=level,
        duration_s=int(report["wall_us"]) / 1e6,
        cpu_s=int(report["cpu_us"]) / 1e6,
        peak_memory_mb=int(report["memory_kb"]) / 1024,
        threads=int(report["threads"]),
        killed=int(report["killed"]),
        scratch_mb=int(report["scratch_kb"]) / 1024,
    )


def _not_run(level: str, stdout: bytes, stderr: bytes, sentence: str) -> SandboxResult:
    stderr += sentence.encode() + b"\n"
    return SandboxResult(None, stdout, stderr, "sandbox", level, notes=(sentence,))
