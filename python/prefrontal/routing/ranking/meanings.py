"""How near a prompt is to each tool by what it means, as an embedding model has it.

Models differ in the cosine of texts that have nothing to do with one another: one gives them 0.1,
another 0.7. So likeness counts from the mean cosine of everyday requests,

    likeness = min(1, 2 (cosine - mean) / (1 - mean)), 0 where the cosine is below the mean,

which is 1 half of the way from there to the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputError

if TYPE_CHECKING:
    from ...protocols import Embedder

EVERYDAY = (
    "book a table at a restaurant",
    "convert a video to another format",
    "the weather in Lisbon tomorrow",
    "sort a list of numbers",
    "translate a letter into French",
    "check the syntax of a program",
    "play some quiet music",
    "the tax on a salary",
    "recipes with chicken and rice",
    "delete old log files",
    "exercises for a sore back",
    "who won the game last night",
)
"""Requests that have nothing to do with one another."""
_GAIN = 2.0
_MOST_MEAN = 0.9


class Meanings:
    """Embeds the tools once and each prompt once. texts: of each tool, by its key."""

    def __init__(self, embedder: Embedder, texts: Mapping[str, str]) -> None:
        self._embedder = embedder
        self._texts = texts
        self._tools: Any = None  # unit vectors, a row each
        self._mean = 0.0
        self._likenesses: dict[str, dict[str, float]] = {}

    def likeness(self, prompt: str) -> dict[str, float]:
        """Of the prompt to each tool, 0..1. Raises InputError for vectors of several lengths."""
        if prompt not in self._likenesses:
            if self._tools is None:
                self._embed_tools()
            cosines = self._tools @ self._unit([prompt])[0]
            self._likenesses[prompt] = dict(
                zip(self._texts, map(self._above, cosines), strict=True)
            )
        return self._likenesses[prompt]

    def _embed_tools(self) -> None:
        vectors = self._unit([*EVERYDAY, *self._texts.values()])
        everyday, self._tools = vectors[: len(EVERYDAY)], vectors[len(EVERYDAY) :]
        count = len(EVERYDAY)
        among = float((everyday @ everyday.T).sum() - (everyday * everyday).sum())
        self._mean = min(_MOST_MEAN, max(0.0, among / (count * (count - 1))))

    def _unit(self, texts: Sequence[str]) -> Any:
        """A row of length 1 for each text; of zeros where the model gave zeros."""
        import numpy as np

        vectors = self._embedder.embed(list(texts))
        known = self._tools is not None
        length = self._tools.shape[1] if known else len(vectors[0]) if len(vectors) else 0
        wrong = next((len(vector) for vector in vectors if len(vector) != length), None)
        if wrong is not None or len(vectors) != len(texts):
            rule = f"give {len(texts)} vectors of one length ({length})"
            got = f"{len(vectors)} vectors" if wrong is None else f"one of length {wrong}"
            raise InputError(f"embedder must {rule}, got {got}")
        try:
            rows = np.asarray(vectors, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"embedder must give vectors of numbers ({error})") from None
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return rows / np.where(lengths > 0.0, lengths, 1.0)

    def _above(self, cosine: Any) -> float:
        return min(1.0, max(0.0, _GAIN * (float(cosine) - self._mean) / (1.0 - self._mean)))
