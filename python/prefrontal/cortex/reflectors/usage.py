"""Tokens of all calls of one cycle."""

from __future__ import annotations

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
        """Add the tokens of a reply."""
        counted = reply.tokens_in is not None and reply.tokens_out is not None
        self.counted &= counted
        text = getattr(reply, "text", "")
        self.tokens_in += reply.tokens_in if counted else tokens_of(prompt) if prompt else 0
        self.tokens_out += reply.tokens_out if counted else tokens_of(text)

    def add_unanswered(self, prompt: str) -> None:
        """Add a question without an answer: it costs, too."""
        self.counted = False
        self.tokens_in += tokens_of(prompt)
