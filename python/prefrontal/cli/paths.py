"""Paths as people write them."""

from __future__ import annotations

import os

from ..errors import InputError
from ..home_folder import known_home
from ..plain_text import quote_for_shell


def is_utf8(path: str | os.PathLike[str]) -> bool:
    """Whether the path is text, as what is asked about and kept must be."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def check_utf8(what: str, path: str | os.PathLike[str]) -> None:
    """Raises InputError for a path that no watch can take."""
    if not is_utf8(path):
        raise InputError(f"{what} must have a name in UTF-8, got {os.fspath(path)!r}")


def home_short(path: str) -> str:
    """The path with the home folder as `~`."""
    home = str(known_home() or "")
    inside = home and (path == home or path.startswith(home + "/"))
    return f"~{path[len(home) :]}" if inside else path


def shell_word(path: str) -> str:
    """The path as one word of a shell command, with the home folder as `~`, which it expands."""
    short = home_short(path)
    return f"~/{quote_for_shell(short[2:])}" if short.startswith("~/") else quote_for_shell(path)
