"""Where the ledger lies, by the configuration and the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, SourceError
from ..home_folder import expanded
from ..nearest import unknown_key
from ..storage.store_file import IN_MEMORY

FILE_NAME = "ledger.sqlite"
_KEYS = ("path",)


def file_name(config: Mapping[str, Any]) -> str:
    """`ledger.path` of the configuration, or the default. Raises InputError."""
    section = config.get("ledger") or {}
    if not isinstance(section, dict):
        raise InputError(f"ledger must be a mapping, got {section!r:.80}")
    for key in section:
        if key not in _KEYS:
            raise InputError(unknown_key("ledger", key, _KEYS))
    name = section.get("path", FILE_NAME)
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise InputError(f"ledger.path must be a path, got {name!r:.80}")
    return name


def ledger_path(name: str, workspace: Path | None) -> Path | str:
    """The file, or ":memory:", which is also the default without a workspace.

    name: of `file_name`. Raises InputError for a relative name without a workspace, and as
    `home_folder.expanded`.
    """
    if name == IN_MEMORY or (workspace is None and name == FILE_NAME):
        return IN_MEMORY
    path = expanded(name)
    if workspace is None and not path.is_absolute():
        raise InputError(f"ledger.path must be absolute without a workspace, got {name!r:.80}")
    return path if workspace is None else workspace / path


def with_folder(path: Path) -> Path:
    """The path; creates its folder, private to the owner. Raises SourceError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise SourceError(f"{path.parent} cannot be used as a folder: {reason}") from None
    return path
