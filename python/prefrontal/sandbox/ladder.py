"""The levels of confinement that work on this machine, probed with a no-op."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from ..errors import InputError
from .launcher import launcher, parse_report

Level = Literal["namespace", "landlock", "landlock-fs", "seccomp", "none"]
LEVELS: tuple[Level, ...] = get_args(Level)  # from strongest to weakest
ENFORCED: frozenset[str] = frozenset({"namespace", "landlock", "landlock-fs", "proxy", "oci"})

_HOLDS = 0
_ONLY_NETWORK = 3  # files can be read and written, sockets not: all that "seccomp" promises


@dataclass(frozen=True, slots=True)
class Rung:
    """A level on this machine. why: the reason that it does not work, else empty.

    level: of LEVELS, or "proxy" or "oci" of the other backends.
    """

    level: str
    works: bool
    why: str = ""

    @property
    def enforced(self) -> bool:
        """Whether the level confines files and network."""
        return self.level in ENFORCED


@dataclass(frozen=True, slots=True)
class Ladder:
    """Every level, strongest first."""

    rungs: tuple[Rung, ...]

    @property
    def best(self) -> Rung:
        """The strongest that works, "none" as a last resort."""
        return next((rung for rung in self.rungs if rung.works), self.rungs[-1])

    def __str__(self) -> str:
        lines = (f"{rung.level}: {'works' if rung.works else rung.why}" for rung in self.rungs)
        return "\n".join(lines)


def probe() -> Ladder:
    """Probe every level, once for each process and user."""
    return Ladder(tuple(rung(level) for level in LEVELS))


def best_level(*, weak: bool = False) -> Rung:
    """The strongest working level that is enforced; with `weak`, also unenforced ones.

    Probes no more levels than needed. Without one, returns a rung that does not work.
    """
    usable = [level for level in LEVELS if weak or level in ENFORCED]
    tried = []
    for level in usable:
        tried.append(rung(level))
        if tried[-1].works:
            return tried[-1]
    reasons = "; ".join(f"{each.level}: {each.why}" for each in tried)
    return Rung("none", False, f"no level that confines files and network works here ({reasons})")


def rung(level: str) -> Rung:
    """Whether one level works. Raises InputError for an unknown one.

    What may only be so at this moment (no memory, no processor, no room) is probed again.
    """
    if level not in LEVELS:
        raise InputError(f"level must be one of {LEVELS}, got {level!r}")
    try:
        return _tried(level, os.geteuid() if hasattr(os, "geteuid") else -1)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Rung(level, False, f"the launcher did not work: {error}")


@cache
def _tried(level: Level, user: int) -> Rung:
    if sys.platform != "linux" or not launcher().exists():
        return Rung(level, False, f"needs Linux and {launcher().name}, which is not installed here")
    with tempfile.TemporaryDirectory(prefix="prefrontal-") as folder:
        status, sentence = _try(level, Path(folder).resolve())
    if sentence:
        return Rung(level, False, _explained(level, sentence))
    promised = {"seccomp": _ONLY_NETWORK, "none": 7}.get(level, _HOLDS)
    if status & ~promised:
        return Rung(level, False, "it was set up, and a no-op in it could reach outside")
    return Rung(level, True)


def _try(level: Level, scratch: Path) -> tuple[int, str]:
    """The exit status of the no-op, and the reason that it could not start.

    Raises OSError and TimeoutExpired for what another time may do.
    """
    program = launcher().resolve()
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reports:
        words = [str(program), "--report", str(writing), "--level", level]
        words += ["--scratch", str(scratch)]
        for path in (*(Path(name) for name in ("/usr", "/lib", "/lib64")), program):
            words += ["--read", str(path)] if path.exists() and not path.is_symlink() else []
        try:
            ended = subprocess.run(
                [*words, "--seconds", "5", "--", str(program), "--see"],
                pass_fds=[writing], start_new_session=True, capture_output=True, check=False,
                env={}, timeout=10,
            )  # fmt: skip
        finally:
            os.close(writing)
        report = parse_report(reports.read())
    if report.get("exit_status") is not None:
        return int(report["exit_status"]), ""
    sentence = str(report.get("error", ""))
    if not sentence:
        raise OSError(f"no report, exit status {ended.returncode}")
    if sentence.endswith(_OF_THE_MOMENT):
        raise OSError(sentence)
    return 0, sentence


_OF_THE_MOMENT = tuple(
    os.strerror(code) for code in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
)


_SWITCHES = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "Ubuntu's AppArmor keeps ordinary users from user namespaces"
     " (sysctl kernel.apparmor_restrict_unprivileged_userns=0 allows them)"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0",
     "this system keeps ordinary users from user namespaces"
     " (sysctl kernel.unprivileged_userns_clone=1 allows them)"),
    ("/proc/sys/user/max_user_namespaces", "0",
     "user namespaces are switched off (sysctl user.max_user_namespaces)"),
)  # fmt: skip


def _explained(level: Level, sentence: str) -> str:
    """The launcher's sentence, with a known cause if one applies."""
    if level != "namespace":
        return sentence
    for path, value, cause in _SWITCHES:
        if Path(path).is_file() and Path(path).read_text().strip() == value:
            return f"{sentence}; {cause}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return f"{sentence}; this container's own filter may forbid namespaces"
    return sentence
