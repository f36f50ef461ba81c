"""Whether a process that a test began, or one that it began in turn, still runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

PATIENCE_S = 10.0


def is_alive(process: int) -> bool:
    """Whether it runs; one that ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(process: int) -> bool:
    """Whether it ends in time: the kernel may take a moment."""
    until = time.monotonic() + PATIENCE_S
    while is_alive(process):
        if time.monotonic() >= until:
            return False
        os.sched_yield()
    return True
