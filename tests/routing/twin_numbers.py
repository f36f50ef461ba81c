"""The twin's own logarithm, exponential and rounding: step by step those of the core."""

from __future__ import annotations

import math
import struct


def ln(x: float) -> float:
    m, k = math.frexp(x)
    if m < 0.70710678118654752:
        m *= 2.0
        k -= 1
    s = (m - 1.0) / (m + 1.0)
    total = 0.0
    for odd in range(23, 2, -2):
        total = (total + 1.0 / odd) * (s * s)
    return k * 0.69314718055994531 + 2.0 * (s + s * total)


def exp(x: float) -> float:
    x = max(-700.0, min(700.0, x))
    k = math.floor(x * 1.4426950408889634 + 0.5)
    r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    total = 1.0
    for degree in range(13, 0, -1):
        total = 1.0 + total * r / degree
    return math.ldexp(total, k)


def logistic(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


def single(x: float) -> float:
    """The nearest float32."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


def millionths(x: float) -> int:
    return math.floor(x * 1e6 + 0.5)


UNIT = 4294967296.0


def units(x: float) -> int:
    return math.floor(x * UNIT + 0.5)


def scale(squares: float) -> float:
    return 1.0 / math.sqrt(squares) if squares > 0.0 else 0.0


def edits(a: bytes, b: bytes) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]
