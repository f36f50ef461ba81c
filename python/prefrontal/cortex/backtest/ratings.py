"""A stream of ratings from a file: rater, rated peer, score and time."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError

_GZIP_MAGIC = b"\x1f\x8b"
FRAUD, BENIGN = -1, 1


@dataclass(frozen=True, slots=True)
class Rating:
    """One rating: -10..+10, at `time` in Unix seconds."""

    source: str
    target: str
    value: int
    time: float


def read_ratings(path: str | os.PathLike[str]) -> list[Rating]:
    """Ratings ordered by time; equal times keep the order of the file.

    path: CSV with the columns source, target, rating (-10..+10), time (Unix seconds), plain or
    gzip; a header is skipped. Raises InputError naming the file, the line and what was wrong.
    """
    ratings = [_rating(place, row) for place, row in _rows(path, 4)]
    if not ratings:
        raise InputError(f"{os.fspath(path)} must hold at least one rating, got none")
    return sorted(ratings, key=lambda rating: rating.time)


def read_labels(path: str | os.PathLike[str]) -> dict[str, int]:
    """User -> -1 (fraud) or 1 (benign), from a CSV with the columns user, label.

    Raises InputError naming the file, the line and what was wrong.
    """
    labels: dict[str, int] = {}
    for place, (user, label) in _rows(path, 2):
        value = _number(place, "label", label)
        if value not in (FRAUD, BENIGN):
            raise InputError(f"{place}: label must be -1 or 1, got {label!r}")
        labels[user.strip()] = int(value)
    return labels


def _rating(place: str, row: list[str]) -> Rating:
    source, target, value, time = (cell.strip() for cell in row)
    for name, text in (("source", source), ("target", target)):
        if not text:
            raise InputError(f"{place}: {name} must not be empty")
    number = _number(place, "rating", value)
    if not number.is_integer() or not -10 <= number <= 10:
        raise InputError(f"{place}: rating must be a whole number from -10 to 10, got {value!r}")
    return Rating(source, target, int(number), _number(place, "time", time))


def _number(place: str, name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{place}: {name} must be a number, got {text!r}")
    return number


def _rows(path: str | os.PathLike[str], columns: int) -> Iterator[tuple[str, list[str]]]:
    """Each row with its place; skips a header, whose last cell is not a number."""
    name = os.fspath(path)
    try:
        text = _text(Path(path))
        for number, row in enumerate(csv.reader(io.StringIO(text), strict=True), start=1):
            if not any(cell.strip() for cell in row) or (number == 1 and _is_header(row)):
                continue
            if len(row) != columns:
                rule = f"have {columns} columns"
                raise InputError(f"{name}:{number}: a line must {rule}, got {len(row)}")
            yield f"{name}:{number}", row
    except csv.Error as error:
        raise InputError(f"{name} must be a CSV file ({error})") from None


def _is_header(row: list[str]) -> bool:
    try:
        float(row[-1])
    except ValueError:
        return row[-1].strip().isidentifier()
    return False


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP_MAGIC):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} must be a whole gzip file, got a broken one ({error})") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} must be UTF-8 text ({error.reason})") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}") from None
