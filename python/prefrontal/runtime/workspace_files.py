"""Files named by the configuration, read with limits."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..home_folder import expanded

if TYPE_CHECKING:
    from ..plugin import Registry


def workspace_of(registry: Registry, config: Mapping[str, Any]) -> Path | None:
    """The folder of the plugin "workspace"; without one, the configured one, or None."""
    path = getattr(registry.get("workspace"), "path", None)
    if isinstance(path, Path):
        return path
    return locate(None, str(config["workspace"])) if config.get("workspace") else None


def locate(workspace: Path | None, name: str) -> Path:
    """A path of the configuration: `~` expanded, relative to the workspace.

    Without a workspace it is relative to the current folder. Raises as `home_folder.expanded`.
    """
    return (workspace or Path.cwd()) / expanded(name)


def check_plain(path: Path) -> tuple[int, int, int]:
    """Modification time, size and inode of a plain file. Raises OSError."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_start(path: Path, longest: int) -> tuple[str, bool]:
    """At most `longest` characters of a plain file, and whether that is all.

    Space around the text is dropped, bytes that are no UTF-8 become U+FFFD. Raises OSError.
    """
    check_plain(path)
    with path.open("rb") as file:
        data = file.read(4 * longest + 4)
    text = data.decode("utf-8-sig", errors="replace").strip()
    return text[:longest], len(text) <= longest and len(data) < 4 * longest + 4
