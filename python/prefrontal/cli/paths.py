"""Paths as people write them."""

from __future__ import annotations

from pathlib import Path


def home_short(path: str) -> str:
    """The path with the home folder as `~`."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(home + "/") else path
