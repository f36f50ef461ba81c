"""What a disk holds after a power loss, from a trace of what was done to it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from preload import Act, TraceRecord

SECTORS = (512, 4096)


@dataclass(slots=True)
class DiskFile:
    """A file's content that is on the disk, and what was done to it since it was synced last."""

    content: bytearray = field(default_factory=bytearray)
    waiting: list[TraceRecord] = field(default_factory=list)

    def sync(self) -> None:
        """All that waits is on the disk."""
        for each in self.waiting:
            _apply(self.content, each)
        self.waiting.clear()

    def survived(self, chance: random.Random, sector: int) -> bytes:
        """One of the contents that a power loss may leave: some of what waits, in any order."""
        content = bytearray(self.content)
        share = chance.choice((0.0, 0.5, 0.9, 1.0))
        for each in self.waiting:
            if each.act is Act.TRUNCATE:
                if chance.random() < share:
                    _apply(content, each)
                continue
            start = 0
            while start < len(each.data):
                at = each.offset + start
                end = start + sector - at % sector
                if chance.random() < share:
                    _write(content, at, each.data[start:end])
                start = end
        return bytes(content)


class Disk:
    """Files and names as a system keeps them that writes nothing but what it must.

    A file's content is safe once the file was synced, and so are its name, when it is new, and the
    new folders above it. A renamed or removed name is safe once its folder was synced; names that
    wait reach the disk in their order, and without what their files hold.
    folder: what is there, and safe, at the beginning.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, DiskFile] = {}
        self._names: dict[str, int] = {}
        self._folders: set[str] = {str(folder)}
        self._waiting: list[TraceRecord] = []
        for path in folder.rglob("*"):
            if path.is_dir():
                self._folders.add(str(path))
            elif path.is_file():
                inode = path.stat().st_ino
                self._names[str(path)] = inode
                self._files[inode] = DiskFile(bytearray(path.read_bytes()))

    def do(self, record: TraceRecord) -> None:
        """One act of the trace."""
        if record.act in (Act.WRITE, Act.TRUNCATE):
            self._files.setdefault(record.inode, DiskFile()).waiting.append(record)
        elif record.act is Act.SYNC:
            self._sync(record)
        elif record.act in (Act.OPEN, Act.RENAME, Act.UNLINK, Act.MKDIR):
            if record.act is Act.OPEN:
                self._files[record.inode] = DiskFile()
            self._waiting.append(record)

    def lose_power(self, chance: random.Random, target: Path) -> None:
        """Write what may be left of the folder to `target`.

        A file that is there still keeps its inode, by which who follows it knows it.
        """
        sector = chance.choice(SECTORS)
        names, folders = dict(self._names), set(self._folders)
        until = chance.choice((0, len(self._waiting), chance.randint(0, len(self._waiting))))
        for record in self._waiting[:until]:
            _rename(names, folders, record)
        before = target.with_name("before")
        target.rename(before)
        there = {path.stat().st_ino: path for path in before.rglob("*") if path.is_file()}
        for name in sorted(folders):
            (target / Path(name).relative_to(self._folder)).mkdir(parents=True, exist_ok=True)
        for name, inode in names.items():
            path = target / Path(name).relative_to(self._folder)
            if path.parent.is_dir() and not name.endswith("-shm"):
                if inode in there:
                    there[inode].rename(path)
                path.write_bytes(self._files[inode].survived(chance, sector))
        shutil.rmtree(before)

    def _sync(self, record: TraceRecord) -> None:
        if record.inode in self._files:
            self._files[record.inode].sync()
            opened = [n for n, each in enumerate(self._waiting) if _made(each, record.inode)]
            paths = {self._waiting[number].path for number in opened}
            before = self._waiting[: max(opened, default=-1) + 1]
            earlier = [each for each in before if paths & {each.path, each.other}]
            self._settle(lambda each: each in earlier)
            self._settle(lambda each: each.act is Act.MKDIR and _is_above(each.path, record.path))
        else:
            self._settle(lambda each: _parent(each.other or each.path) == record.path)
            self._settle(lambda each: each.act is Act.MKDIR and _is_above(each.path, record.path))

    def _settle(self, is_safe: Callable[[TraceRecord], bool]) -> None:
        rest = []
        for each in self._waiting:
            if is_safe(each):
                _rename(self._names, self._folders, each)
            else:
                rest.append(each)
        self._waiting = rest


def _made(record: TraceRecord, inode: int) -> bool:
    return record.act is Act.OPEN and record.inode == inode


def _is_above(folder: str, path: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _rename(names: dict[str, int], folders: set[str], record: TraceRecord) -> None:
    """Do to the names what the record did."""
    if record.act is Act.OPEN:
        names[record.path] = record.inode
    elif record.act is Act.MKDIR:
        folders.add(record.path)
    elif record.act is Act.UNLINK:
        names.pop(record.path, None)
        folders.discard(record.path)
    elif record.path in names:
        names[record.other] = names.pop(record.path)


def _apply(content: bytearray, record: TraceRecord) -> None:
    if record.act is Act.WRITE:
        _write(content, record.offset, record.data)
    elif record.offset < len(content):
        del content[record.offset :]
    else:
        content.extend(bytes(record.offset - len(content)))


def _write(content: bytearray, at: int, data: bytes) -> None:
    if at > len(content):
        content.extend(bytes(at - len(content)))
    content[at : at + len(data)] = data
