"""Texts kept by key, one file each: what the agent remembers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

from ..errors import InputError, SourceError
from .files import write_atomic
from .text_search import ranked

LONGEST_KEY = 512
"""Most characters of a key."""
LARGEST_CONTENT = 16 << 20
"""Most bytes of a text."""

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 100
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]
)
_HEADER = re.compile(r"<!-- key: (\".*\") -->\n")


class MemoryFiles:
    """A folder with one `<key>.md` for each text.

    A key in lowercase kebab-case is the name of its file. Any other key, one that is long or one
    that some system reserves gets a name made of what can be kept of it and a hash, and stands in
    the first line: two keys never share a file, and no key leaves the folder.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def claim(self, owner: str) -> None:
        """Whoever has the agent's ledger has the folder."""

    def close(self) -> None: ...

    def place(self, key: str) -> str:
        """The file, for people."""
        return str(self.path(key))

    def path(self, key: str) -> Path:
        """The file of a key, whether it exists or not. Raises InputError for what is no key."""
        return self.folder / f"{_file_name(key)}.md"

    def store(self, key: str, content: str) -> None:
        """Keep the text under the key, in place of what was there, whole or not at all.

        Raises InputError for what is no key or too large, SourceError when it cannot be written.
        """
        path = self.path(key)
        data = _header(key).encode() + content_bytes(key, content)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"{self.folder} cannot be made: {error.strerror or error}") from None
        write_atomic(path, data)

    def retrieve(self, key: str) -> str | None:
        """The text; None when there is none. Bytes that are not UTF-8 become U+FFFD.

        Raises InputError for what is no key, SourceError when it cannot be read.
        """
        path = self.path(key)
        text = _read(path)
        return text if text is None or _is_plain(path.stem) else _HEADER.sub("", text, count=1)

    def delete(self, key: str) -> bool:
        """Delete the text; whether there was one. Raises as `store`."""
        path = self.path(key)
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SourceError(f"{path} cannot be deleted: {error.strerror or error}") from None
        return True

    def modified(self, key: str) -> float | None:
        """When it was stored last, in Unix seconds; None when it is not there."""
        try:
            return self.path(key).stat().st_mtime
        except OSError:
            return None

    def keys(self) -> list[str]:
        """All keys, sorted. Raises SourceError where the folder or a file cannot be read."""
        return sorted(self._texts())

    def search(self, query: str, limit: int = 20) -> list[tuple[str, float]]:
        """Keys of texts with words of the query, and how well each fits; see `ranked`."""
        return ranked(self._texts(), query, limit)

    def _texts(self) -> dict[str, str]:
        texts = {}
        for path in self._paths():
            text = _read(path) if path.is_file() else None
            if text is not None and (entry := _key_and_text(path.stem, text)) is not None:
                texts[entry[0]] = entry[1]
        return texts

    def _paths(self) -> list[Path]:
        try:
            return sorted(each for each in self.folder.iterdir() if each.name.endswith(".md"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:  # `glob` would find nothing, as if nothing were kept
            raise SourceError(f"{self.folder} cannot be read: {error.strerror or error}") from None


def check_key(key: str) -> None:
    """Raises InputError for what is no key."""
    if not isinstance(key, str) or not key.strip():
        raise InputError(f"key must be a non-blank string, got {key!r:.80}")
    if len(key) > LONGEST_KEY:
        raise InputError(f"key must have at most {LONGEST_KEY} characters, got {len(key)}")


def content_bytes(key: str, content: str) -> bytes:
    """The text of a key in UTF-8, "?" for what that cannot hold. Raises InputError when it is too
    large.
    """
    if not isinstance(content, str):
        raise InputError(f"content must be a string, got {content!r:.80}")
    data = content.encode(errors="replace")
    if len(data) > LARGEST_CONTENT:
        rule = f"have at most {LARGEST_CONTENT} bytes"
        raise InputError(f"content of {key!r:.80} must {rule}, got {len(data)}")
    return data


def _file_name(key: str) -> str:
    check_key(key)
    if _is_plain(key):
        return key
    slug = re.sub(r"[^a-z0-9]+", "-", key.casefold()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:24]
    return f"{slug or 'key'}--{digest}"


def _is_plain(key: str) -> bool:
    """Whether the key is the name of its file as it stands; such a name never holds "--"."""
    return len(key) <= _LONGEST_NAME and key not in _RESERVED and _KEBAB.fullmatch(key) is not None


def _header(key: str) -> str:
    return "" if _is_plain(key) else f"<!-- key: {json.dumps(key)} -->\n"


def _key_and_text(name: str, text: str) -> tuple[str, str] | None:
    """What a file holds; None for one that was not made here."""
    if _is_plain(name):
        return name, text
    header = _HEADER.match(text)
    if header is None:
        return None
    try:
        key = json.loads(header[1])
        return (key, text[header.end() :]) if _file_name(key) == name else None
    except (ValueError, InputError):
        return None


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None
