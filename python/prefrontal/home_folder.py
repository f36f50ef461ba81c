"""The home folder, which a container's user without an entry in the list of users may lack."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import InputError, SourceError


def home_folder() -> Path:
    """The home folder. Raises SourceError where neither HOME nor the list of users tells."""
    home = known_home()
    if home is None:
        raise SourceError(
            f"HOME must be set to a folder of yours, got no HOME and no user {os.getuid()} in the"
            " list of users"
        )
    return home


def known_home() -> Path | None:
    """The home folder; None where it cannot be known."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with `~` and `~user` at its begin replaced by their home folders.

    Raises InputError for a user nobody knows, SourceError as `home_folder`.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        first = Path(path).parts[0]
        if first == "~":
            home_folder()
        raise InputError(
            f"path must name a user of this machine after ~, got {os.fspath(path)!r:.300}"
        ) from None
