"""A file's event: what the gate reads of a path and a size."""

from __future__ import annotations

import math
import os
import re
from pathlib import PurePath

from ....types import SignalEvent

_FULL_SIZE = math.log1p(2**30)
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


def file_event(
    path: str,
    delta_type: str,
    size_bytes: int,
    timestamp: float,
    old_location: str | None = None,
    *,
    catch_up: bool = False,
) -> SignalEvent:
    """The event of a file at an absolute path.

    Its magnitude is 1, of a "modified" ln(1+bytes)/ln(1+2^30), at most 1. Features: path,
    extension (the last suffix as written), size_bytes (0 when deleted), directory_depth (folders
    from the root), filename_tokens; old_location when the file moved; catch_up when it changed
    while nobody watched.
    """
    pure = PurePath(path)
    features: dict[str, object] = {
        "path": path,
        "extension": pure.suffix,
        "size_bytes": size_bytes,
        "directory_depth": len(pure.parts) - 1,
        "filename_tokens": [token for token in _NO_WORD.split(pure.stem) if token],
    }
    if old_location is not None:
        features["old_location"] = old_location
    if catch_up:
        features["catch_up"] = True
    magnitude = 1.0
    if delta_type == "modified":
        magnitude = min(math.log1p(max(size_bytes, 0)) / _FULL_SIZE, 1.0)
    return SignalEvent("filesystem", os.fspath(path), delta_type, magnitude, timestamp, features)
