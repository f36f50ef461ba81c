"""Which of some texts fit a few words, without an index: for hundreds of texts, not millions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

_WORD = re.compile(r"[^\W_]+")
_KEY_WEIGHT = 3


def ranked(texts: Mapping[str, str], query: str, limit: int) -> list[tuple[str, float]]:
    """Keys of texts with words of the query, and how well each fits, in 0..1; best first.

    A word weighs ln(1 + N / df), so one that few texts have weighs more; a text's score is the
    share of the query's weight it has, each word counted tf / (tf + 1). A word in the key counts
    as three in the text.
    """
    wanted = set(_words(query))
    counts = {key: _counts(key, text, wanted) for key, text in texts.items()}
    scored = [(key, score) for key, score in _scores(counts, wanted).items() if score > 0]
    return sorted(scored, key=lambda each: (-each[1], each[0]))[:limit]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _counts(key: str, text: str, wanted: set[str]) -> Counter[str]:
    counts = Counter(word for word in _words(text) if word in wanted)
    for word in _words(key):
        if word in wanted:
            counts[word] += _KEY_WEIGHT
    return counts


def _scores(by_key: Mapping[str, Counter[str]], wanted: set[str]) -> dict[str, float]:
    weights = {}
    for word in wanted:
        holders = sum(word in counts for counts in by_key.values())
        weights[word] = math.log1p(len(by_key) / max(1, holders))
    total = sum(weights.values()) or 1.0
    return {
        key: sum(weights[word] * n / (n + 1) for word, n in counts.items()) / total
        for key, counts in by_key.items()
    }
