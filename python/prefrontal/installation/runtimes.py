"""Which runtimes are on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import SourceError
from .targets.claude_code import claude_home
from .targets.hermes import hermes_home
from .targets.openclaw import openclaw_home

TITLES = {"claude-code": "Claude Code", "openclaw": "OpenClaw", "hermes": "Hermes"}


def runtimes_here() -> list[str]:
    """The agents that are installed, by the name of their target."""
    places = {
        "claude-code": ("claude", claude_home),
        "openclaw": ("openclaw", openclaw_home),
        "hermes": ("hermes", hermes_home),
    }
    return [name for name, place in places.items() if _is_here(*place)]


def _is_here(program: str, find: Callable[[], Path]) -> bool:
    with suppress(SourceError):  # of an unknown home
        return shutil.which(program) is not None and find().is_dir()
    return False
