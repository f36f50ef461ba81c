"""Waiting for something that a harness did to show."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], bool], what: str, *, patience_s: float, look_s: float) -> None:
    """Raises TimeoutError naming `what` where it is not so within `patience_s` seconds."""
    end = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} took more than {patience_s:g} s")
        time.sleep(look_s)
