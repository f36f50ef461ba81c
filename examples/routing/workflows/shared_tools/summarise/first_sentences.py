"""Shorten a text to its first sentences.

Example:
    run(text="One. Two. Three.", count=2)
"""

from __future__ import annotations

import re


def run(text: str, count: int = 3) -> str:
    """Keep the first sentences.

    Args:
        text: prose in sentences that end with a full stop, a question or an exclamation mark.
        count: how many sentences to keep.

    Returns:
        excerpt: those sentences.
    """
    return " ".join(re.split(r"(?<=[.!?])\s+", text.strip())[:count])
