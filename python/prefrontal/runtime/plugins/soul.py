"""The agent's soul: SOUL.md, its character in the operator's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...plugin import Plugin, PluginMeta
from ...redaction import redact
from ..workspace_files import check_plain, locate, read_start, workspace_of

FILE_NAME = "SOUL.md"
LONGEST_SOUL = 8000
"""Characters of it that go into a prompt."""


class SoulPlugin(Plugin):
    """Adds the current SOUL.md to the system prompt.

    Configuration: soul.path, relative to the workspace. A missing file is an empty soul; one that
    cannot be read leaves the previous text.
    """

    meta = PluginMeta(
        id="soul",
        version="1",
        capabilities=["soul"],
        optional_dependencies=["config", "workspace"],
        priority=15,
        implements={"context.system_prompt": "get_soul"},
    )

    def __init__(self) -> None:
        self._config: dict[str, Any] = {}
        self._path: Path | None = None
        self._version: tuple[int, int, int] | None = None
        self._text = ""
        self._complaint = ""

    def configure(self, config: dict[str, Any]) -> None:
        name = (config.get("soul") or {}).get("path", FILE_NAME)
        if not isinstance(name, str) or not name.strip() or "\0" in name:
            raise ValueError(f"soul.path must be a path, got {name!r}")
        self._config = config

    async def start(self) -> None:
        workspace = workspace_of(self.registry, self._config)
        name = (self._config.get("soul") or {}).get("path")
        if workspace is not None or name:
            self._path = locate(workspace, name or FILE_NAME)
        self.get_soul()

    async def stop(self) -> None:
        pass

    def get_soul(self, ctx: object = None) -> str:
        """The soul, redacted and cut to LONGEST_SOUL characters; "" without one."""
        if self._path is None:
            return ""
        try:
            self._look(self._path)
            self._complaint = ""
        except FileNotFoundError:
            self._version, self._text = None, ""
        except OSError as error:
            complaint = f"{self._path} cannot be read: {error.strerror or error}"
            if complaint != self._complaint:
                self.log_warn(complaint)
            self._complaint = complaint
        return self._text

    def _look(self, path: Path) -> None:
        version = check_plain(path)
        if version != self._version:
            self._text = self._read(path)
            self._version = version

    def _read(self, path: Path) -> str:
        start, whole = read_start(path, 2 * LONGEST_SOUL)
        text = redact(start)
        if not whole or len(text) > LONGEST_SOUL:
            self.log_warn(f"{path} must have at most {LONGEST_SOUL} characters, the rest is unread")
        return text[:LONGEST_SOUL]


def create_plugin() -> SoulPlugin:
    return SoulPlugin()
