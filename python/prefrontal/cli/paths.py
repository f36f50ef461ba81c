"""Paths as people write them."""

from __future__ import annotations

from ..home_folder import known_home
from ..plain_text import quote_for_shell


def home_short(path: str) -> str:
    """The path with the home folder as `~`."""
    home = str(known_home() or "")
    inside = home and (path == home or path.startswith(home + "/"))
    return f"~{path[len(home) :]}" if inside else path


def shell_word(path: str) -> str:
    """The path as one word of a shell command, with the home folder as `~`, which it expands."""
    short = home_short(path)
    return f"~/{quote_for_shell(short[2:])}" if short.startswith("~/") else quote_for_shell(path)
