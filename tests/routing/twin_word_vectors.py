"""The twin's own reading of csrc/routing/word_vectors.bin, and what follows from it."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from prefrontal._core.routing import is_stop_word, tokens

FILE = Path(__file__).parents[2] / "csrc/routing/word_vectors.bin"
NUMBERS, UNIT = 64, 200.0


def _read() -> tuple[dict[str, array[int]], float]:
    data = FILE.read_bytes()
    count, letters, _, unrelated = array("I", data[4:20])
    starts = array("I", data[20 : 24 + 4 * count])
    text = data[24 + 4 * count :][:letters]
    numbers = array("b", data[24 + 4 * count + letters :])
    stems = [text[one:other].decode() for one, other in pairwise(starts)]
    rows = {stem: numbers[NUMBERS * i : NUMBERS * (i + 1)] for i, stem in enumerate(stems)}
    return rows, unrelated / 1e6


VECTORS, UNRELATED = _read()


def meaning(words: Mapping[str, int]) -> list[int]:
    """Of how often each stem is there: a unit vector times 200, in whole numbers up to 127."""
    sums = [0] * NUMBERS
    for stem, times in words.items():
        for i, value in enumerate(VECTORS.get(stem, ())):
            sums[i] += min(255, times) * value
    squares = 0.0
    for total in sums:
        squares += float(total) * total
    if squares == 0.0:
        return sums
    scale = UNIT / math.sqrt(squares)
    return [int(min(127.0, max(-127.0, math.floor(total * scale + 0.5)))) for total in sums]


def meaning_of(text: str) -> list[int]:
    return meaning(Counter(word for word in tokens(text) if not is_stop_word(word)))


def cosine(one: list[int], other: list[int], asked: Sequence[Sequence[str]] = ()) -> float:
    """asked: the words of the prompts that the other was asked for by."""
    if not asked:
        return sum(a * b for a, b in zip(one, other, strict=True)) / (UNIT * UNIT)
    taught = [meaning({w: 1 for w in words if not is_stop_word(w)}) for words in asked]
    total = [3 * value + sum(more) for value, *more in zip(other, *taught, strict=True)]
    squares = sum(value * value for value in total)
    product = sum(a * b for a, b in zip(one, total, strict=True))
    return product / (UNIT * math.sqrt(squares)) if squares else 0.0


def likeness(cosine: float) -> float:
    return min(1.0, max(0.0, 1.4 * (cosine - UNRELATED) / (1.0 - UNRELATED)))
