"""What the process that decides hands to the one that prints."""

from __future__ import annotations

import marshal

ALIVE = bytes(8)
"""Stands before a report for each step that was done."""


class Report:
    """wake: the answer. output, errors: bytes for standard output and error.

    files: (path, bytes to append). fault: why nothing could be decided; the rest is empty then.
    waits: whether who reports waits to hear that it was printed.
    """

    __slots__ = ("errors", "fault", "files", "output", "waits", "wake")

    def __init__(
        self,
        wake: bool,
        output: bytes = b"",
        errors: bytes = b"",
        files: tuple[tuple[str, bytes], ...] = (),
        *,
        fault: str = "",
        waits: bool = False,
    ) -> None:
        self.wake = wake
        self.output = output
        self.errors = errors
        self.files = files
        self.fault = fault
        self.waits = waits

    def to_bytes(self) -> bytes:
        """What `of` reads, after its length."""
        fields = (self.wake, self.output, self.errors, self.files, self.fault, self.waits)
        data = marshal.dumps(fields)
        return len(data).to_bytes(8, "big") + data

    @staticmethod
    def is_whole(data: bytes) -> bool:
        """Whether nothing is missing of it."""
        return len(data) >= 8 and len(data) == 8 + int.from_bytes(data[:8], "big")

    @classmethod
    def of(cls, data: bytes) -> Report | None:
        """The report in the bytes; None when some are missing."""
        if not cls.is_whole(data):
            return None
        wake, output, errors, files, fault, waits = marshal.loads(data[8:])
        return cls(wake, output, errors, files, fault=fault, waits=waits)
