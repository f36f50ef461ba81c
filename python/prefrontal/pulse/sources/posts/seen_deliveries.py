"""Which deliveries came before, by their marks; signed ones are known after a restart, too."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from ..source_batch import Post

if TYPE_CHECKING:
    from ....types import SignalEvent
    from ..source_batch import Intake

REMEMBERED = 10_000
"""Deliveries of a kind whose repetition is known as one."""
PLACE = "signed delivery "
"""Places of signed ones begin so; a number below REMEMBERED follows."""
_NUMBER_BYTES = 8


class SeenDeliveries:
    """The newest deliveries. What is signed is remembered apart: nobody else pushes it out."""

    def __init__(self) -> None:
        self._unsigned: OrderedDict[bytes, Post] = OrderedDict()
        self._signed: OrderedDict[bytes, Post] = OrderedDict()
        self._next = 0

    def restore(self, intake: Intake) -> None:
        """Go on with what the log of a gate knows. Raises SourceError."""
        stored = Post(())
        stored.settle(stored=True)
        for content in sorted(intake.places(PLACE).values()):
            self._signed[content[_NUMBER_BYTES:]] = stored
            self._next = int.from_bytes(content[:_NUMBER_BYTES], "big") + 1

    def post(
        self, marked: Iterable[tuple[str, SignalEvent]], *, signed: bool
    ) -> tuple[list[bytes], Post] | None:
        """The marks of what is new, and its events; None while some of it is being stored.

        A mark of "" is never a repetition.
        """
        seen = self._signed if signed else self._unsigned
        digests = [(_digest(mark), event) for mark, event in marked]
        if any(mark in seen and not seen[mark].stored for mark, _ in digests):
            return None
        marks: list[bytes] = []
        events: list[SignalEvent] = []
        for mark, event in digests:
            if not mark or (mark not in seen and mark not in marks):
                marks.append(mark)
                events.append(event)
        post = Post(tuple(events), self._places(marks) if signed else (), tuple(marks))
        seen.update((mark, post) for mark in marks if mark)
        while len(seen) > REMEMBERED:
            seen.popitem(last=False)
        return marks, post

    def forget(self, marks: Iterable[bytes]) -> None:
        """They were not stored and may come again."""
        for mark in marks:
            self._unsigned.pop(mark, None)
            self._signed.pop(mark, None)

    def _places(self, marks: Iterable[bytes]) -> tuple[tuple[str, bytes], ...]:
        places = []
        for mark in filter(None, marks):
            number, self._next = self._next, self._next + 1
            content = number.to_bytes(_NUMBER_BYTES, "big") + mark
            places.append((f"{PLACE}{number % REMEMBERED}", content))
        return tuple(places)


def _digest(mark: str) -> bytes:
    """A few bytes, however long a mark the sender chose; none for none."""
    return blake2b(mark.encode("utf-8", "surrogatepass"), digest_size=16).digest() if mark else b""
