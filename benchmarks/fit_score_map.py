"""Fits the terms of csrc/routing/score_map.cpp and prints them.

    python benchmarks/fit_score_map.py --data FOLDER

FOLDER as for bench_routing.py. Tuned on: the prompts of MetaTool with an even number and the
training file of CLINC150, in catalogues of 5 to 349 of their tools drawn by chance, with 0, 1, 5
and up to 100 phrasings each. The fewer tools, the more prompts are meant for none of them: half
of them for 15 tools, a tenth for 100, as few as the training file has outside for all. Held back:
the prompts of MetaTool with an odd number and the validation file of CLINC150.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench_routing import Data, Pair, phrasings_of, read
from prefrontal.routing import ToolIndex

KNOTS = {
    "gap": (0.0, 0.02, 0.05, 0.1, 0.2),
    "covered": (0.0, 0.3, 0.5, 0.7),
    "known": (0.0, 0.5),
    "description": (0.0, 0.2, 0.4, 0.6),
    "name": (0.0, 0.5, 0.75),
    "phrasing": (0.0, 0.25, 0.45, 0.65),
    "linear": (0.0, 0.3, 0.5, 0.75),
    "text": (0.0, 0.6, 1.2, 2.0, 3.0),
    "phrasings": (0.0, 0.35, 1.0, 2.5),
    "words": (0.0, 0.9, 1.5, 2.2),
    "tools": (0.0, 3.0, 4.5),
    "learned": (0.0, 0.3, 0.6, 0.9),
    "accepted": (0.0, 0.3, 0.45, 0.6, 0.8),
    "share": (0.0, 0.3, 0.5, 0.7, 0.9),
    "linear_lead": (0.0, 0.5, 0.6, 0.75),
    "description_lead": (0.0, 0.5, 0.6),
    "heard": (0.0, 0.5, 0.75),
}
FACTS = ("one", *KNOTS)
PRODUCTS = {
    "gap": "covered name phrasing known words learned text phrasings tools",
    "covered": "name words learned text phrasings tools",
    "description": "name learned text phrasings tools",
    "name": "words learned text phrasings tools",
    "phrasing": "linear covered known learned text phrasings tools",
    "linear": "learned text phrasings tools",
    "known": "text tools learned phrasings",
    "text": "tools phrasings learned",
    "words": "text tools learned",
    "tools": "phrasings learned",
    "share": "name covered known words phrasing linear learned text phrasings tools",
    "accepted": "linear known learned text phrasings tools",
    "linear_lead": "learned text phrasings tools",
    "description_lead": "description learned text phrasings tools",
    "heard": "learned phrasings tools words known covered share linear accepted gap",
}
SIZES = {5: 16, 15: 8, 50: 4, 100: 3}
OUTSIDE = {5: 0.5, 15: 0.5, 50: 0.3, 100: 0.1}
WHOLE_OUTSIDE = 0.035  # in a whole catalogue, where there are prompts that mean no tool
# By the phrasings of each tool: how much a whole catalogue weighs, that of both sets together, and
# a prompt that means no tool in one of them.
WHOLE_COUNTS = {0: 8.0, 1: 4.0, 5: 4.0, 100: 8.0}
BOTH_COUNTS = {0: 0.5, 1: 0.5, 5: 0.5, 100: 1.0}
NONE_COUNTS = {0: 2.0, 1: 2.0, 5: 3.0, 100: 7.0}
WHOLE = 140
RIDGE = 2e-5

Reals = NDArray[np.float64]
Term = tuple[str, str, float, float]
"""A fact, another one, and where the first counts from and up to."""


class Row(NamedTuple):
    evidence: list[float]
    right: bool
    inside: bool


def rows_of(
    tools: Sequence[Pair], pairs: Sequence[Pair], outside: Sequence[str], count: int, seed: int
) -> list[Row]:
    """The best tool of each prompt in one catalogue, whose tools have `count` phrasings each."""
    dice = random.Random(seed)
    names = {name for name, _ in tools}
    mixed = dice.sample(pairs, len(pairs))
    inside = [pair for pair in mixed if pair[1] in names]
    elsewhere: list[Pair] = [(prompt, None) for prompt, tool in mixed if tool not in names]
    most = 2000 if len(tools) >= WHOLE else min(max(200, 3 * len(tools)), 600)
    most = min(most, len(inside) // 2)
    own = phrasings_of(inside[most:], count, dice)
    index = ToolIndex.build(
        {"name": name, "doc": doc, "intents": own.get(name, [])} for name, doc in tools
    )
    none: list[Pair] = [(prompt, None) for prompt in outside]
    if len(tools) >= WHOLE:
        none = none[: int(most * WHOLE_OUTSIDE)]
    else:
        share = OUTSIDE[len(tools)]
        wanted = int(most * share / (1.0 - share))
        none = dice.sample(none, min(len(none), wanted // 2))
        none += elsewhere[: wanted - len(none)]
    rows: list[Row] = []
    for prompt, tool in [*inside[:most], *none]:
        best = index.rank(prompt, 1, explain=True)[0]
        assert best.explanation is not None
        if not best.explanation["called"]:
            rows.append(Row(best.explanation["evidence"], best.name == tool, tool is not None))
    return rows


def catalogues(data: Data) -> list[tuple[list[Row], float, float]]:
    """The rows of each catalogue, what it weighs, and what a prompt that means no tool does."""
    dice = random.Random(7)
    meta, clinc = data.queries[::2], data.train
    actions: list[Pair] = [(name, "") for name in sorted({str(tool) for _, tool in clinc})]
    both: list[Pair] = list({**dict(actions), **dict(data.tools)}.items())
    every: list[tuple[Sequence[Pair], Sequence[Pair], Sequence[str], dict[int, int]]] = [
        (data.tools, meta, [], {**SIZES, len(data.tools): 4}),
        (actions, clinc, data.outside, {**SIZES, len(actions): 4}),
        (both, [*meta, *clinc], data.outside, {len(both): 1}),
    ]

    def weight(tools: Sequence[Pair], size: int, count: int) -> float:
        if tools is both:
            return BOTH_COUNTS[count]
        return WHOLE_COUNTS[count] if size >= WHOLE else 1.0

    return [
        (
            rows_of(dice.sample(tools, size), pairs, outside, count, dice.randrange(1 << 30)),
            weight(tools, size, count) / (1.0 if size >= WHOLE else times),
            NONE_COUNTS[count] if size >= WHOLE else 1.0,
        )
        for tools, pairs, outside, sizes in every
        for size, times in sizes.items()
        for count in WHOLE_COUNTS
        for _ in range(times)
    ]


def terms() -> list[Term]:
    out: list[Term] = [("one", "one", 0.0, np.inf)]
    for fact, knots in KNOTS.items():
        out += [(fact, "one", *ends) for ends in zip(knots, [*knots[1:], np.inf], strict=True)]
    pairs = [(one, two) for one, others in PRODUCTS.items() for two in others.split()]
    return out + [(one, two, 0.0, np.inf) for one, two in pairs]


def columns(evidence: Reals) -> Reals:
    """The value of each term."""
    at = {fact: evidence[:, place] for place, fact in enumerate(FACTS)}
    values = [(np.clip(at[one], low, high) - low) * at[two] for one, two, low, high in terms()]
    return np.stack(values, axis=1)


def regression(table: Reals, right: Reals, weights: Reals) -> Reals:
    """Logistic, with a ridge over columns of unit spread, by Newton's method."""
    spread = table.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled = table / spread
    penalty = np.full(table.shape[1], RIDGE)
    penalty[0] = 0.0
    beta = np.zeros(table.shape[1])
    for _ in range(30):
        share = 1.0 / (1.0 + np.exp(-np.clip(scaled @ beta, -30.0, 30.0)))
        slope = scaled.T @ (weights * (share - right)) + 2.0 * penalty * beta
        curve = (scaled * (weights * share * (1.0 - share))[:, None]).T @ scaled
        beta -= np.linalg.solve(curve + np.diag(2.0 * penalty + 1e-12), slope)
        if np.abs(slope).max() < 1e-9:
            break
    return np.asarray(beta / spread)


def lines(beta: Reals) -> list[str]:
    """The rows of the table: a hinge adds what the slope changes by at its knot."""
    out, slope = [], 0.0
    for (one, other, low, high), weight in zip(terms(), beta, strict=True):
        change = weight - (0.0 if low == 0.0 else slope)
        slope = 0.0 if high == np.inf else weight
        out.append(f"{{{change:.4f}, Fact::{one}, Fact::{other}, {low}}},")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the map from evidence to a score.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    every = catalogues(read(parser.parse_args().data))
    rows = [row for part, _, _ in every for row in part]
    weights = np.array(
        [
            weight / len(part) * (1.0 if row.inside else none)
            for part, weight, none in every
            for row in part
        ]
    )
    weights /= weights.sum()
    right = np.array([float(row.right) for row in rows])
    table = columns(np.array([row.evidence for row in rows]))
    print("\n".join(f"    {line}" for line in lines(regression(table, right, weights))))


if __name__ == "__main__":
    main()
