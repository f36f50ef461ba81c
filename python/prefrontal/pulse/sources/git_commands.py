"""git, asked read-only about one repository: it may not page, fetch, lock, or run anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable

from ...errors import SourceError

ANSWER_S = 60.0
"""Seconds after which an answer is given up."""

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.relative=false",
    "log.showRoot=true",
    "log.showSignature=false",
)
_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS")


def tell(folder: str, *arguments: str, lines: Iterable[str] = ()) -> bytes:
    """What git prints; `lines` are its standard input.

    Raises SourceError with git's own first line when it says no, is missing, or takes too long.
    """
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    command = ["git", "--no-optional-locks", "--no-pager", *settings, "-C", folder, *arguments]
    try:
        done = subprocess.run(
            command,
            input="".join(f"{line}\n" for line in lines).encode(),
            capture_output=True,
            env=_environment(),
            timeout=ANSWER_S,
            check=False,
        )
    except (FileNotFoundError, PermissionError):
        raise SourceError("git must be installed and on the PATH, got no git to run") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"git took more than {ANSWER_S:g} s for {folder!r}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        said = "".join(c if c.isprintable() else "?" for c in said)
        raise SourceError(f"git could not read {folder!r}: {said or f'code {done.returncode}'}")
    return done.stdout


def _environment() -> dict[str, str]:
    """The user's, less what points git elsewhere or makes it talk, fetch or run."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return kept | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
