"""The folders to watch: which are there, which lie in others, which came, went or were replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from ....home_folder import expanded

Identity = tuple[int, int]


def resolved(path: str | os.PathLike[str]) -> str:
    """Absolute, with "~" and links replaced as far as they exist now."""
    return os.path.realpath(expanded(path))


class Roots:
    """Folders by path as given and resolved; what is armed is what a watch was made for."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.paths = list(dict.fromkeys(map(resolved, paths)))
        self.armed: dict[str, Identity] = {}

    def add(self, path: str) -> None:
        """Take a resolved path in; a known one is ignored."""
        if path not in self.paths:
            self.paths.append(path)

    def present(self) -> dict[str, Identity]:
        """The outermost folders that exist, each once, with what tells one from its successor."""
        folders: dict[str, Identity] = {}
        for path in sorted(self.paths, key=len):
            identity = _identity(path)
            known = identity is None or identity in folders.values()
            if not known and holder(path, folders) is None:
                folders[path] = identity  # type: ignore[assignment]
        return folders

    def missing(self) -> list[str]:
        """Paths where no folder is."""
        return [path for path in self.paths if _identity(path) is None]

    def holder_of(self, path: str) -> str | None:
        """The armed folder that holds `path`."""
        return holder(path, self.armed)


def holder(path: str, folders: Iterable[str]) -> str | None:
    """The one of `folders` that is `path` or holds it."""
    for folder in folders:
        if path == folder or path.startswith(folder.rstrip(os.sep) + os.sep):
            return folder
    return None


def _identity(path: str) -> Identity | None:
    try:
        facts = os.stat(path)  # noqa: PTH116 - plain strings all the way
    except (OSError, ValueError):
        return None
    return (facts.st_dev, facts.st_ino) if stat.S_ISDIR(facts.st_mode) else None
