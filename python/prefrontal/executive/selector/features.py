"""Hashes named numbers into vectors of a fixed width, and standardises them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

import torch
from torch import Tensor, nn

_SMALLEST = 0.05  # added to a variance: what hardly varies is not blown up
_FARTHEST = 4.0
_LARGEST = 1.7e308
_SETTLED = 1000.0  # observations, after which old ones begin to fade


def projected(what: str, rows: Sequence[Mapping[str, float]], width: int) -> Tensor:
    """[rows, width]: the sum over the names of asinh(value) times the name's own signs.

    A name that a row does not have counts as 0; the order of the names has no influence.
    what: for messages, "context" or "plan", and part of the signs. Raises TypeError for a name
    that is no text or a value that is no number, ValueError for NaN and infinity.
    """
    present = set(chain.from_iterable(rows))
    for name in present:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be named by text, got {name!r}")
    names = tuple(sorted(present))
    values = [[_value(what, name, row.get(name, 0.0)) for name in names] for row in rows]
    if not names:
        return torch.zeros(len(rows), width)
    return torch.tensor(values) @ _signs(what, names, width)


def _value(what: str, name: str, value: float) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{what}[{name!r}] must be a number, got {value!r}")
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f"{what}[{name!r}] must be finite, got {value!r}")
    return math.asinh(value)


@lru_cache(maxsize=256)
def _signs(salt: str, names: tuple[str, ...], width: int) -> Tensor:
    return torch.tensor([_direction(f"{salt}:{name}", width) for name in names])


@lru_cache(maxsize=4096)
def _direction(name: str, width: int) -> list[float]:
    """+1 and -1 by the bits of a hash of the name: the same on every machine."""
    bits = int.from_bytes(hashlib.shake_128(name.encode()).digest((width + 7) // 8), "little")
    return [1.0 if bits >> place & 1 else -1.0 for place in range(width)]


class RunningScale(nn.Module):
    """Mean and variance of what was seen, by column; `forward` takes them off and out."""

    seen: Tensor
    mean: Tensor
    variance: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("variance", torch.ones(width))

    @torch.no_grad()
    def observe(self, rows: Tensor, gate: float) -> None:
        """Update with rows [B, width], weighted by the gate, 0 to 1."""
        weight = gate * len(rows)
        if weight <= 0:
            return
        self.seen += weight
        step = min(weight / min(float(self.seen), _SETTLED), 1.0)
        apart = rows.mean(dim=0) - self.mean
        spread = rows.var(dim=0, correction=0) + (1 - step) * apart.square()
        self.variance += step * (spread - self.variance)
        self.mean += step * apart

    def forward(self, rows: Tensor) -> Tensor:
        """Rows [B, width] in units of their spread, within +-4."""
        spread = (self.variance + _SMALLEST).sqrt()
        scaled: Tensor = ((rows - self.mean) / spread).clamp(-_FARTHEST, _FARTHEST)
        return scaled
