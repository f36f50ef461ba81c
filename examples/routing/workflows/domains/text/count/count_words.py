"""Count how often each word occurs in a text, the most frequent first.

Example:
    run(text="to be or not to be")
"""

from __future__ import annotations

from collections import Counter


def run(text: str, most: int = 10) -> list[tuple[str, int]]:
    """Count the words.

    Args:
        text: any text; case does not matter.
        most: how many words to return.

    Returns:
        counts: pairs of a word and its number.
    """
    return Counter(text.casefold().split()).most_common(most)
