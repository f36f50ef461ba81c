"""The folder of the agent's files, as a plugin."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from ...errors import PrefrontalError
from ...plugin import Plugin, PluginMeta


class WorkspacePlugin(Plugin):
    """Provides the folder, `path`, and creates it at the start.

    folder: None for a new one of its own, which is gone when the agent stops.
    """

    meta = PluginMeta(id="workspace", version="1", capabilities=["workspace"], priority=5)

    def __init__(self, folder: Path | None = None) -> None:
        self._is_own = folder is None
        self.path = Path(tempfile.mkdtemp(prefix="prefrontal-")) if folder is None else folder
        if self._is_own:
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    async def start(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            rule = "be a folder that can be written"
            why = f"got {str(self.path)!r}: {error.strerror}"
            raise PrefrontalError(f"workspace must {rule}, {why}") from None

    async def stop(self) -> None:
        if self._is_own:
            shutil.rmtree(self.path, ignore_errors=True)


def create_plugin() -> WorkspacePlugin:
    return WorkspacePlugin()
