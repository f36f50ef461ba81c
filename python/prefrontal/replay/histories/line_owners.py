"""Which change wrote each line: a history's diffs in one pass, as `git blame` would tell it."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO

from . import git_process

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BLAMED = re.compile(rb"([0-9a-f]{40,64}) \d+ \d+")
_MARK = b"\x01"
OPTIONS = (
    "log", "--reverse", "--first-parent", "-m", "-p", "-U0", "-M", "-l200", "--full-index",
    "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none",
    "--src-prefix=a/", "--dst-prefix=b/", f"-O{os.devnull}", "--format=%x01%H",
)  # fmt: skip

Owners = array  # of the numbers of changes, a line each

NOBODY = 0
"""Wrote what was there before the first change that is read."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Lines of a file that a change removed or replaced.

    path: of the file before. owners: who wrote each, by number. lines: their text; written: what
    stands there now. Both are empty unless they were asked for.
    """

    path: bytes
    owners: Owners[int]
    lines: tuple[bytes, ...]
    written: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class LineChange:
    """What one change did. sha: its hash. removals: with their text, if that was wanted.

    sizes: lines that it removed and wrote, by the file's name, of files that are not binary.
    """

    sha: str
    removals: list[Removal]
    sizes: dict[bytes, int]


def diffs(folder: str, *revisions: str) -> AbstractContextManager[IO[bytes]]:
    """What `Diffs` reads, of the first parents. Raises SourceError as `git_process.stream`."""
    return git_process.stream(folder, *OPTIONS, *revisions)


class LineOwners:
    """The files as they are after the changes taken in so far, a number for each line.

    What stood in a file before the first change is of NOBODY, also where a file was not seen whole.
    """

    def __init__(self) -> None:
        self.files: dict[bytes, Owners[int]] = {}

    def take(
        self,
        output: IO[bytes],
        number: Callable[[str], int],
        wanted: Callable[[str], bool],
    ) -> Iterator[LineChange]:
        """Go through the changes. wanted: those whose removals are told, by their hash.

        number: of a change by its hash, NOBODY where its lines have no owner.
        """
        reader = _Diffs(output)
        for sha in reader.changes():
            own, change, after = number(sha), LineChange(sha, [], {}), {}
            looked_at = wanted(sha)
            for file in reader.files():
                owners = self.files.pop(file.old, None)
                if file.is_binary:
                    continue
                owners = Owners("I") if owners is None else owners
                change.removals.extend(file.apply(reader, owners, own, looked_at))
                change.sizes[file.new or file.old] = file.size
                if file.new:
                    after[file.new] = owners
            self.files |= after
            yield change


class _File:
    """The head of one file's diff. old, new: its names; empty where there is none.

    size: lines of the hunks that were applied.
    """

    __slots__ = ("is_binary", "new", "old", "size")

    def __init__(self, old: bytes, new: bytes) -> None:
        self.old = old
        self.new = new
        self.is_binary = False
        self.size = 0

    def apply(
        self, reader: _Diffs, owners: Owners[int], own: int, looked_at: bool
    ) -> Iterator[Removal]:
        """Bring the owners to what they are after the hunks."""
        while (hunk := _HUNK.match(reader.line)) is not None:
            removed = int(hunk[1]) if hunk[1] else 1
            written = int(hunk[3]) if hunk[3] else 1
            start = int(hunk[2]) - 1 if written else int(hunk[2])
            self.size += removed + written
            if len(owners) < start + removed:  # the file was not seen whole
                owners.extend([NOBODY] * (start + removed - len(owners)))
            lines = reader.hunk(removed, written, looked_at)
            if looked_at and removed:
                gone = owners[start : start + removed]
                yield Removal(self.old, gone, lines[:removed], lines[removed:])
            owners[start : start + removed] = Owners("I", [own]) * written


class _Diffs:
    """Reads git's patches; `line` is the next one that nobody took."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self.line = output.readline()

    def changes(self) -> Iterator[str]:
        """The hashes; all files of one must be taken before the next."""
        while self.line:
            if self.line.startswith(_MARK):
                sha = self.line[1:].strip().decode("ascii")
                self._next()
                yield sha
            else:
                self._next()

    def files(self) -> Iterator[_File]:
        """The heads of the files of this change; the hunks of each must be taken first."""
        while self.line and not self.line.startswith(_MARK):
            if self.line.startswith(b"diff --git "):
                yield self._head()
            else:
                self._next()

    def _head(self) -> _File:
        name = _same_name(self.line)
        file = _File(name, name)
        self._next()
        while self.line and not self.line.startswith((b"@@ ", b"diff --git ", _MARK)):
            word, _, rest = self.line.rstrip(b"\n").partition(b" ")
            if word == b"---":
                file.old = _name(rest)
            elif word == b"+++":
                file.new = _name(rest)
            elif word == b"rename":
                way, _, path = rest.partition(b" ")
                if way == b"from":
                    file.old = path
                else:
                    file.new = path
            elif word == b"new":
                file.old = b""
            elif word == b"deleted":
                file.new = b""
            elif word == b"Binary":
                file.is_binary = True
            self._next()
        return file

    def hunk(self, removed: int, written: int, looked_at: bool) -> tuple[bytes, ...]:
        """The lines of a hunk without their signs, as far as they are looked at."""
        lines = []
        self._next()
        left = removed + written
        readline = self._output.readline
        line = self.line
        while left and line:
            if line[:1] != b"\\":  # "\ No newline at end of file"
                left -= 1
                if looked_at:
                    lines.append(line[1:].rstrip(b"\r\n"))
            line = readline()
        while line[:1] == b"\\":
            line = readline()
        self.line = line
        return tuple(lines)

    def _next(self) -> None:
        self.line = self._output.readline()


def _same_name(line: bytes) -> bytes:
    """The name in "diff --git a/NAME b/NAME", where both are the same."""
    both = line.rstrip(b"\n")[len(b"diff --git ") :]
    return _name(both[: (len(both) - 1) // 2])


def _name(text: bytes) -> bytes:
    """The name behind "a/" or "b/", quoted or not; empty for no file."""
    text = text.removesuffix(b"\t")
    if text == b"/dev/null":
        return b""
    return b'"' + text[3:] if text.startswith(b'"') else text[2:]


def _unquoted(name: bytes) -> bytes:
    """A name as it is, where git wrote it as a string of C."""
    if not name.startswith(b'"'):
        return name
    return name[1:-1].decode("unicode_escape").encode("latin-1")


def line_writers(folder: str, revision: str, path: bytes) -> list[str]:
    """The hash of the change that wrote each line of a file, as `git blame --first-parent` says.

    path: as `Removal` names it. Raises SourceError as `git_process.stream`.
    """
    writers = []
    name = os.fsdecode(_unquoted(path))
    words = ("blame", "--first-parent", "--root", "--porcelain", "--no-textconv", revision)
    with git_process.stream(folder, "-c", "blame.ignoreRevsFile=", *words, "--", name) as output:
        for line in output:
            if line[:1] != b"\t" and (header := _BLAMED.match(line)):
                writers.append(header[1].decode("ascii"))
    return writers
