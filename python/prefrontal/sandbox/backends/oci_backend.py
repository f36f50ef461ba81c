"""Runs commands by an OCI runtime: gVisor (runsc), a virtual machine (kata-runtime), crun, runc."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ..exchange import Exchange, Streams
from ..ladder import Rung
from ..limits import Limits
from ..policy import Policy
from ..result import SandboxResult, not_run
from .backend import Job
from .bundle import write_bundle
from .leftovers import Leftovers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LEVEL = "oci"
_LOOK_S = 0.1
_END_S = 10.0
_BY_SIGNAL = 128
_DEEPEST = 48  # as the launcher counts
_MEGABYTE = 1_048_576
_PROBE = """
import os, socket, sys
def works(action):
    try:
        action()
    except OSError:
        return False
    return True
reads = works(lambda: open("/etc/passwd").close())
def make(path):
    open(path, "x").close()
    os.remove(path)
places = [f"{folder}/{sys.argv[2]}" for folder in ("/tmp", "/var/tmp", "/usr")]
writes = any([works(lambda: make(path)) for path in places])
talks = works(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2))
print("reached", reads, writes, talks)
"""


@dataclass(frozen=True, slots=True)
class OciBackend:
    """runtime: the words of the program with its own options, such as ("runsc",).

    There is no network. Time, output and the scratch folder are watched here, memory, processes and
    processors by control groups where the runtime can make some. Raises InputError without a word.
    """

    runtime: Sequence[str] = field()

    def __post_init__(self) -> None:
        if not self.runtime:
            raise InputError("runtime must be the words of a program, got none")
        object.__setattr__(self, "runtime", tuple(self.runtime))

    def narrow(self, hosts: Iterable[str]) -> OciBackend:
        """Itself: it has no network."""
        return self

    def rung(self, policy: Policy) -> Rung:
        """Whether a no-op runs in it and cannot reach outside; tried once for each process."""
        if policy.network or policy.level != "auto":
            return Rung(LEVEL, False, "a runtime has neither a network nor the launcher's levels")
        return _tried(tuple(self.runtime), os.geteuid() if hasattr(os, "geteuid") else -1)

    def run(self, job: Job) -> SandboxResult:
        """Run to the end, with the runtime's state in a folder that is gone afterwards."""
        held = self.rung(job.policy)
        return _run(tuple(self.runtime), job) if held.works else not_run(LEVEL, held.why)


@cache
def _tried(runtime: tuple[str, ...], user: int) -> Rung:
    if shutil.which(runtime[0]) is None:
        return Rung(LEVEL, False, f"{runtime[0]} is not installed here")
    with (
        tempfile.TemporaryDirectory(prefix="prefrontal-") as scratch,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        words = [sys.executable, "-I", "-S", "-c", _PROBE, str(listener.getsockname()[1])]
        words.append(f"prefrontal-probe-{secrets.token_hex(8)}")
        place = Path(scratch).resolve()
        result = _run(runtime, Job(words, place, Limits(max_seconds=20), Policy(place)))
    if not result.ok or not result.stdout.startswith(b"reached "):
        message = result.stderr.decode(errors="replace").strip()[-300:]
        return Rung(LEVEL, False, f"{runtime[0]} could not run a no-op: {message}")
    if b"True" in result.stdout:
        return Rung(LEVEL, False, f"a no-op in {runtime[0]} could reach outside")
    return Rung(LEVEL, True)


def _run(runtime: tuple[str, ...], job: Job) -> SandboxResult:
    with tempfile.TemporaryDirectory(prefix="prefrontal-oci-") as folder:
        bundle, state = Path(folder, "bundle"), Path(folder, "state")
        bundle.mkdir()
        state.mkdir(mode=0o700)
        try:
            write_bundle(job, bundle)
            return Container(runtime, state, bundle).run(job)
        except OSError as error:
            return not_run(LEVEL, f"{runtime[0]} cannot be started: {error}")


class Container:
    """One run of the runtime."""

    def __init__(self, runtime: tuple[str, ...], state: Path, bundle: Path) -> None:
        self._words = [*runtime, "--root", str(state)]
        self._bundle = bundle
        self._name = f"prefrontal-{secrets.token_hex(8)}"

    def run(self, job: Job) -> SandboxResult:
        """Raises OSError when the program cannot be started."""
        streams = Streams()
        began = time.monotonic()
        process = subprocess.Popen(
            [*self._words, "run", "--bundle", str(self._bundle), self._name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, cwd="/",
        )  # fmt: skip
        watch = ContainerWatch(job, began, self.kill)
        leftovers = Leftovers(job.scratch)
        reading, writing = os.pipe()
        os.close(writing)  # a runtime writes no report
        with process, os.fdopen(reading, "rb", buffering=0) as report:
            watch.start()
            try:
                Exchange(process, report, streams, job.limits.max_output_bytes).run(
                    job.stdin, job.limits.max_seconds + _END_S
                )
                if not streams.too_much:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(max(0.0, began + job.limits.max_seconds - time.monotonic()))
            finally:
                watch.stop()
                self._end(process)
                count = leftovers.remove()
        stopped = "output" if streams.too_much else watch.stopped_by
        size = watch.scratch_mb()
        if not stopped and size > job.limits.max_scratch_mb:
            stopped = "disk"
        return SandboxResult(
            _returncode(process.returncode), bytes(streams.stdout), bytes(streams.stderr), stopped,
            LEVEL, time.monotonic() - began, scratch_mb=size, notes=_notes(count),
        )  # fmt: skip

    def kill(self) -> None:
        """End every process of it."""
        self._do("kill", self._name, "KILL")

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            self.kill()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
        self._do("delete", "--force", self._name)

    def _do(self, *words: str) -> None:
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [*self._words, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                timeout=_END_S, cwd="/",
            )  # fmt: skip


class ContainerWatch:
    """Ends a run that takes too long or fills its folder."""

    def __init__(self, job: Job, began: float, kill: Callable[[], None]) -> None:
        self.stopped_by = ""
        self._job = job
        self._deadline = began + job.limits.max_seconds
        self._kill = kill
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """It looks no more."""
        self._over.set()
        self._thread.join()

    def scratch_mb(self) -> float:
        """Infinite when there are more entries than allowed, or folders too deep to count."""
        total = entries = 0
        for folder, _, names in os.walk(self._job.scratch):
            entries += len(names) + 1
            deep = folder.count("/") - str(self._job.scratch).count("/") > _DEEPEST
            if deep or entries > self._job.limits.max_scratch_entries:
                return float("inf")
            for name in names:
                with suppress(OSError):
                    total += Path(folder, name).lstat().st_blocks * 512
        return total / _MEGABYTE

    def _look(self) -> None:
        while not self._over.wait(_LOOK_S):
            self.stopped_by = self.stopped_by or self._broken_limit()
            if self.stopped_by:
                self._kill()  # again at the next look: it may not have begun yet

    def _broken_limit(self) -> str:
        if time.monotonic() >= self._deadline:
            return "time"
        return "disk" if self.scratch_mb() > self._job.limits.max_scratch_mb else ""


def _notes(count: int) -> tuple[str, ...]:
    sentence = f"links, special files or setuid bits that it left were removed: {count}"
    return (sentence,) if count else ()


def _returncode(status: int) -> int:
    """A runtime's exit status is that of a shell: 128 and the number of a signal."""
    return _BY_SIGNAL - status if status > _BY_SIGNAL else status
