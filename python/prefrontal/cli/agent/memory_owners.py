"""Whose the texts of the memory are: a person's notes, or what the agent keeps of its own."""

from __future__ import annotations

from typing import Literal

Owner = Literal["you", "session", "cortex"]


def owner_of(key: str) -> Owner:
    """Who keeps a text there; "you" for a note of a person or of the agent's model."""
    from ...runtime.channel_book import MEMORY_KEY

    if key.startswith(MEMORY_KEY):
        return "session"
    return "cortex" if key.startswith("cortex-") else "you"
