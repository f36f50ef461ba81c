"""Paths as people write them."""

from __future__ import annotations

import shlex
from pathlib import Path


def home_short(path: str) -> str:
    """The path with the home folder as `~`."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(home + "/") else path


def shell_word(path: str) -> str:
    """The path as one word of a shell command, with the home folder as `~`, which it expands."""
    short = home_short(path)
    return f"~/{shlex.quote(short[2:])}" if short.startswith("~/") else shlex.quote(path)
