"""The similarity of two embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import InputError


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """-1..1, and 0 beside a vector of zeros. Raises InputError for lengths that differ."""
    if len(first) != len(second):
        rule = f"have the length of the others ({len(first)})"
        raise InputError(f"embedding must {rule}, got {len(second)}")
    lengths = math.hypot(*first) * math.hypot(*second)
    return (
        math.fsum(x * y for x, y in zip(first, second, strict=True)) / lengths if lengths else 0.0
    )
