"""Standard input, which a process may have been started without (`<&-`): Python then has None."""

from __future__ import annotations

import sys
from typing import IO

from .errors import SourceError


def input_bytes() -> IO[bytes]:
    """Standard input as bytes. Raises SourceError where it is closed."""
    if sys.stdin is None:
        raise SourceError("standard input must be open, it is closed")
    return sys.stdin.buffer


def is_terminal() -> bool:
    """Whether somebody can type an answer."""
    return sys.stdin is not None and sys.stdin.isatty()
