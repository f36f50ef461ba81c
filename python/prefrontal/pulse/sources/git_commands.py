"""git, asked read-only about one repository: it may not page, fetch, lock, or run anything."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from ...errors import SourceError
from ...git_access import git_command, git_complaint, git_environment

ANSWER_S = 60.0
"""Seconds after which an answer is given up."""

_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null")


def tell(folder: str, *arguments: str, lines: Iterable[str] = (), no: int = 0) -> bytes:
    """What git prints; `lines` are its standard input. no: exit code of an answer, not of a fault.

    Raises SourceError in a sentence when git says no, is missing, or takes too long.
    """
    try:
        done = subprocess.run(
            git_command(folder, arguments, _SETTINGS),
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            env=git_environment(),
            timeout=ANSWER_S,
            check=False,
        )
    except (FileNotFoundError, PermissionError):
        raise SourceError("git must be installed and on the PATH, got no git to run") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"git took more than {ANSWER_S:g} s for {folder!r}") from None
    if done.returncode not in (0, no):
        complaints = done.stderr.decode("utf-8", "replace")
        raise SourceError(git_complaint(folder, complaints, done.returncode))
    return done.stdout
