"""What a sweep has done, a line a run, so that the same sweep goes on after it was ended."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ... import __version__
from ...errors import InputError, SourceError

NAME = "runs.jsonl"
FORMAT = 1
"""Raised when the figures of a run come out otherwise within one version."""

Row = dict[str, Any]


def run_key(digest: str, setting: Mapping[str, Any]) -> str:
    """Of one run: its history, by its content, its setting, and this version of the package."""
    whole = json.dumps([FORMAT, __version__, digest, setting], sort_keys=True)
    return sha256(whole.encode()).hexdigest()


class SweepStore:
    """The runs of a folder, which one sweep at a time may use. Raises InputError and SourceError.

    A line that a killed sweep left half written counts as not done.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            raise SourceError(f"{folder} must be a folder to write to: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError(f"{folder} must be used by one sweep at a time") from None
        self._rows = self._read()

    def _read(self) -> dict[str, Row]:
        self._file.seek(0)
        rows: dict[str, Row] = {}
        whole = True
        for line in self._file:
            whole = line.endswith(b"\n")
            try:
                entry = json.loads(line)
                rows[entry["key"]] = dict(entry["row"])
            except (ValueError, TypeError, KeyError):
                continue
        if not whole:
            self._file.write(b"\n")
        return rows

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def row(self, key: str) -> Row | None:
        """The figures of a run that was done."""
        return self._rows.get(key)

    def add(self, key: str, row: Row) -> None:
        """Keep a run; it is there, whatever becomes of this process."""
        self._rows[key] = row
        self._file.write(json.dumps({"key": key, "row": row}).encode() + b"\n")
        self._file.flush()
