"""Fits the numbers of csrc/routing/likeness.hpp and prints them, of each kind of likeness.

    python benchmarks/fit_likeness.py --data FOLDER

The likeness by the vectors of words, and by WordLlama as an embedder.
FOLDER as for bench_routing.py; needs the extra `embeddings`. Tuned on: the even prompts of MetaTool
and the training file of CLINC150, half of each as phrasings and half as prompts, in catalogues of
5, 13, 30 and all tools with 0, 1, 5 and 100 phrasings; in small ones half of the prompts mean none.
The odds by words are those of the map in force, so fit that first.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench_routing import Data, read
from fit_score_map import FACTS
from prefrontal.routing import ToolIndex
from prefrontal.routing.ranking.meanings import Meanings
from prefrontal.runtime.models.embedding import WordLlamaEmbedder
from routing_prompts import Pair, phrasings_of

MAP = Path(__file__).parents[1] / "csrc/routing/score_map.cpp"
TERMS = [
    (float(weight), one, other, float(knot))
    for weight, one, other, knot in re.findall(
        r"\{(-?[\d.]+), Fact::(\w+), Fact::(\w+), ([\d.]+)\}", MAP.read_text()
    )
]
PHRASINGS, SIZES = (0, 1, 5, 100), (5, 13, 30)
CATALOGUES, SMALL, LARGE = 8, 60, 1200
MOST_ODDS = 7.0
Tools = Sequence[tuple[str, str]]
Reals = NDArray[np.float64]


class Row(NamedTuple):
    """Of a prompt and its best tool. odds: by words; learned, likeness, lead as in likeness.hpp."""

    odds: float
    learned: float
    likeness: float
    lead: float
    right: bool


def rows(
    tools: Tools, own: dict[str, list[str]], asked: Sequence[Pair], model: WordLlamaEmbedder | None
) -> list[Row]:
    words = ToolIndex.build(
        {"name": name, "doc": doc, "intents": own.get(name, [])} for name, doc in tools
    )
    texts = {name: f"{name}: {doc}" for name, doc in tools}
    meanings = None if model is None else Meanings(model, texts)
    out = []
    for prompt, tool in asked:
        given = None if meanings is None else meanings.likeness(prompt)
        ranked = words.rank(prompt, len(tools), similarities=given, explain=True, word_vectors=True)
        told = [one.explanation or {} for one in ranked]
        own_likeness, others = told[0]["likeness"], (one["likeness"] for one in told[1:])
        lead = own_likeness - max(others, default=0.0)
        odds, right = log_odds(told[0]["evidence"]), ranked[0].name == tool
        out.append(Row(odds, told[0]["learned"], own_likeness, lead, right))
    return out


def log_odds(evidence: Sequence[float]) -> float:
    """By the map in force."""
    facts = dict(zip(FACTS, evidence, strict=True))
    return sum(
        weight * (max(0.0, facts[one] - knot) if other == "one" else facts[one] * facts[other])
        for weight, one, other, knot in TERMS
    )


def catalogues(
    tools: Tools, asked: Sequence[Pair], known: Sequence[Pair], dice: random.Random
) -> Iterator[tuple[Tools, list[Pair], dict[str, list[str]]]]:
    """(tools, prompts, phrasings) of each."""
    for count in PHRASINGS:
        yield tools, dice.sample(list(asked), LARGE), phrasings_of(known, count, dice)
        for size in SIZES if count < PHRASINGS[-1] else ():
            for _ in range(CATALOGUES):
                some = dice.sample(list(tools), size)
                names = {name for name, _ in some}
                own = phrasings_of((pair for pair in known if pair[1] in names), count, dice)
                inside = [pair for pair in asked if pair[1] in names]
                outside = [pair for pair in asked if pair[1] not in names]
                most = min(SMALL, len(inside), len(outside))
                yield some, [*dice.sample(inside, most), *dice.sample(outside, most)], own


def regression(every: Sequence[Sequence[Row]]) -> Reals:
    """Logistic, by Newton's method; each kind of catalogue counts alike."""
    table = np.array([row[:4] for part in every for row in part])
    right = np.array([row.right for part in every for row in part], float)
    weights = np.concatenate([np.full(len(part), 1.0 / len(part)) for part in every])
    odds, learned, likeness, lead = table.T
    bounded = np.clip(odds, -MOST_ODDS, MOST_ODDS)
    parts = [np.ones(len(odds)), bounded, likeness, np.maximum(lead, 0.0), np.minimum(lead, 0.0)]
    told = np.stack(parts, axis=1) * (1.0 - learned)[:, None]
    beta = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(30):
        share = 1.0 / (1.0 + np.exp(-(told @ beta + learned * odds)))
        slope = told.T @ (weights * (share - right))
        curve = (told * (weights * share * (1.0 - share))[:, None]).T @ told
        beta -= np.linalg.solve(curve + 1e-9 * np.eye(len(beta)), slope)
    return beta


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit what an embedder says of the odds.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    data = read(parser.parse_args().data)
    for label, model in (("words", None), ("an embedder", WordLlamaEmbedder())):
        fitted = " ".join(f"{value:.2f}" for value in regression(every_row(data, model)))
        print(f"{label}: {fitted}", flush=True)


def every_row(data: Data, model: WordLlamaEmbedder | None) -> list[list[Row]]:
    """By kind of catalogue."""
    dice = random.Random(3)
    even, train = data.queries[::2], [(prompt, str(tool)) for prompt, tool in data.train]
    actions = [(name, "") for name in sorted({tool for _, tool in train})]
    kinds: dict[tuple[str, int, int], list[Row]] = {}
    for label, tools, pairs in (("meta", data.tools, even), ("clinc", actions, train)):
        for some, asked, own in catalogues(tools, pairs[::2], pairs[1::2], dice):
            kind = label, len(some), max(map(len, own.values()), default=0)
            kinds.setdefault(kind, []).extend(rows(some, own, asked, model))
    return list(kinds.values())


if __name__ == "__main__":
    main()
