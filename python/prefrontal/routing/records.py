"""JSON Lines files: appends whole lines; skips and reports torn ones."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from ..errors import SourceError
from .regular_files import regular_bytes
from .types import Finding


@dataclass(frozen=True, slots=True)
class Records:
    """The rows of a file. findings: lines that are no JSON object, with their numbers."""

    rows: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]


def record_line(record: Mapping[str, Any]) -> bytes:
    """The record as one line of UTF-8, its end included, fields in their order.

    Half of a surrogate pair (a prompt that was no UTF-8) stands as its JSON escape. Raises
    ValueError for NaN and infinities, TypeError for what JSON has no word for.
    """
    return _COMPACT.encode(dict(record)).encode("utf-8", "backslashreplace") + b"\n"


def append_record(path: Path, record: Mapping[str, Any], *, sync: bool = True) -> None:
    """Append one line, or nothing when the disk is full.

    Ends a torn last line first. sync: the line survives a power cut. Creates folders. Raises
    SourceError naming the path.
    """
    line = record_line(record)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _append(descriptor, line)
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{path} cannot be written: {reason}") from error


def read_records(path: Path, most_bytes: int = 1 << 30) -> Records:
    """Every whole line; none without a file.

    Raises SourceError when it cannot be read, is no regular file (a pipe would never end) or has
    more than most_bytes.
    """
    try:
        data = regular_bytes(path, most_bytes)
    except FileNotFoundError:
        return Records((), ())
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None
    rows, findings = [], []
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is not None:
            rows.append(row)
            continue
        torn = number == len(lines)
        problem = "the last line is torn and was skipped" if torn else "a line is no JSON object"
        findings.append(Finding(path, number, problem))
    return Records(tuple(rows), tuple(findings))


def _append(descriptor: int, line: bytes) -> None:
    size = os.fstat(descriptor).st_size
    whole = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
    rest = line if whole else b"\n" + line
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is not a JSON number")


def _plain(value: object) -> object:
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"a record must hold plain JSON values, got {value!r}")


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain)
