"""The folder of the agent's files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def workspace_of(config: Mapping[str, Any]) -> Path | None:
    """The folder that a configuration names; None: store nothing on disk.

    `assembly.agent.build_runtime` always names one.
    """
    named = config.get("workspace")
    return Path(str(named)).expanduser() if named else None
