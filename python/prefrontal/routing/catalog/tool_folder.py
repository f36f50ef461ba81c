"""Reads a folder of tools: Python files, manifests, and findings about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..regular_files import regular_bytes
from ..types import Finding, Manifest, Tool
from . import manifest as manifests
from . import tool_facts
from .manifest import manifest_of

if TYPE_CHECKING:
    from ..layout import Layout
    from .cache import FactCache

MOST_BYTES = 1 << 20
"""Size limit of a tool's file."""


class FolderReader:
    """Reads folders below one root; collects tools, findings and file names.

    Imports and runs nothing. Refuses links that lead out of domains/ and shared_tools/.
    """

    def __init__(self, layout: Layout, cache: FactCache) -> None:
        self._layout = layout
        self._cache = cache
        self._allowed = (layout.domains, layout.shared_tools)
        self.tools: list[Tool] = []
        self.findings: list[Finding] = []
        self.seen: dict[str, set[str]] = {}

    def read(self, folder: Path, domain: str | None, action: str | None) -> None:
        """Add the tools of the folder, sorted by name."""
        entries = self.entries(folder)
        prefix = folder.relative_to(self._layout.root).as_posix()
        described = self._manifests(entries, prefix)
        for entry in entries:
            stem = _tool_name(entry.name)
            if stem and self._usable(entry, path := folder / entry.name, stem):
                relative = f"{prefix}/{entry.name}"
                place = tool_facts.ToolPlace(
                    path=path, relative=relative, domain=domain, action=action
                )
                self._take(entry, place, described.get(stem))
        for name in sorted(described.keys() - {_tool_name(entry.name) for entry in entries}):
            text = f"name must be that of a tool in this folder, got {name!r}"
            self.report(described[name].path, 0, text)
        self.seen[prefix] = {entry.name for entry in entries}

    def entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """The entries, sorted by name; none, with a finding, when the folder cannot be read."""
        try:
            if not self._inside(folder):
                self.report(folder, 0, "link must not lead out of domains/ and shared_tools/")
                return []
            with os.scandir(folder) as listing:
                return sorted(listing, key=lambda entry: os.fsencode(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.report(folder, 0, f"folder cannot be read: {error.strerror}")
            return []

    def report(self, path: Path, line: int, text: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(path, line, text))

    def _inside(self, path: Path) -> bool:
        real = Path(os.path.realpath(path))
        return any(real == folder or folder in real.parents for folder in self._allowed)

    def _usable(self, entry: os.DirEntry[str], path: Path, stem: str, kind: str = "tool") -> bool:
        """Whether the file of the tool `stem` may be read; a finding says why not."""
        if not stem.replace("-", "_").isidentifier() or not entry.name.isprintable():
            rule = f"name of a {kind} must be letters, digits, - and _, a letter first"
            self.report(path.parent, 0, f"{rule}, got {entry.name!a}")
        elif entry.is_symlink() and not self._inside(path):
            self.report(path, 0, "link must not lead out of domains/ and shared_tools/")
        elif not _is_file(entry):
            self.report(path, 0, f"{kind} must be a plain file")
        else:
            return True
        return False

    def _take(
        self, entry: os.DirEntry[str], place: tool_facts.ToolPlace, manifest: Manifest | None
    ) -> None:
        path, stem = place["path"], entry.name[:-3]
        try:
            sha256, facts = self._cache.facts(
                place["relative"],
                entry.stat(),
                lambda: regular_bytes(path, MOST_BYTES),
                lambda data: tool_facts.read_facts(data, stem),
            )
        except OSError as error:
            self.report(path, 0, f"file cannot be read: {error.strerror or error}")
            return
        if "refused" in facts:
            self.report(path, *facts["refused"])
        elif facts:
            self.tools.append(tool_facts.tool_of(facts, sha256, place, manifest))
            if manifest is not None:
                for sentence in tool_facts.contradictions(facts, manifest):
                    self.report(manifest.path, 0, f"{manifest.name}: {sentence}")

    def _manifests(self, entries: list[os.DirEntry[str]], prefix: str) -> dict[str, Manifest]:
        """The manifests of the folder, by tool; a tool's own file overrides the folder's."""
        by_tool: dict[str, Manifest] = {}
        own: set[str] = set()
        for entry in entries:
            name = None if entry.name.endswith(".py") else manifest_of(entry.name)
            if name is None:
                continue
            for manifest in self._read_manifest(entry, f"{prefix}/{entry.name}", name):
                if name and name not in own:
                    by_tool[name] = manifest
                    own.add(name)
                elif manifest.name in by_tool and manifest.name not in own:
                    text = f"name must be described once in a folder, got {manifest.name!r} again"
                    self.report(manifest.path, 0, text)
                else:
                    by_tool.setdefault(manifest.name, manifest)
        return by_tool

    def _read_manifest(
        self, entry: os.DirEntry[str], relative: str, name: str
    ) -> Sequence[Manifest]:
        path = Path(entry.path)
        if not self._usable(entry, path, name or "tool", "manifest"):
            return ()
        try:
            _, facts = self._cache.facts(
                relative,
                entry.stat(),
                lambda: regular_bytes(path, MOST_BYTES),
                lambda _: manifests.to_facts(*manifests.read_manifests(path, name)),
            )
        except OSError as error:
            self.report(path, 0, f"file cannot be read: {error.strerror or error}")
            return ()
        descriptions, findings = manifests.from_facts(path, facts)
        self.findings += findings
        return descriptions


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def _tool_name(file_name: str) -> str:
    """The stem of a Python file that may be a tool, else empty."""
    return file_name[:-3] if file_name.endswith(".py") and file_name[0] not in "_." else ""
