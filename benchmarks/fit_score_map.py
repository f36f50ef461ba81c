"""Fits the terms of csrc/routing/score_map.cpp and prints them.

    python benchmarks/fit_score_map.py --data FOLDER

FOLDER as for bench_routing.py. Tuned on: the prompts of MetaTool with an even number and the
training file of CLINC150, in catalogues of 5 to 349 of their tools drawn by chance, with 0, 1, 5
and up to 100 phrasings each; half of the prompts are meant for tools that are not there, and the
100 of the training file that are out of its scope are asked each time. Held back: the prompts of
MetaTool with an odd number and the validation file of CLINC150.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from bench_routing import Data, Pair, phrasings_of, read
from prefrontal.routing import ToolIndex

FACTS = (
    *("one", "gap", "covered", "known", "description", "name", "phrasing", "linear", "text"),
    *("phrasings", "words", "tools", "learned"),
)
KNOTS = {
    "gap": (0.0, 0.02, 0.05, 0.1, 0.2),
    "covered": (0.0, 0.3, 0.5, 0.7),
    "description": (0.0, 0.2, 0.4, 0.6),
    "name": (0.0, 0.5, 0.75),
    "phrasing": (0.0, 0.25, 0.45, 0.65),
    "linear": (0.0, 0.3, 0.5, 0.75),
    "known": (0.0, 0.5),
    "text": (0.0, 1.2, 2.0),
    "phrasings": (0.0, 1.0, 2.5),
    "words": (0.0, 1.5),
    "tools": (0.0, 3.0, 4.5),
    "learned": (0.0, 0.6),
}
RISING = ("gap", "covered", "description", "name", "phrasing", "linear")
PRODUCTS = tuple((one, two) for one in RISING for two in ("learned", "text", "phrasings", "tools"))
SIZES = {5: 20, 15: 10, 50: 5, 100: 3}
COUNTS = (0, 1, 5, 100)
RIDGE = 2e-4

Reals = NDArray[np.float64]


class Row(NamedTuple):
    evidence: list[float]
    right: bool


def rows_of(
    tools: Sequence[Pair], pairs: Sequence[Pair], outside: Sequence[str], count: int, seed: int
) -> list[Row]:
    """The best tool of each prompt in one catalogue, whose tools have `count` phrasings each."""
    dice = random.Random(seed)
    names = {name for name, _ in tools}
    mixed = dice.sample(pairs, len(pairs))
    inside = [pair for pair in mixed if pair[1] in names]
    elsewhere = [(prompt, None) for prompt, tool in mixed if tool not in names]
    most = min(max(200, 3 * len(tools)), 600)
    asked, rest = inside[:most], inside[most:]
    own = phrasings_of(rest, count, dice)
    index = ToolIndex.build(
        {"name": name, "doc": doc, "intents": own.get(name, [])} for name, doc in tools
    )
    rows: list[Row] = []
    prompts = [*asked, *elsewhere[: len(asked)], *((prompt, None) for prompt in outside)]
    for prompt, tool in prompts:
        best = index.rank(prompt, 1, explain=True)[0]
        assert best.explanation is not None
        if not best.explanation["called"]:
            rows.append(Row(best.explanation["evidence"], best.name == tool))
    return rows


def catalogues(data: Data) -> list[tuple[list[Row], float]]:
    """The rows of each catalogue, and what it weighs."""
    dice = random.Random(7)
    meta, clinc = data.queries[::2], data.train
    actions: list[Pair] = [(name, "") for name in sorted({str(tool) for _, tool in clinc})]
    both: list[Pair] = list({**dict(actions), **dict(data.tools)}.items())
    every: list[tuple[Sequence[Pair], Sequence[Pair], Sequence[str], dict[int, int]]] = [
        (data.tools, meta, [], {**SIZES, len(data.tools): 2}),
        (actions, clinc, data.outside, {**SIZES, len(actions): 2}),
        (both, [*meta, *clinc], data.outside, {len(both): 1}),
    ]
    return [
        (
            rows_of(dice.sample(tools, size), pairs, outside, count, dice.randrange(1 << 30)),
            1 / times,
        )
        for tools, pairs, outside, sizes in every
        for size, times in sizes.items()
        for count in COUNTS
        for _ in range(times)
    ]


def columns(evidence: Reals) -> tuple[Reals, list[tuple[str, float | str]]]:
    """The values of each term, and its fact with a knot or with another fact."""
    at = {fact: place for place, fact in enumerate(FACTS)}
    names: list[tuple[str, float | str]] = [("one", "one")]
    values = [evidence[:, 0]]
    for fact, knots in KNOTS.items():
        for low, high in zip(knots, [*knots[1:], np.inf], strict=True):
            names.append((fact, low))
            values.append(np.clip(evidence[:, at[fact]], low, high) - low)
    for one, two in PRODUCTS:
        names.append((one, two))
        values.append(evidence[:, at[one]] * evidence[:, at[two]])
    return np.stack(values, axis=1), names


def regression(table: Reals, right: Reals, weights: Reals, rising: Sequence[bool]) -> Reals:
    """Logistic, with a ridge over columns of unit spread; those that rise are not negative."""
    spread = table.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled = table / spread
    penalty = np.full(table.shape[1], RIDGE)
    penalty[0] = 0.0

    def loss(beta: Reals) -> tuple[float, Reals]:
        odds = scaled @ beta
        value = (weights * (np.logaddexp(0.0, odds) - right * odds)).sum()
        slope = scaled.T @ (weights * (1.0 / (1.0 + np.exp(-odds)) - right))
        return value + (penalty * beta * beta).sum(), slope + 2.0 * penalty * beta

    bounds = [(0.0, None) if up else (None, None) for up in rising]
    options = {"maxiter": 3000}
    start = np.zeros(table.shape[1])
    best = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return np.asarray(best.x / spread)


def lines(names: Sequence[tuple[str, float | str]], beta: Reals) -> list[str]:
    """The rows of the table: a hinge adds what the slope changes by at its knot."""
    out, slope = [], 0.0
    for (one, other), weight in zip(names, beta, strict=True):
        if isinstance(other, str):
            out.append(f"{{{weight:.4f}, Fact::{one}, Fact::{other}, 0.0}},")
            continue
        change = weight - (0.0 if other == 0.0 else slope)
        slope = weight
        if abs(change) > 5e-4:
            out.append(f"{{{change:.4f}, Fact::{one}, Fact::one, {other}}},")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the map from evidence to a score.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    every = catalogues(read(parser.parse_args().data))
    rows = [row for part, _ in every for row in part]
    weights = np.array([weight / len(part) for part, weight in every for _ in part])
    table, names = columns(np.array([row.evidence for row in rows]))
    rising = [fact in RISING and not isinstance(other, str) for fact, other in names]
    right = np.array([float(row.right) for row in rows])
    print(
        "\n".join(
            f"    {line}"
            for line in lines(names, regression(table, right, weights / weights.sum(), rising))
        )
    )


if __name__ == "__main__":
    main()
