"""Names that are no signal: editors' scratch files, downloads under way, folders of tools."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

PARTIAL_SUFFIXES = (
    ".crdownload",  # Chrome, Edge
    ".part",  # Firefox, curl, KDE
    ".partial",  # wget2, Internet Explorer
    ".download",  # Safari
    ".opdownload",  # Opera
    ".filepart",  # WinSCP
    ".aria2",
    ".tmp~",
)
"""A file or folder that ends so, in any case, is a download under way; its final name counts."""

SCRATCH_NAMES = (
    "*~",  # backups: vim, emacs, gedit
    ".*.sw[a-p]",  # vim's swap files
    ".*.sw[a-p]x",
    "#*#",  # emacs
    ".#*",
    "~$*",  # Microsoft Office
    ".~lock.*#",  # LibreOffice
    ".*.kate-swp",
    ".goutputstream-*",  # GNOME
    "*___jb_tmp___",  # JetBrains
    "*___jb_old___",
    ".fuse_hidden*",  # deleted while open
    ".nfs*",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
)
"""Patterns of file names, with case, that are ignored."""

TOOL_FOLDERS = (
    ".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox",
)  # fmt: skip
"""Names of folders whose contents are ignored, anywhere below a watched folder."""

IGNORED = SCRATCH_NAMES + TOOL_FOLDERS


class NameRules:
    """Says which names are ignored; `ignored` are patterns for any part of a path."""

    def __init__(self, ignored: Iterable[str] = IGNORED) -> None:
        patterns = "|".join(translate(pattern) for pattern in ignored)
        self._ignores = re.compile(patterns).match if patterns else lambda name: None
        self.ignores = lru_cache(16_384)(self._decide)
        """Whether a name (one part of a path) is ignored."""

    def _decide(self, name: str) -> bool:
        return is_partial(name) or self._ignores(name) is not None

    def ignores_below(self, root: str, path: str) -> bool:
        """Whether any part of `path` below the folder `root` is ignored."""
        return any(map(self.ignores, path[len(root) :].split(os.sep)))  # noqa: PTH206


def is_partial(name: str) -> bool:
    """Whether the name is that of a download under way."""
    return name.lower().endswith(PARTIAL_SUFFIXES)
