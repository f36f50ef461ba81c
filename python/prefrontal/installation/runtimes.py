"""Which runtimes are on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

from .targets.claude_code import claude_home
from .targets.hermes import hermes_home
from .targets.openclaw import openclaw_home

TITLES = {"claude-code": "Claude Code", "openclaw": "OpenClaw", "hermes": "Hermes"}


def runtimes_here() -> list[str]:
    """The agents that are installed, by the name of their target."""
    places = {
        "claude-code": ("claude", claude_home()),
        "openclaw": ("openclaw", openclaw_home()),
        "hermes": ("hermes", hermes_home()),
    }
    return [name for name, place in places.items() if _is_here(*place)]


def _is_here(program: str, folder: Path) -> bool:
    return shutil.which(program) is not None and folder.is_dir()
