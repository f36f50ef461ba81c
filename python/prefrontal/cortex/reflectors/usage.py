"""Tokens of all calls of one cycle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..memory.cost import tokens_of


@dataclass(slots=True)
class Usage:
    """counted: whether the models counted all of them; the rest is estimated from characters."""

    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True

    def add(self, reply: Any, prompt: str = "") -> None:
        """Add the tokens of a reply; what is no count of tokens was not counted."""
        tokens_in, tokens_out = _count(reply.tokens_in), _count(reply.tokens_out)
        if tokens_in is None or tokens_out is None:
            self.counted = False
            tokens_in, tokens_out = tokens_of(prompt), tokens_of(getattr(reply, "text", ""))
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def add_unanswered(self, prompt: str) -> None:
        """Add a question without an answer: it costs, too."""
        self.counted = False
        self.tokens_in += tokens_of(prompt)


def _count(value: object) -> int | None:
    """A count as a provider gave it: 12 and 12.0, neither "12" nor -1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if math.isfinite(value) and value >= 0 else None
