"""A file that is ours from its first line to its last."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InputError

MARK = "Written by `prefrontal install"


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A format of `OwnPart`. content: has MARK in it, by which the file is known as ours."""

    place: str
    content: str

    def meaning(self, text: str) -> str:
        return text

    def has_own(self, text: str) -> bool:
        return MARK in text

    def with_own(self, text: str) -> str:
        """Raises InputError for a file of somebody else."""
        if text:
            raise InputError(
                f"{self.place} must not be there, got a file that prefrontal did not write; move it"
                " away first"
            )
        return self.content

    def without_own(self, text: str, before: str | None) -> str | None:
        return before or None
