"""git, asked read-only: nothing of the user's set-up may page, colour, fetch, lock or execute."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from ...errors import SourceError
from ...git_access import git_command, git_complaint, git_environment
from .git_patience import Patience, stuck

PATIENCE_S = 60.0
"""Seconds for which git may neither work nor say anything."""

_SETTINGS = ("core.deltaBaseCacheLimit=32m", "log.diffMerges=first-parent")
_STDERR_LIMIT = 2**16
_MISSING = re.compile(
    r"unable to (?:read|find|parse) (?:tree |blob |object |commit )?[(]?[0-9a-f]{40}"
    r"|could not fetch [0-9a-f]{40}|lazy fetching disabled|missing (?:blob|tree|object)"
    r"|bad (?:tree )?object|(?:failed to|cannot|could not) (?:traverse|read|parse) ",
    re.IGNORECASE,
)


class MissingObjectError(SourceError):
    """git has not what it needs: a partial clone left it on its server, or it was lost."""


def ask(folder: str, *arguments: str) -> str | None:
    """What git prints, without the last line end; None when git says no. For short answers.

    Raises SourceError when git is not installed, or waits for something that never comes.
    """
    with (
        _started(folder, arguments, subprocess.DEVNULL) as process,
        Patience(process, PATIENCE_S) as patience,
    ):
        output, _ = process.communicate()
    if patience.is_over:
        raise SourceError(stuck(folder, PATIENCE_S))
    return None if process.returncode else output.decode("utf-8", "surrogateescape").rstrip("\n")


def tell(folder: str, *arguments: str) -> str:
    """As `ask`, but a no is a SourceError with git's own first line."""
    with stream(folder, *arguments) as output:
        answer = output.read()
    return answer.decode("utf-8", "surrogateescape").rstrip("\n")


@contextmanager
def stream(folder: str, *arguments: str) -> Iterator[IO[bytes]]:
    """git's standard output, to be read to its end; git is ended and waited for in any case.

    Raises SourceError when git is not installed or, after a complete read, when it failed:
    MissingObjectError when for want of an object.
    """
    # A file, not a pipe: git must never wait for somebody to read its complaints.
    with TemporaryFile() as complaints:
        with _started(folder, arguments, complaints) as process:
            assert process.stdout is not None
            with Patience(process, PATIENCE_S) as patience:
                try:
                    yield process.stdout
                    process.stdout.close()
                    process.wait()
                finally:
                    process.kill()  # does nothing once git has ended
        if patience.is_over:
            raise SourceError(stuck(folder, PATIENCE_S))
        if process.returncode:
            complaints.seek(0)
            complaint_text = complaints.read(_STDERR_LIMIT).decode("utf-8", "replace")
            sentence = git_complaint(folder, complaint_text, process.returncode)
            raise (
                MissingObjectError(sentence)
                if _MISSING.search(complaint_text)
                else SourceError(sentence)
            )


def _started(
    folder: str, arguments: tuple[str, ...], stderr: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            git_command(folder, arguments, _SETTINGS),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=git_environment(),
        )
    except (FileNotFoundError, PermissionError):
        raise SourceError("git must be installed and on the PATH, got no git to run") from None
