"""Lines of ours between two marks, as in a crontab."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

BEGIN = "# prefrontal: begin (`prefrontal uninstall {name}` takes it out)"
END = "# prefrontal: end"
_BLOCK = re.compile(r"^# prefrontal: begin[^\n]*\n(?:.*?\n)??# prefrontal: end[^\n]*(?:\n|\Z)",
                    re.MULTILINE | re.DOTALL)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MarkedLines:
    """A format of `OwnPart`. name: what `prefrontal uninstall` is called with."""

    name: str
    lines: Sequence[str]

    def meaning(self, text: str) -> list[str]:
        """The lines, without how they end."""
        return text.splitlines()

    def has_own(self, text: str) -> bool:
        return _BLOCK.search(text) is not None

    def with_own(self, text: str) -> str:
        newline = "\r\n" if "\r\n" in text else "\n"
        block = [BEGIN.format(name=self.name), *self.lines, END]
        if text and not text.endswith("\n"):
            text += newline
        return text + "".join(f"{line}{newline}" for line in block)

    def without_own(self, text: str, before: str | None) -> str | None:
        left = _BLOCK.sub("", text)
        newline = "\r\n" if left.endswith("\r\n") else "\n"
        bare = before is not None and before and not before.endswith("\n")
        if bare and left.removesuffix(newline) == before:
            return before
        return left if left or before is not None else None
