"""Run attempts, without a sandbox or at one level, and tell on stdout how it went.

python -m PACKAGE.driver FOLDER NAMES LEVEL...     NAMES: of attempts, with commas between them;
                                                   LEVEL: "bare" or a level of the sandbox
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import prefrontal
from prefrontal.sandbox import Limits, Policy, SandboxResult, run
from prefrontal.sandbox.backends import Backend
from prefrontal.sandbox.backends.oci_backend import OciBackend
from prefrontal.sandbox.backends.proxy_backend import ProxyBackend
from prefrontal.sandbox.launcher import parse_report
from prefrontal.sandbox.launching import Launch, launch
from prefrontal.sandbox.policy import readable_paths, scratch_of, variables
from prefrontal.sandbox.proxy import Credential, Hosts
from prefrontal.sandbox.result import result_of

from .attempt import Attempt
from .attempts_around import (
    AROUND_FILES,
    AROUND_KERNEL,
    AROUND_NETWORK,
    AROUND_PROCESSES,
    AROUND_READING,
)
from .attempts_files import FILES
from .attempts_hosts import HOSTS
from .attempts_kernel import KERNEL
from .attempts_memory import FLOODS, MEMORY
from .attempts_network import NETWORK
from .attempts_processes import REACHING, STAYING
from .attempts_reading import READING
from .attempts_sharing import SHARING
from .attempts_uncounted import UNCOUNTED
from .decoys import TOKEN, Decoys, Tree, decoys

ATTEMPTS = (
    *FILES, *READING, *NETWORK, *MEMORY, *FLOODS, *STAYING, *REACHING, *KERNEL, *SHARING,
    *AROUND_FILES, *AROUND_READING, *AROUND_PROCESSES, *AROUND_KERNEL, *AROUND_NETWORK, *HOSTS,
    *UNCOUNTED,
)  # fmt: skip
LIMITS = Limits(max_seconds=8.0)
MOST_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt went at one level. harm: evidence on the driver's side."""

    level: str
    name: str
    output: str
    stopped_by: str
    returncode: int | None
    seconds: float
    held_at: str
    notes: tuple[str, ...]
    harm: list[str]


class Trials:
    """Attempts at one level."""

    def __init__(
        self, folder: Path, attempts: Sequence[Attempt], level: str, those: Decoys
    ) -> None:
        self._folder = folder
        self._attempts = attempts
        self._level = level
        self._decoys = those
        self._trees: dict[str, Tree] = {}

    def outcomes(self) -> list[Outcome]:
        bare = self._level == "bare"
        # What nobody can show without harm (it stops whoever started it) is not tried bare.
        attempts = [each for each in self._attempts if not (bare and each.shown == "never")]
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            outcomes = list(pool.map(self._try, attempts))
        self._decoys.harmed()  # what a bare attempt sent is not held against the next level
        time.sleep(0.7)  # whoever got away writes a file after this long at the latest
        for outcome in outcomes:
            if self._trees[outcome.name].survived():
                outcome.harm.append("survived")
        return outcomes

    def _try(self, attempt: Attempt) -> Outcome:
        tree = self._trees[attempt.name] = Tree(self._folder / self._level / attempt.name)
        tree.make()
        before = tree.outside()
        if self._level == "bare":
            self._decoys.revive()
        print(self._level, attempt.name, file=sys.stderr, flush=True)
        began = time.monotonic()
        result = self._run(attempt, tree)
        seconds = time.monotonic() - began
        harm = [] if tree.outside() == before else ["files outside have changed"]
        if self._level != "bare":
            harm += self._decoys.harmed() + survivors(tree.root)
        output = (result.stdout[-20_000:] + result.stderr[-20_000:]).decode(errors="replace")
        return Outcome(
            self._level, attempt.name, output, result.stopped_by, result.returncode, seconds,
            result.level, result.notes, harm,
        )  # fmt: skip

    def _run(self, attempt: Attempt, tree: Tree) -> SandboxResult:
        places = {
            **self._decoys.places,
            "outside": str(tree.root / "outside"),
            "readable": str(tree.root / "readable"),
            "tmp": f"/tmp/prefrontal-{tree.root.name}-{os.getpid()}",
            "home": str(Path.home()),
            "package": str(Path(prefrontal.__file__).parent),
        }
        words = [sys.executable, "-I", "-S", "-B", "-c", attempt.program(), json.dumps(places)]
        if self._level == "bare":
            return (
                _at_a_parent(words, tree.scratch)
                if attempt.shown == "parent"
                else _bare(words, tree.scratch)
            )
        readable = [tree.root / "readable", self._decoys.folder]
        limits = Limits(**{**asdict(LIMITS), **attempt.limits})
        level, _, version = self._level.partition("@")
        if level in ("proxy", "oci"):
            policy = Policy(tree.scratch, readable)
            return run(words, limits, policy, backend=self._backend(level))
        policy = Policy(tree.scratch, readable, level=level)
        return (
            _as_if(int(version), words, limits, policy) if version else run(words, limits, policy)
        )

    def _backend(self, level: str) -> Backend:
        if level == "oci":
            return OciBackend(os.environ["PREFRONTAL_OCI_RUNTIME"].split())
        hosts = Hosts([f"127.0.0.1:{self._decoys.places['web']}"])
        [(name, value)] = TOKEN.items()
        return ProxyBackend(hosts, [Credential(name, value, ("127.0.0.1",))])


def survivors(root: Path) -> list[str]:
    """Processes whose command line names the attempt's folder."""
    words = str(root).encode() + b"/"
    return [f"process {number} is alive" for number, line in command_lines() if words in line]


def command_lines() -> Iterator[tuple[int, bytes]]:
    """The number and the command line of each process that is there when it is looked at."""
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        line = b""
        with suppress(OSError):  # it may end at any moment
            line = (process / "cmdline").read_bytes()
        yield int(process.name), line


class OlderLaunch(Launch):
    """As a kernel with an older Landlock would do it."""

    version = 1

    def words(self, report: int) -> list[str]:
        words = super().words(report)
        return [*words[:3], "--landlock-version", str(self.version), *words[3:]]


def _as_if(version: int, words: list[str], limits: Limits, policy: Policy) -> SandboxResult:
    kind = type("Older", (OlderLaunch,), {"version": version})
    scratch = scratch_of(policy)
    what = kind(policy.level, scratch, readable_paths(policy), variables(policy, scratch), limits,
                "off", words)  # fmt: skip
    streams = launch(what)
    outputs = bytes(streams.stdout), bytes(streams.stderr)
    return result_of(parse_report(bytes(streams.report)), policy.level, outputs, streams.too_much)


def _bare(words: list[str], scratch: Path) -> SandboxResult:
    ended = subprocess.run(
        words, cwd=scratch, capture_output=True, check=False, close_fds=False, timeout=30
    )
    return SandboxResult(ended.returncode, ended.stdout, ended.stderr, "", "bare")


PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:]); print('HELD')"


def _at_a_parent(words: list[str], scratch: Path) -> SandboxResult:
    """Bare, below a process that may be ended or stopped instead of the driver."""
    command = [sys.executable, "-I", "-S", "-c", PARENT, *words]
    with subprocess.Popen(command, cwd=scratch, stdout=subprocess.PIPE) as parent:
        _, status = os.waitpid(parent.pid, os.WUNTRACED)
        harmed = os.WIFSTOPPED(status) or os.WIFSIGNALED(status)
        if os.WIFSTOPPED(status):
            parent.kill()
        else:
            parent.returncode = os.waitstatus_to_exitcode(status)
        assert parent.stdout is not None
        output = parent.stdout.read()
    return SandboxResult(0, output + (b"ESCAPED" if harmed else b""), b"", "", "bare")


def main(folder: Path, names: list[str], levels: list[str]) -> None:
    attempts = [each for each in ATTEMPTS if each.name in names]
    (folder / "secret").write_text("secret")
    os.set_inheritable(os.open(folder / "secret", os.O_RDONLY), True)
    (folder / "sockets").mkdir()
    with decoys(folder / "sockets") as those:
        outcomes = [
            outcome
            for level in levels
            for outcome in Trials(folder, attempts, level, those).outcomes()
        ]
    print(json.dumps([asdict(outcome) for outcome in outcomes]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:])
