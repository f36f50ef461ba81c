"""The home folder, which a container's user without an entry in the list of users may lack."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from .errors import InputError, SourceError


def home_folder() -> Path:
    """The home folder. Raises SourceError where neither HOME nor the list of users tells."""
    home = known_home()
    if home is None:
        value = os.environ.get("HOME")
        got = f"HOME {value!r:.100}, no whole path," if value else "no HOME"
        raise SourceError(
            f"HOME must be set to a folder of yours, got {got} and no user {os.getuid()} in the"
            " list of users"
        )
    return home


def known_home() -> Path | None:
    """The home folder; None where it cannot be known. An empty or relative HOME counts as none."""
    if (home := Path(os.environ.get("HOME", ""))).is_absolute():
        return home
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with `~` and `~user` at its begin replaced by their home folders.

    Raises InputError for a user nobody knows, SourceError as `home_folder`.
    """
    first, *rest = Path(path).parts or ("",)
    if first == "~":
        return home_folder().joinpath(*rest)
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(
            f"path must name a user of this machine after ~, got {os.fspath(path)!r:.300}"
        ) from None
