"""Which keys came lately, in little memory: a set, and two plain arrays that go round."""

from __future__ import annotations

from array import array


class SeenKeys:
    """The last `most` keys (whole numbers of 64 bits) and when each came.

    An ordered mapping takes three times the memory.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[int] = set()
        self._keys = array("q")
        self._times = array("d")
        self._oldest = 0

    def __len__(self) -> int:
        return len(self._known)

    def again(self, key: int, now: float, since: float) -> bool:
        """Whether the key came at `since` or later; it is remembered as of `now` if it did not.

        What came before `since` is forgotten, and the oldest where there are too many.
        """
        known, times = self._known, self._times
        while known and times[self._oldest] < since:
            self._forget()
        if key in known:
            return True
        if len(known) == self._most:
            self._forget()
        if not times:
            self._keys = array("q", bytes(8 * self._most))
            times = self._times = array("d", bytes(8 * self._most))
        place = (self._oldest + len(known)) % self._most
        self._keys[place], times[place] = key, now
        known.add(key)
        return False

    def _forget(self) -> None:
        self._known.discard(self._keys[self._oldest])
        self._oldest = (self._oldest + 1) % self._most
