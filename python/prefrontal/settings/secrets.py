"""Secrets stand in the environment, where the settings name the variable, or in a private file."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..errors import InputError, SourceError

_BYTES = 24
_MOST_BYTES = 4096


def environment_secret(key: str, variable: str | None) -> str | None:
    """What the variable holds; None when none is named. Raises InputError when it is not set.

    key: of the settings, for the error.
    """
    if variable is None:
        return None
    if not (secret := os.environ.get(variable)):
        raise InputError(f"{key} must name a variable that is set, got {variable!r}")
    return secret


def file_secret(path: Path) -> str:
    """What the file holds; a new one of 192 bits where there is no file, for its owner alone.

    Raises SourceError for a link, for what others may read or own, and when it cannot be written.
    """
    if not os.path.lexists(path):
        secret = os.urandom(_BYTES).hex()
        draft = path.with_name(f".{path.name}.{secret[:16]}.tmp")
        try:
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
            ) as file:
                file.write(f"{secret}\n")
            with suppress(FileExistsError):  # another start was quicker
                os.link(draft, path, follow_symlinks=False)
            draft.unlink()
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}") from None
    return _content(path)


def _content(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
            facts = os.fstat(descriptor)
            private = stat.S_ISREG(facts.st_mode) and not facts.st_mode & 0o077
            if not private or facts.st_uid != os.geteuid():
                rule = "must be a plain file that you own and nobody else may read (chmod 600)"
                raise SourceError(f"{path} {rule}; remove it for a new token")
            secret = file.read(_MOST_BYTES).strip()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
    if not secret:
        raise SourceError(f"{path} must hold a token, got an empty file; remove it for a new one")
    return secret
