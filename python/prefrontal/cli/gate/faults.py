"""A fault wakes when it begins, and every half an hour while it lasts, as a heartbeat would."""

from __future__ import annotations

import time

from .cache import CallFile

AGAIN_S = 1800.0


class GateFaults:
    """Remembers which fault of a call its caller was woken for, until the call is without one."""

    __slots__ = ("_fault", "_unreached")

    def __init__(self, key: str) -> None:
        self._fault = CallFile(key, "fault")
        self._unreached = CallFile(key, "unreached")

    def wakes(self, fault: str, unreached: str | None = None) -> bool:
        """Whether one of them has to wake now; then it is remembered that it did.

        "" where there is none. unreached: of addresses that are asked only now and then; None when
        none was asked now. A fault that cannot be remembered wakes each time.
        """
        wake = _wakes(self._fault, fault)
        return (unreached is not None and _wakes(self._unreached, unreached)) or wake


def _wakes(file: CallFile, sentence: str) -> bool:
    if not sentence:
        file.forget()
        return False
    now, kind = time.time(), "".join(each for each in sentence if not each.isdigit())
    before = file.read()
    if before is not None and len(before) == 2 and before[0] == kind:
        try:
            if 0.0 <= now - float(before[1]) < AGAIN_S:
                return False
        except ValueError:
            pass
    file.write([kind, repr(now)])
    return True
