"""Tokens of all calls of one cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..memory.cost import tokens_of


@dataclass(slots=True)
class Usage:
    """Tokens of all calls of a cycle; counted says whether the models told them."""

    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True

    def add(self, reply: Any, prompt: str = "") -> None:
        """Take in a reply; what was not told is estimated from the characters."""
        told = reply.tokens_in is not None and reply.tokens_out is not None
        self.counted &= told
        text = getattr(reply, "text", "")
        self.tokens_in += reply.tokens_in if told else tokens_of(prompt) if prompt else 0
        self.tokens_out += reply.tokens_out if told else tokens_of(text)

    def asked(self, prompt: str) -> None:
        """Take in a question without an answer: it costs, too."""
        self.counted = False
        self.tokens_in += tokens_of(prompt)
