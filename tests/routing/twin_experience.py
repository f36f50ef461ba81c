"""What the twin of the index learns: phrasings, refusals, the linear model, records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from prefrontal._core.routing import tokens

from .twin_numbers import exp, ln, logistic, scale, single

Weights = dict[tuple[str, int], tuple[float, float]]
"""By word, or pair of words, and tool: the weight and the sum of squared steps."""


@dataclass(eq=False)
class Phrasing:
    tool: int
    words: list[str]
    text: str


@dataclass
class Experience:
    tools: int
    phrasings: list[Phrasing] = field(default_factory=list)  # in the order they were added
    newest: dict[int, list[Phrasing]] = field(default_factory=dict)  # of each tool, oldest first
    refused: dict[int, list[list[str]]] = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    margins: Weights = field(default_factory=dict)
    records: dict[int, tuple[float, float, float | None]] = field(default_factory=dict)
    given: dict[int, float] = field(default_factory=dict)
    cursor: int = 0

    # --- phrasings ---------------------------------------------------------------------------
    def count(self) -> Counter[str]:
        return Counter(word for phrasing in self.phrasings for word in phrasing.words)

    def idf(self, word: str, counts: Counter[str]) -> float:
        return ln((len(self.phrasings) + 1.0) / (counts[word] + 1.0)) + 1.0

    def x(self, word: str, counts: Counter[str]) -> float:
        return ln((len(self.phrasings) + 2.0) / (counts[word] + 1.0)) + 0.5

    def add(self, tool: int, text: str) -> Phrasing:
        words = list(dict.fromkeys(tokens(text)))
        own = self.newest.setdefault(tool, [])
        for phrasing in own:
            if set(phrasing.words) == set(words):
                own.remove(phrasing)
                own.append(phrasing)
                phrasing.text = text
                return phrasing
        if len(own) == 1000:
            self.take_out(own.pop(0))
        own.append(Phrasing(tool, words, text))
        self.phrasings.append(own[-1])
        return own[-1]

    def take_out(self, phrasing: Phrasing) -> None:
        at = self.phrasings.index(phrasing)
        del self.phrasings[at]
        self.cursor -= at < self.cursor

    def nearness(self, words: list[str]) -> dict[int, tuple[float, list[Phrasing], float]]:
        """By tool: the mean of its best three cosines, those phrasings, best first, the highest."""
        counts = self.count()
        squares = 0.0
        for word in words:
            square = self.idf(word, counts) * self.idf(word, counts)
            squares += square if counts[word] else 0.5 * square
        found: dict[int, list[tuple[float, int]]] = {}
        for at, phrasing in enumerate(self.phrasings):
            product = theirs = 0.0
            for word in words:
                if word in phrasing.words:
                    product += self.idf(word, counts) * self.idf(word, counts)
            for word in phrasing.words:
                theirs += self.idf(word, counts) * self.idf(word, counts)
            if product > 0.0:
                cosine = product * scale(squares) * scale(theirs)
                found.setdefault(phrasing.tool, []).append((-cosine, at))
        out = {}
        for tool, cosines in found.items():
            best = sorted(cosines)[:3]
            total = 0.0
            for cosine, _ in best:
                total += -cosine
            nearness = total / min(3, len(self.newest[tool]))
            out[tool] = nearness, [self.phrasings[at] for _, at in best], -best[0][0]
        return out

    def heard(self, words: list[str]) -> float:
        """Share of the words that any phrasing has."""
        counts = self.count()
        return sum(1 for word in words if counts[word]) / len(words) if words else 0.0

    # --- the linear model ----------------------------------------------------------------------
    def features(self, words: Iterable[str], unknown: bool) -> dict[str, float]:
        counts = self.count()
        squares, out = 0.0, {}
        for word in words:
            x = self.x(word, counts)
            if unknown and not counts[word]:
                squares += 0.5 * (x * x)
                continue
            squares += x * x
            out[word] = x
        return {word: x * scale(squares) for word, x in out.items()}

    def shares(self, features: dict[str, float]) -> tuple[dict[int, float], float]:
        """Of the tools with weights for these words, and of each of the others."""
        sums: dict[int, float] = {}
        for word, x in features.items():
            for tool in range(self.tools):
                if (word, tool) in self.weights:
                    sums[tool] = sums.get(tool, 0.0) + x * self.weights[word, tool][0]
        highest = max(0.0, *sums.values(), 0.0)
        rest = exp(-highest)
        total = (1.0 + (self.tools - len(sums))) * rest
        for tool in sorted(sums):
            total += exp(sums[tool] - highest)
        return {tool: exp(z - highest) / total for tool, z in sums.items()}, rest / total

    def step(self, features: dict[str, float], tool: int, slope: float) -> None:
        adapt(self.weights, features, tool, slope, 1.0, 0.01)

    def learn(self, phrasing: Phrasing) -> None:
        features = self.features(phrasing.words, unknown=False)
        shares, rest = self.shares(features)
        others = [tool for tool in range(self.tools) if tool != phrasing.tool]
        others.sort(key=lambda tool: (-shares.get(tool, rest), tool))
        right = shares.get(phrasing.tool, rest) - 1.0
        for tool, slope in [
            (phrasing.tool, right),
            *((tool, shares.get(tool, rest)) for tool in others[:8]),
        ]:
            self.step(features, tool, slope)
        self.learn_margins(paired(phrasing.words, features), phrasing.tool)

    # --- margins -------------------------------------------------------------------------------
    def margins_of(self, features: dict[str, float]) -> dict[int, float]:
        """Of the tools with weights for these words and pairs."""
        sums: dict[int, float] = {}
        for key, x in features.items():
            for tool in range(self.tools):
                if (key, tool) in self.margins:
                    sums[tool] = sums.get(tool, 0.0) + x * self.margins[key, tool][0]
        return sums

    def learn_margins(self, features: dict[str, float], right: int) -> None:
        margins = self.margins_of(features)
        rivals = [tool for tool, z in margins.items() if tool != right and z > 0.0]
        rivals.sort(key=lambda tool: (-margins[tool], tool))
        steps = [(right, min(0.0, margins.get(right, 0.0) - 1.0))]
        for tool, slope in steps + [(tool, margins[tool]) for tool in rivals[:8]]:
            if slope:
                adapt(self.margins, features, tool, slope, 0.5, 0.1)

    # --- feedback ----------------------------------------------------------------------------
    def teach(self, given: list[tuple[int, str]]) -> None:
        taught = []
        for tool, text in given:
            known = list(self.phrasings)
            if tokens(text) and (phrasing := self.add(tool, text)) not in known:
                taught.append(phrasing)
        for phrasing in taught * 6:
            if any(phrasing is kept for kept in self.phrasings):
                self.learn(phrasing)

    def faded(
        self, tool: int, now: float | None, half_life_days: float
    ) -> tuple[float, float, float | None]:
        ok, failed, at = self.records.get(tool, (0.0, 0.0, None))
        if now is None:
            return ok, failed, at
        if at is not None and now > at:
            left = exp(-0.69314718055994531 * ((now - at) / (half_life_days * 86400.0)))
            ok, failed = ok * left, failed * left
        return ok, failed, now if at is None else max(at, now)

    def accept(self, tool: int, text: str, now: float | None, half_life_days: float) -> None:
        ok, failed, at = self.faded(tool, now, half_life_days)
        self.records[tool] = ok + 1.0, failed, at
        words = set(tokens(text))
        if not words:
            return
        self.refused[tool] = [old for old in self.refused.get(tool, []) if set(old) != words]
        newest = self.add(tool, text)
        self.learn(newest)
        if len(self.phrasings) < 2:
            return
        learned = 0
        while learned < 4:
            if self.cursor >= len(self.phrasings):
                self.cursor = 0
            older = self.phrasings[self.cursor]
            self.cursor += 1
            if older is not newest:
                self.learn(older)
                learned += 1

    def reject(self, tool: int, text: str, now: float | None, half_life_days: float) -> None:
        ok, failed, at = self.faded(tool, now, half_life_days)
        self.records[tool] = ok, failed + 1.0, at
        words = list(dict.fromkeys(tokens(text)))
        if not words:
            return
        for phrasing in self.newest.get(tool, []):
            if set(phrasing.words) == set(words):
                self.newest[tool].remove(phrasing)
                self.take_out(phrasing)
                break
        if self.phrasings:
            features = self.features(words, unknown=True)
            z = 0.0
            for word, x in features.items():
                z += x * self.weights.get((word, tool), (0.0, 0.0))[0]
            self.step(features, tool, logistic(z))
            pairs = paired(words, features)
            if (margin := max(0.0, self.margins_of(pairs).get(tool, 0.0))) > 0.0:
                adapt(self.margins, pairs, tool, margin, 0.5, 0.1)
        kept = [old for old in self.refused.get(tool, []) if set(old) != set(words)]
        self.refused[tool] = (kept + [words])[-200:]

    def refusal(self, tool: int, words: list[str]) -> float:
        """The largest cosine with a prompt that the tool was refused for."""
        counts, most = self.count(), 0.0
        for old in self.refused.get(tool, []):
            ours = theirs = product = 0.0
            for word in old:
                theirs += self.idf(word, counts) * self.idf(word, counts)
            for word in words:
                square = self.idf(word, counts) * self.idf(word, counts)
                ours += square
                product += square if word in old else 0.0
            most = max(most, min(1.0, product * scale(ours) * scale(theirs)))
        return most


def paired(words: Iterable[str], features: dict[str, float]) -> dict[str, float]:
    """The features with those of neighbouring words that are both known, before the second one."""
    out: dict[str, float] = {}
    before: str | None = None
    for word in words:
        known = word in features
        if known:
            if before is not None:
                out[f"{before} {word}"] = 0.6 * 0.5 * (features[before] + features[word])
            out[word] = features[word]
        before = word if known else None
    return out


def adapt(
    weights: Weights,
    features: dict[str, float],
    tool: int,
    slope: float,
    rate: float,
    first_energy: float,
) -> None:
    """One step of AdaGrad; pairs of a tool that is lowered move where they have a weight."""
    for key, x in features.items():
        if slope > 0.0 and " " in key and (key, tool) not in weights:
            continue
        weight, energy = weights.get((key, tool), (0.0, single(first_energy)))
        energy = single(energy + (x * slope) * (x * slope))
        weight = single(weight - rate * (x * slope) / math.sqrt(energy))
        weights[key, tool] = weight, energy
