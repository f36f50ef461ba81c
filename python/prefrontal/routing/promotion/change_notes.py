"""CHANGELOG.md of a domain: adds notes at the top, leaves the rest unchanged."""

from __future__ import annotations

from pathlib import Path

from ...errors import SourceError
from ...storage.files import write_atomic
from ..regular_files import regular_bytes

NAME = "CHANGELOG.md"


def add_note(path: Path, title: str, note: str) -> None:
    """Insert a line below the file's first heading, unless the file has it already.

    title: the heading of a new file. Leaves the other bytes unchanged. Raises SourceError when it
    cannot be read or written.
    """
    try:
        text = regular_bytes(path)
    except FileNotFoundError:
        text = f"# {title}\n".encode()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None
    line = f"- {note}".encode("utf-8", "backslashreplace")
    lines = text.split(b"\n")
    if line in [one.rstrip(b"\r") for one in lines]:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, b"\n".join(_inserted(lines, line)))


def _inserted(lines: list[bytes], line: bytes) -> list[bytes]:
    heading = next((place for place, one in enumerate(lines) if one.startswith(b"# ")), None)
    if heading is None:
        return [line, *lines]
    after = heading + 1
    while after < len(lines) and not lines[after].strip():
        after += 1
    rest = lines[after:] or [b""]
    gap = [b""] if rest[0].strip() and not rest[0].startswith(b"- ") else []
    return [*lines[: heading + 1], b"", line, *gap, *rest]
