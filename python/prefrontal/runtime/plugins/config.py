"""The configuration, reread when its files change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...errors import PrefrontalError
from ...plugin import Plugin, PluginMeta


class ConfigPlugin(Plugin):
    """Holds prefrontal.yml as a dict.

    files: what `read` reads; when one of them has changed, `refresh` reads again.
    """

    meta = PluginMeta(id="config", version="1", capabilities=["config"], priority=1)

    def __init__(
        self, files: Sequence[Path] = (), read: Callable[[], dict[str, Any]] | None = None
    ) -> None:
        self._files = tuple(files)
        self._read = read
        self._config: dict[str, Any] = {}
        self._seen = self._state()

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    @property
    def config(self) -> dict[str, Any]:
        return self._config

    def refresh(self) -> dict[str, Any]:
        """The current configuration; warns and keeps the old one when it cannot be read."""
        state = self._state()
        if self._read is None or state == self._seen:
            return self._config
        self._seen = state
        try:
            self._config = self._read()
        except PrefrontalError as error:
            self.log_warn(f"The old configuration stays: {error}")
        return self._config

    def _state(self) -> list[tuple[int, int] | None]:
        return [_stamp(path) for path in self._files]


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def create_plugin() -> ConfigPlugin:
    return ConfigPlugin()
