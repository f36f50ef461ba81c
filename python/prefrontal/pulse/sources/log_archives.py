"""What rotation made of a log while nobody looked: its renamed, copied and compressed files."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple, cast

from ...errors import InputError
from .followed_file import FollowedFile

MOST_ARCHIVES = 100
MOST_UNPACKED = 2**30
"""Bytes of compressed files that are unpacked, into a file that has no name."""
_CHUNK = 2**20
_TRIES = 5
_UNITS = (1, 10**3, 10**9)
"""Of ns, in which times are kept of what was packed."""
_MIXED = 2
"""Of the direction of numbers that grow and begin again."""
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
    size: int

    @property
    def is_packed(self) -> bool:
        """Whether `unread` unpacks it."""
        return self.path.endswith(_PACKED)

    def packs(self, end: Mapping[str, object]) -> bool:
        """Whether it was made of the file with that end: those that pack keep its time."""
        written = cast("int", end["written"])
        times = [written // unit * unit for unit in _UNITS]
        return self.path.endswith((*_PACKED, *_UNREADABLE)) and self.written in times


class Unread(NamedTuple):
    """files: what is to be read, the oldest first. gaps: what may be gone, or cannot be read.

    holder: the one of the files that goes on at the place.
    """

    files: list[FollowedFile]
    gaps: int = 0
    holder: FollowedFile | None = None


def unread(
    path: Path,
    place: Mapping[str, object],
    left: Mapping[str, object] | None,
    known: Sequence[FollowedFile] = (),
) -> Unread:
    """The files between the place and the file that has the name now.

    The first goes on at the place, the others begin at their start. What cannot be read any more is
    told of. left: the end of the file before. known: files that are followed; what is being packed
    of them is left out.
    """
    return _in_peace(lambda: _once(_unread(path, place, left), known))


def between(
    path: Path, last: FollowedFile, left: Mapping[str, object] | None, known: Sequence[FollowedFile]
) -> Unread:
    """The files that had the name after `last`, which had it a look ago, and lost it since.

    left: the end of the file before. known: files that are followed, which are left out. It is told
    where files may have been rotated away unread.
    """
    identities = [each.identity for each in known]
    return _in_peace(lambda: _once(_between(path, last, left, identities), known))


def newest_end(path: Path) -> dict[str, object] | None:
    """The end of what was rotated last, if it can be read: what comes later is behind it."""
    archives = [each for each in _archives(path) if each.size]
    try:
        files = _open_all(archives[-1:]).files
    except FileNotFoundError:
        return None
    ends = [each.end for each in files]
    for each in files:
        each.close()
    return ends[0] if ends else None


def copies(path: Path, file: FollowedFile, left: Mapping[str, object] | None) -> Unread:
    """What was copied of a file before it was cut, when nothing of it was read."""
    since = cast("int", file.reached["written"])
    opened = _in_peace(lambda: _open_all(each for each in _archives(path) if each.written > since))
    files = _without(left, opened.files)
    for each in files:
        each.is_ended = True
    return _once(Unread(files, opened.gaps), (file,))


def _once(more: Unread, known: Sequence[FollowedFile]) -> Unread:
    """Without the pack of a file that is still there, too: that is about to be removed."""
    ends = [each.end for each in (*more.files, *known) if not each.is_unpacked]
    rest = []
    for each in more.files:
        if each is not more.holder and any(_is_pack(each, end) for end in ends):
            each.close()
        else:
            rest.append(each)
    return more._replace(files=rest)


def _is_pack(file: FollowedFile, end: Mapping[str, object]) -> bool:
    """Whether a file was made of the one with that end, and no earlier than that was written."""
    since = cast("int", end["written"])
    return file.is_unpacked and cast("int", file.end["written"]) >= since and file.continues(end)


def _without(place: Mapping[str, object] | None, files: list[FollowedFile]) -> list[FollowedFile]:
    """Without the file of the place, or what it was packed to, and without those before it."""
    if place is None:
        return files
    positions = [
        number
        for number, each in enumerate(files)
        if (each.is_unpacked or each.identity == place["file"]) and each.continues(place)
    ]
    first = positions[0] if positions else 0
    rest = []
    for number, each in enumerate(files):
        if number < first or number in positions:
            each.close()
        else:
            rest.append(each)
    return rest


def _in_peace(search: Callable[[], Unread]) -> Unread:
    """Search again where files were renamed meanwhile."""
    for _ in range(_TRIES - 1):
        with suppress(FileNotFoundError):
            return search()
    return search()


def _unread(path: Path, place: Mapping[str, object], left: Mapping[str, object] | None) -> Unread:
    renamed = _renamed(path, place)
    written = place.get("written") if renamed is None else renamed.place["written"]
    archives = [] if renamed is None and not isinstance(written, int) else _archives(path)
    if isinstance(written, int):  # an empty file follows on what was rotated at the same moment
        since = written + (renamed is None and place["offset"] == 0)
        archives = [each for each in archives if each.written >= since]
    if renamed is not None:
        there, gaps, _ = _open_all(_behind(archives, renamed.identity))
        return Unread([renamed, *there], gaps, renamed)
    opened, gaps, _ = _open_all(archives)
    there = _without(left, opened) if place["offset"] == 0 else opened
    holder = next((each for each in there if each.continues(place)), None)
    if holder is None and place["offset"] != 0:
        log.warning("%s was rotated, and what was read of it last is gone: lines are lost", path)
        gaps += 1
    if holder is not None and not holder.is_unpacked:  # logs are copied here, and cut
        for file in there:
            file.is_ended = True
    first = 0 if holder is None else there.index(holder)
    for file in there[:first]:
        file.close()
    return Unread(there[first:], gaps, holder)


def _between(
    path: Path, last: FollowedFile, left: Mapping[str, object] | None, known: list[list[int]]
) -> Unread:
    end = last.end
    archives = _archives(path)
    own = [number for number, each in enumerate(archives) if each.identity == last.identity]
    since = cast("int", end["written"]) + (end["offset"] == 0)
    later = archives[own[0] + 1 :] if own else [each for each in archives if each.written >= since]
    opened = _open_all(
        each for each in later if each.size and each.identity not in known and not each.packs(end)
    )
    others = _without(end, opened.files)
    is_there = bool(own) or len(others) < len(opened.files)
    is_there = is_there or any(each.packs(end) for each in archives)
    files = _without(left, others)
    # What was packed of an empty file is not known again, but the file before it is.
    is_there = is_there or (end["offset"] == 0 and len(files) < len(others))
    if files and not is_there:
        log.warning("%s was rotated again and again, and files are gone: lines may be lost", path)
    return Unread(files, opened.gaps + bool(files and not is_there))


def _behind(archives: list[Archive], identity: list[int]) -> list[Archive]:
    """Those that are newer than the one of that identity; all where it is not among them."""
    own = [number for number, each in enumerate(archives) if each.identity == identity]
    return archives[own[0] + 1 :] if own else archives


def _renamed(path: Path, place: Mapping[str, object]) -> FollowedFile | None:
    """The very file of the place, at the place, if it has another name in its folder now."""
    try:
        with os.scandir(path.parent) as entries:
            files = [entry for entry in entries if entry.is_file() and entry.name != path.name]
    except FileNotFoundError:
        return None
    with suppress(InputError):
        for entry in files:
            facts = entry.stat()
            if [facts.st_dev, facts.st_ino] == place["file"]:
                packed = entry.name.endswith(_PACKED)
                content = _unpacked(entry.path) if packed else None
                identity = cast("list[int]", place["file"]) if packed else None
                file = FollowedFile(entry.path, content, identity)
                if file.goes_on(place):
                    return file
                file.close()
    return None


def _archives(path: Path) -> list[Archive]:
    """All that are named after the log, the oldest first; of one that is being packed, itself."""
    archives = []
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name: entry for entry in entries}
    except FileNotFoundError:
        return []
    for name, entry in names.items():
        suffix = next((each for each in (*_PACKED, *_UNREADABLE) if name.endswith(each)), "")
        plain = name.removesuffix(suffix)
        number = _number(plain, path)
        if number is None or (suffix and plain in names) or not entry.is_file():
            continue
        facts = entry.stat()
        identity = [facts.st_dev, facts.st_ino]
        archives.append(Archive(entry.path, facts.st_mtime_ns, number, identity, facts.st_size))
    return _oldest_first(archives)


def _oldest_first(archives: list[Archive]) -> list[Archive]:
    """By time; but a pack, whose time may be that of packing, is as old as its number says.

    Numbers grow with age unless the times of files of one kind say the opposite.
    """
    numbered = [each for each in archives if each.number >= 0]
    plain = [each for each in numbered if not each.path.endswith((*_PACKED, *_UNREADABLE))]
    sign = _direction(plain) or _direction([each for each in numbered if each not in plain]) or -1

    def written(archive: Archive) -> int:
        if sign == _MIXED or archive in plain or archive.number < 0:
            return archive.written
        newer = (each for each in numbered if (each.number - archive.number) * sign >= 0)
        return min(each.written for each in newer)

    order = 1 if sign == 1 else -1
    return sorted(archives, key=lambda each: (written(each), order * each.number, each.path))


def _direction(archives: list[Archive]) -> int:
    """1 where higher numbers are newer, -1 where they are older, 0 where nothing tells."""
    in_order = sorted(archives, key=lambda each: each.number)
    pairs = [
        (each, other)
        for each, other in pairwise(in_order)
        if each.number != other.number and each.written != other.written
    ]
    newer = sum(each.written < other.written for each, other in pairs)
    if 0 < newer < len(pairs):
        return _MIXED
    return (newer > 0) - (newer < len(pairs))


def _number(name: str, path: Path) -> int | None:
    """Behind the log's name, -1 for a date; None for a file of another name."""
    for start, end in ((path.name, ""), (path.stem, path.suffix)):
        if name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end):
            between = name[len(start) : len(name) - len(end)]
            if _SUFFIX.fullmatch(between):
                return int(between[1:]) if between[1:].isdigit() and len(between) < 6 else -1
    return None


def _open_all(archives: Iterable[Archive]) -> Unread:
    """The newest of them; one that cannot be read is told of and counted."""
    files: list[FollowedFile] = []
    gaps = 0
    with ExitStack() as stack:
        for archive in list(archives)[-MOST_ARCHIVES:]:
            try:
                files.append(_opened(archive))
                stack.callback(files[-1].close)
            except FileNotFoundError:  # it was rotated away this moment
                raise
            except (OSError, EOFError, ValueError) as error:  # each module has its own
                log.warning("what stands in %s is not read: %s", archive.path, error)
                gaps += 1
        stack.pop_all()
    return Unread(files, gaps)


def _opened(archive: Archive) -> FollowedFile:
    if archive.path.endswith(_UNREADABLE):
        raise InputError("this release cannot unpack it")
    if archive.is_packed:
        return FollowedFile(archive.path, _unpacked(archive.path), archive.identity)
    return FollowedFile(archive.path)


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
