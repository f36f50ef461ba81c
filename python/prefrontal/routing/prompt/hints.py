"""Finds passages that resemble a prompt: hints for the parser and the planner.

A hint may break a tie of the parser, raise its confidence by at most 0.05 below the threshold, or
order equal wirings of a plan; no threshold or guard uses it. Nothing leaves the machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import evidence

if TYPE_CHECKING:
    from .passages import Passage
    from .taxonomy import Taxonomy

MOST_HINTS = 5
LEAST_SCORE = 0.1
MOST_LETTERS = 10_000
"""Limit of one passage; ignores the rest."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A passage that resembles the prompt.

    score: 0..1, the cosine of their tf-idf vectors. domain, action: what the passage is about: of
    its folder, else the only one it names.
    """

    passage: Passage
    score: float
    domain: str | None
    action: str | None


class HintIndex:
    """tf-idf vectors of passages, by token."""

    def __init__(self, passages: Iterable[Passage], taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._passages = tuple(passages)
        counts = [Counter(evidence.words(each.text[:MOST_LETTERS])) for each in self._passages]
        spread = Counter(token for count in counts for token in count)
        self._rarity = {
            token: 1.0 + math.log((1 + len(counts)) / (1 + spread[token])) for token in spread
        }
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for number, count in enumerate(counts):
            for token, weight in self._vector(count).items():
                self._postings.setdefault(token, []).append((number, weight))

    def __len__(self) -> int:
        return len(self._passages)

    def search(self, prompt: str, most: int = MOST_HINTS) -> tuple[Hint, ...]:
        """The passages most similar to the prompt, best first, from 0.1 on."""
        scores: dict[int, float] = {}
        for token, weight in self._vector(Counter(evidence.words(prompt))).items():
            for number, other in self._postings.get(token, ()):
                scores[number] = scores.get(number, 0.0) + weight * other
        good = [(min(1.0, round(score, 6)), number) for number, score in scores.items()]
        good = [each for each in good if each[0] >= LEAST_SCORE]
        good.sort(key=lambda each: (-each[0], each[1]))
        return tuple(self._hint(number, score) for score, number in good[:most])

    def _vector(self, counts: Counter[str]) -> dict[str, float]:
        """A unit vector; words that no passage has weigh as much as the rarest."""
        unknown = 1.0 + math.log(1 + len(self._passages))
        weights = {
            token: (1.0 + math.log(counts[token])) * self._rarity.get(token, unknown)
            for token in sorted(counts)
        }
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return {token: weight / length for token, weight in weights.items()}

    def _hint(self, number: int, score: float) -> Hint:
        passage = self._passages[number]
        words = evidence.words(passage.text[:MOST_LETTERS])
        domain = passage.domain or _only(self._domains_in(words))
        action = passage.action or _only(self._actions_in(words))
        return Hint(passage, score, domain, action)

    def _domains_in(self, words: Sequence[str]) -> list[str]:
        names, present = self._taxonomy.domain_names, {*words}
        return [
            domain
            for domain in self._taxonomy.domains
            if any({*name} <= present for name in names(domain))
        ]

    def _actions_in(self, words: Sequence[str]) -> list[str]:
        claims = (self._taxonomy.claims(word) for word in dict.fromkeys(words))
        return sorted({name for claim in claims for name, in_name in claim.items() if in_name})


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None
