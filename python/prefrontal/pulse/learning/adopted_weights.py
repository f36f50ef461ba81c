"""What all modules knew when a history was adopted, kept so that it can be decided again."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable

State = tuple[str, bytes, int]
"""Name, content, and the number of the last label in it."""


def pack_states(states: Iterable[State]) -> bytes:
    """Several states as one."""
    plain = [(name, b64encode(content).decode(), through) for name, content, through in states]
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode())


def unpack_states(content: bytes) -> dict[str, tuple[bytes, int]]:
    """What `pack_states` packed, by name. Raises ValueError or TypeError for other bytes."""
    try:
        plain = json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return {name: (b64decode(packed), through) for name, packed, through in plain}
