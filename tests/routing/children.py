"""Copies of the test's process, to be killed or to run out of room."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from prefrontal.errors import SourceError

NO_ROOM = 3
"""Exit status of a child whose work raised SourceError."""


def started(work: Callable[[], object]) -> int:
    """The process id of a copy of this process that does the work and ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except SourceError:
            code = NO_ROOM
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """Its exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
