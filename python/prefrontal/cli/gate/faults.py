"""A fault wakes when it begins, and every half an hour while it lasts, as a heartbeat would."""

from __future__ import annotations

import time

from .cache import CallFile

AGAIN_S = 1800.0


class GateFaults:
    """Remembers which fault of a call its caller was woken for."""

    __slots__ = ("_file",)

    def __init__(self, key: str) -> None:
        self._file = CallFile(key, "fault")

    def wakes(self, sentence: str) -> bool:
        """Whether this fault has to wake now; then it is remembered that it did.

        One that cannot be remembered wakes each time.
        """
        now, kind = time.time(), "".join(each for each in sentence if not each.isdigit())
        before = self._file.read()
        if before is not None and len(before) == 2 and before[0] == kind:
            try:
                if 0.0 <= now - float(before[1]) < AGAIN_S:
                    return False
            except ValueError:
                pass
        self._file.write([kind, repr(now)])
        return True

    def end(self) -> None:
        """All is well: the next fault is a new one."""
        self._file.forget()
