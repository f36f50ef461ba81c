"""CHANGELOG.md of a domain: the newest note on top, whatever else people wrote into it."""

from __future__ import annotations

from pathlib import Path

from ...errors import SourceError
from ...storage.files import write_atomic

NAME = "CHANGELOG.md"


def add_note(path: Path, title: str, note: str) -> None:
    """Put a line below the file's first heading, unless it stands there already.

    title: the heading of a new file. The rest of the file stays as it is, byte for byte. Raises
    SourceError when it cannot be read or written.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        text = f"# {title}\n".encode()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
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
