"""Files of JSON lines: opened, unpacked, counted and, if pipes, kept for a second pass."""

from __future__ import annotations

import gzip
import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from ...errors import InputError
from ...standard_input import input_bytes

LINE_LIMIT = 16 * 2**20
"""Bytes a line may hold; a longer one is no line of windows, and would break the memory bound."""

_BUFFER = 2**18
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"


def numbered_lines(path: str | Path, name: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank with its number from 1; gzip is unpacked, whatever the name.

    `name` is what errors call the file. Raises InputError when it cannot be opened or unpacked,
    or when a line is longer than LINE_LIMIT.
    """
    label = str(path) if name is None else name
    try:
        with _opened(path) as file:
            number = 0
            while line := file.readline(LINE_LIMIT + 1):
                number += 1
                if number == 1:
                    line = line.removeprefix(_UTF8_MARK)
                if len(line) > LINE_LIMIT:
                    rule = f"line must be at most {LINE_LIMIT:,} bytes, got a longer one"
                    raise InputError(f"{label}:{number}: {rule}")
                if line.strip():
                    yield number, line
    except InputError:
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{label} must be a whole gzip file, got a broken one ({error})") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"events file must be readable, got {label!r} ({reason})") from None


def count_lines(path: str | Path) -> int:
    """How many windows `read_windows` would give, if every line is well formed.

    Raises InputError as `numbered_lines` does, and for a pipe: counting would use it up.
    """
    if _is_pipe(Path(path)):
        raise InputError(f"events file must be a regular file to be counted, got {str(path)!r}")
    return sum(1 for _ in numbered_lines(path))


@contextmanager
def spooled(path: str | Path) -> Iterator[Path]:
    """A path that can be read twice: `path` itself, or a private copy of a pipe or of "-".

    The copy is as long as what came in, on the disk of the temporary folder, and goes at the end.
    """
    with ExitStack() as stack:
        if str(path) == "-":
            source: IO[bytes] = input_bytes()
        elif _is_pipe(Path(path)):
            source = stack.enter_context(Path(path).open("rb"))
        else:
            yield Path(path)
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="prefrontal-"))
        copy = Path(folder, "events.jsonl")
        with copy.open("wb") as target:
            shutil.copyfileobj(source, target, _BUFFER)
        yield copy


@contextmanager
def spool_stdin() -> Iterator[Path]:
    """Standard input as a file that can be read twice; see `spooled`."""
    with spooled("-") as copy:
        yield copy


def _is_pipe(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _opened(path: str | Path) -> Iterator[IO[bytes]]:
    with Path(path).open("rb", buffering=_BUFFER) as opened:
        file = cast("io.BufferedReader", opened)  # what open() gives, whatever its stub says
        if file.peek(2)[:2] == _GZIP_MAGIC:
            with gzip.GzipFile(fileobj=file) as unpacked:
                # BufferedReader finds line ends in C; GzipFile does so through Python calls.
                yield io.BufferedReader(unpacked, _BUFFER)
        else:
            yield file
