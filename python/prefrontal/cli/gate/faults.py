"""A fault wakes once, when it begins; what it was is forgotten once a call was without one."""

from __future__ import annotations

from .cache import CallFile


class GateFaults:
    """Remembers which fault of a call its caller was woken for, until the call is without one."""

    __slots__ = ("_begun", "_fault", "_unreached")

    def __init__(self, key: str) -> None:
        self._fault = CallFile(key, "fault")
        self._unreached = CallFile(key, "unreached")
        self._begun: list[tuple[CallFile, str]] = []

    def wakes(self, fault: str, unreached: str | None = None) -> bool:
        """Whether one of them has to wake now: it began, or nobody took the answer that said so.

        "" where there is none. unreached: of addresses that are asked only now and then; None when
        none was asked now. A fault that cannot be remembered wakes each time.
        """
        self._begun = []
        self._look(self._fault, fault)
        if unreached is not None:
            self._look(self._unreached, unreached)
        return bool(self._begun)

    def told(self) -> None:
        """The answer was printed: what it woke for wakes no more."""
        for file, kind in self._begun:
            file.write([kind])

    def _look(self, file: CallFile, sentence: str) -> None:
        if not sentence:
            file.forget()
            return
        kind = "".join(each for each in sentence if not each.isdigit())
        if file.read() != [kind]:
            self._begun.append((file, kind))
