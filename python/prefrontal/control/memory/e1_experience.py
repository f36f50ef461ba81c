"""The experience of E1: the latest states, sampled in stretches."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Stretch:
    """first [1, D], and what followed it [1, steps, D]."""

    first: Tensor
    following: Tensor


class E1Experience:
    """At most `size` states [D], detached copies, oldest first; kept when an episode ends."""

    def __init__(self, size: int) -> None:
        self._states: deque[Tensor] = deque(maxlen=size)

    def __len__(self) -> int:
        return len(self._states)

    def append(self, state: Tensor) -> None:
        """state: [D] or [1, D]. Raises ValueError for another shape, or another D than before."""
        row = state.detach()
        row = row[0] if row.dim() == 2 and row.shape[0] == 1 else row
        if row.dim() != 1:
            raise ValueError(f"state must be of shape [D] or [1, D], got {list(state.shape)}")
        if self._states and self._states[-1].shape != row.shape:
            raise ValueError(
                f"state must have {self._states[-1].shape[0]} numbers as those before, "
                f"got {row.shape[0]}"
            )
        self._states.append(row.clone())

    def to(self, like: Tensor) -> None:
        """Keep the states in the dtype and on the device of `like`."""
        self._states = deque((it.to(like) for it in self._states), maxlen=self._states.maxlen)

    def sample(self, steps: int, generator: torch.Generator | None = None) -> Stretch | None:
        """A start drawn evenly, and the `steps` states after it, or as many as there can be.

        None where fewer than two states are remembered.
        """
        steps = min(steps, len(self._states) - 1)
        if steps < 1:
            return None
        starts = len(self._states) - steps
        start = int(torch.randint(starts, (1,), generator=generator))
        rows = torch.stack([self._states[start + i] for i in range(steps + 1)])
        return Stretch(rows[:1], rows[None, 1:])

    def clear(self) -> None:
        """Forget all."""
        self._states.clear()
