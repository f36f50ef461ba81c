"""Puts preload.c between this process, with its children, and the files below a folder."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NoReturn

from own_folder import make_own_folder

SOURCE = Path(__file__).with_name("preload.c")
CONTROL = "RELIABILITY_CONTROL"
_LONGEST_PATH = 4096
_NUMBERS = struct.Struct("8Q")
_RECORD = struct.Struct("6Q")
_COUNTS = struct.Struct("9Q")
_COUNTS_AT = _NUMBERS.size + 4 * _LONGEST_PATH
_CHOSEN = struct.Struct("2Q")
_CHOSEN_AT = _COUNTS_AT + _COUNTS.size
_PLACE, _PLACES = struct.Struct("3Q"), 8192
_PLACES_AT = _CHOSEN_AT + _CHOSEN.size
_SIZE = _PLACES_AT + _PLACES * _PLACE.size


class Mode(IntEnum):
    """What becomes of the acts: FAIL refuses one, FAIL_ON that one and all after it."""

    OFF, COUNT, FAIL, FAIL_ON, KILL, TRACE = range(6)


class Act(IntEnum):
    """What a process does to a file. OPEN stands for a new file in a trace, SAY for a report."""

    OPEN, WRITE, SYNC, RENAME, LOCK, TRUNCATE, UNLINK, MKDIR, SAY = range(9)


CHANGES = tuple(act for act in Act if act is not Act.SAY)


@dataclass(frozen=True, slots=True)
class ActPlace:
    """Acts of one kind on one file, called from the same lines of Python and from there on alike.

    mark: stands for it in all copies of this process. count: how many acts there were. In the name
    of the file a word with a digit counts as any other.
    """

    mark: int
    act: Act
    count: int


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One act that was done. offset: of a write, or the length of a truncated file."""

    act: Act
    inode: int
    offset: int
    path: str
    other: str
    data: bytes


class Control:
    """Says what the preloaded code does, in this process and in all that it starts.

    root: the folder it looks at. voice: a file below it whose writes are reports, and never fail.
    """

    def __init__(self, root: Path, voice: Path, trace: Path) -> None:
        with Path(os.environ[CONTROL]).open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _SIZE)
        self.trace = trace
        self.choose(root, voice)

    def choose(self, root: Path, voice: Path) -> None:
        """Look at this folder from now on."""
        for number, path in enumerate((root, voice, self.trace)):
            at = _NUMBERS.size + number * _LONGEST_PATH
            name = os.fsencode(path).ljust(_LONGEST_PATH, b"\0")
            self._shared[at : at + _LONGEST_PATH] = name

    def set(
        self,
        mode: Mode,
        at: int = 0,
        error: int = 0,
        acts: tuple[Act, ...] = CHANGES,
        place: int | None = None,
    ) -> None:
        """From now on the act numbered `at`, from 1, meets its fate.

        error: an errno; 0 stands for a short write, and for a kill at a whole act. place: the mark
        of the one whose acts count; 0: all count, and `places` tells where they were.
        """
        kinds = sum(1 << act for act in acts)
        self._shared[_COUNTS_AT:_CHOSEN_AT] = bytes(_COUNTS.size)
        self._shared[_CHOSEN_AT:_PLACES_AT] = _CHOSEN.pack(place is not None, place or 0)
        if place == 0:
            self._shared[_PLACES_AT:_SIZE] = bytes(_PLACES * _PLACE.size)
        self._shared[: _NUMBERS.size] = _NUMBERS.pack(0, at, error, kinds, 0, 0, 0, 0)
        self._shared[:8] = struct.pack("Q", mode)

    def off(self) -> None:
        """From now on nothing happens; what was counted stays."""
        self._shared[:8] = struct.pack("Q", Mode.OFF)

    @property
    def count(self) -> int:
        """How many acts there were."""
        return self._numbers()[4]

    @property
    def counts(self) -> dict[Act, int]:
        """How many acts of each kind there were."""
        counts = _COUNTS.unpack(self._shared[_COUNTS_AT:_CHOSEN_AT])
        return {act: count for act, count in zip(Act, counts, strict=True) if count}

    @property
    def places(self) -> list[ActPlace]:
        """Where the acts were that were counted; the rarest first."""
        rows = _PLACE.iter_unpack(self._shared[_PLACES_AT:_SIZE])
        places = [ActPlace(mark, Act(act), count) for mark, act, count in rows if mark]
        assert len(places) < _PLACES, "there is no room for more places"
        return sorted(places, key=lambda each: (each.count, each.mark))

    @property
    def met(self) -> tuple[Act, str] | None:
        """The act that met its fate, with the path; None when none did."""
        if not self._numbers()[5]:
            return None
        at = _NUMBERS.size + 3 * _LONGEST_PATH
        path = self._shared[at : at + _LONGEST_PATH].partition(b"\0")[0]
        return Act(self._numbers()[6]), os.fsdecode(path)

    def _numbers(self) -> tuple[int, ...]:
        return _NUMBERS.unpack(self._shared[: _NUMBERS.size])


def read_trace(path: Path) -> Iterator[TraceRecord]:
    """What was written down, in its order."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        act, inode, offset, *lengths = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        parts = []
        for length in lengths:
            parts.append(data[at : at + length])
            at += length
        name, other = map(os.fsdecode, parts[:2])
        yield TraceRecord(Act(act), inode, offset, name, other, parts[2])


def scratch() -> Path:
    """The folder that `start_preloaded` made, for this program to remove."""
    return Path(os.environ[CONTROL]).parent


def spare_this_process() -> None:
    """What this process does to files counts for nothing; what it starts is looked at."""
    with Path(os.environ[CONTROL]).open("r+b", buffering=0) as file:
        os.pwrite(file.fileno(), struct.pack("Q", os.getpid()), _NUMBERS.size - 8)


def acts_so_far() -> int:
    """How many acts were counted since `Control.set`."""
    with Path(os.environ[CONTROL]).open("rb", buffering=0) as file:
        return int(_NUMBERS.unpack(file.read(_NUMBERS.size))[4])


def knows_lines() -> bool:
    """Whether this Python tells preload.c which lines called; without them a place means little."""
    return hasattr(ctypes.pythonapi, "_Py_DumpTraceback")


def is_preloaded() -> bool:
    """Whether this process runs under preload.c."""
    return CONTROL in os.environ


def start_preloaded() -> NoReturn:
    """Begin this program again under preload.c, with a folder in memory for what it writes."""
    memory = Path("/dev/shm")
    folder = make_own_folder("trials", *([memory] if memory.is_dir() else []))
    library, control = folder / "preload.so", folder / "control"
    words = ["-O1", "-shared", "-fPIC", "-pthread", "-o", str(library), str(SOURCE)]
    subprocess.run([os.environ.get("CC", "cc"), *words], check=True)
    control.write_bytes(bytes(_SIZE))
    environment = os.environ | {"LD_PRELOAD": str(library), CONTROL: str(control)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # real starts compile as little as a user's
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)
