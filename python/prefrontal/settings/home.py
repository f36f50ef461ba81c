"""Where an agent lives: its folder, and what its configuration says."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..storage.text_memory import TextMemory, open_memory
from .agent_file import AGENT_KEYS, read_agent_config, workspace_folder


@dataclass(frozen=True, slots=True)
class Home:
    """folder: the agent's; it need not exist. config: what was read to find it.

    file: the settings that were named; None for those at the usual places.
    """

    folder: Path
    config: dict[str, Any]
    file: str | None = None

    @classmethod
    def open(cls, folder: str | None, file: str | None, keys: Collection[str] = AGENT_KEYS) -> Home:
        """The home that these name. keys: the root keys of the configuration that are needed.

        Raises InputError or SourceError for settings that cannot be used.
        """
        config = read_agent_config(file, keys={"workspace", *keys})
        return cls(workspace_folder(folder, config), config, file)

    def whole_config(self) -> dict[str, Any]:
        """The configuration with all its keys, as the files hold it now. Raises as `open`."""
        return read_agent_config(self.file)

    def memory(self) -> TextMemory:
        """The texts that the agent keeps by key."""
        return open_memory(self.folder)
