"""What rotation made of a log while nobody looked: its renamed, copied and compressed files."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from ...errors import InputError
from .followed_file import FollowedFile

MOST_ARCHIVES = 100
MOST_UNPACKED = 2**30
"""Bytes of compressed files that are unpacked, into a file that has no name."""
_CHUNK = 2**20
_UNREADABLE = (".zst", ".zip", ".lz4", ".Z")
_PACKED = (".gz", ".bz2", ".xz")
_SUFFIX = re.compile(r"[-._]\d[\dTZ:._+-]*$")
"""A number or a date: app.log.2, app.log-20261123, app.log.2026-11-23_07."""

log = logging.getLogger("prefrontal.pulse")


class Archive(NamedTuple):
    """A file that had the log's name, or is a copy of what did. written: when last, in ns."""

    path: str
    written: int
    number: int
    identity: list[int]


def unread(path: Path, place: Mapping[str, object]) -> list[FollowedFile]:
    """The files between the place and the file that has the name now, the oldest first.

    The first goes on at the place, the others begin at their start. What cannot be read any more is
    told of.
    """
    renamed = _renamed(path, place)
    written = place.get("written") if renamed is None else renamed.place["written"]
    archives = [] if renamed is None and not isinstance(written, int) else _archives(path)
    if isinstance(written, int):  # an empty file follows on what was rotated at the same moment
        since = written + (renamed is None and place["offset"] == 0)
        archives = [each for each in archives if each.written >= since]
    own = None if renamed is None else renamed.identity
    files = [_opened(each) for each in archives[-MOST_ARCHIVES:] if each.identity != own]
    there = [file for file in files if file is not None]
    if renamed is not None:
        return [renamed, *there]
    holder = next((each for each in there if each.continues(place)), None)
    if holder is None and place["offset"] != 0:
        log.warning("%s was rotated, and what was read of it last is gone: lines are lost", path)
    first = 0 if holder is None else there.index(holder)
    for file in there[:first]:
        file.close()
    return there[first:]


def _renamed(path: Path, place: Mapping[str, object]) -> FollowedFile | None:
    """The very file of the place, at the place, if it has another name in its folder now."""
    with suppress(OSError, InputError), os.scandir(path.parent) as entries:
        for entry in entries:
            facts = entry.stat()
            if [facts.st_dev, facts.st_ino] == place["file"] and entry.name != path.name:
                packed = entry.name.endswith(_PACKED)
                content = _unpacked(entry.path) if packed else None
                identity = cast("list[int]", place["file"]) if packed else None
                file = FollowedFile(entry.path, content, identity)
                if file.goes_on(place):
                    return file
                file.close()
    return None


def _archives(path: Path) -> list[Archive]:
    """All that are named after the log, the oldest first."""
    archives = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            suffixes = (each for each in (*_PACKED, *_UNREADABLE) if entry.name.endswith(each))
            number = _number(entry.name.removesuffix(next(suffixes, "")), path)
            if number is not None and entry.is_file():
                facts = entry.stat()
                identity = [facts.st_dev, facts.st_ino]
                archives.append(Archive(entry.path, facts.st_mtime_ns, number, identity))
    return sorted(archives, key=lambda each: (each.written, -each.number, each.path))


def _number(name: str, path: Path) -> int | None:
    """Behind the log's name, 0 for a date; None for a file of another name."""
    for start, end in ((path.name, ""), (path.stem, path.suffix)):
        if name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end):
            between = name[len(start) : len(name) - len(end)]
            if _SUFFIX.fullmatch(between):
                return int(between[1:]) if between[1:].isdigit() and len(between) < 6 else 0
    return None


def _opened(archive: Archive) -> FollowedFile | None:
    """None for one that cannot be read, which is told of."""
    try:
        if archive.path.endswith(_UNREADABLE):
            raise InputError("this release cannot unpack it")
        if archive.path.endswith(_PACKED):
            return FollowedFile(archive.path, _unpacked(archive.path), archive.identity)
        return FollowedFile(archive.path)
    except FileNotFoundError:  # it was rotated away this moment
        return None
    except (OSError, EOFError, ValueError) as error:  # each module of the library has its own
        log.warning("what stands in %s is not read: %s", archive.path, error)
        return None


def _unpacked(path: str) -> IO[bytes]:
    """The whole content in a file without a name."""
    file = cast("IO[bytes]", tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
    try:
        size = 0
        with _opener(path)(path) as packed:
            while chunk := packed.read(_CHUNK):
                size += file.write(chunk)
                if size > MOST_UNPACKED:
                    raise InputError(f"it holds more than {MOST_UNPACKED:,} bytes")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _opener(path: str) -> Callable[[str], IO[bytes]]:
    import bz2
    import gzip
    import lzma

    openers = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast("Callable[[str], IO[bytes]]", openers[Path(path).suffix])
