"""Shows log lines on standard error."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from ...plugin import Plugin, PluginMeta
from ..log_lines import LEVELS, show


class LoggerPlugin(Plugin):
    """Shows lines of `logging.level` (default "info") and above."""

    meta = PluginMeta(id="logger", version="1", capabilities=["logging"], priority=5)

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._level = "info"

    def configure(self, config: dict[str, Any]) -> None:
        level = (config.get("logging") or {}).get("level", self._level)
        level = {"warning": "warn", False: "off"}.get(level, level)
        if level not in LEVELS:
            raise ValueError(f"logging.level must be one of {', '.join(LEVELS)}, got {level!r}")
        self._level = level

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def show_line(self, level: str, plugin_id: str, message: str) -> None:
        """Show a line, if its level is high enough."""
        if LEVELS.index(level) >= LEVELS.index(self._level):
            show((level, plugin_id, message), self._stream or sys.stderr)


def create_plugin() -> LoggerPlugin:
    return LoggerPlugin()
