"""Small files that a gate keeps for its next call; whoever deletes them loses nothing but time."""

from __future__ import annotations

import os
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class CallFile:
    """Fields of text under the key of a call. kind: what they are, as the file's ending.

    Nothing here raises OSError: what cannot be kept was never kept.
    """

    __slots__ = ("_key", "path")

    def __init__(self, key: str, kind: str) -> None:
        self._key = os.fsencode(key).replace(b"\0", b"\1")
        folder = _folder()
        self.path = f"{folder}/gate-{crc32(self._key):08x}.{kind}" if folder else ""

    def read(self) -> list[str] | None:
        """What was kept; None where nothing was, or for another call."""
        try:
            with open(self.path, "rb") as file:  # noqa: PTH123
                parts = file.read().split(b"\0")
        except OSError:
            return None
        if parts[0] != self._key or parts[-1] != b"end":
            return None
        return [os.fsdecode(each) for each in parts[1:-1]]

    def write(self, fields: Sequence[str]) -> bool:
        """Keep the fields, all or none; whether they are kept."""
        data = b"\0".join([self._key, *map(os.fsencode, fields), b"end"])
        beside = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(_folder(), mode=0o700, exist_ok=True)  # noqa: PTH103
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except (OSError, ValueError):
            return False
        try:
            try:
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
            os.replace(beside, self.path)  # noqa: PTH105
        except OSError:
            _remove(beside)
            return False
        return True

    def forget(self) -> None:
        """Keep nothing."""
        _remove(self.path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        return


def _home_cache() -> str:
    if os.path.isabs(os.environ.get("HOME", "/")):  # noqa: PTH117
        return os.path.expanduser("~/.cache")  # noqa: PTH111
    from ...home_folder import known_home

    home = known_home()
    return "" if home is None else f"{home}/.cache"


def _folder() -> str:
    """$XDG_CACHE_HOME/prefrontal, usually ~/.cache/prefrontal; empty where the home is unknown."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    home = named if os.path.isabs(named) else _home_cache()  # noqa: PTH117
    return os.path.join(home, "prefrontal") if os.path.isabs(home) else ""  # noqa: PTH117, PTH118
