"""Fits the terms of csrc/routing/score_map.cpp and prints them.

    python benchmarks/fit_score_map.py --data FOLDER

FOLDER as for bench_routing.py. Tuned on: the prompts of MetaTool with an even number, the training
file of CLINC150, and docstrings (score_map_catalogues.py draws the catalogues). Held back: the
prompts of MetaTool with an odd number, the validation file of CLINC150, people's prompts.
--folds prints in place of the terms what a map fitted on three quarters of the prompts is worth on
the others. --learned fits only the terms of what was learned and keeps the others as they are: what
is said of tools that nobody asked for stays.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench_routing import TAU, read
from routing_twins import calibration_error
from score_map_catalogues import FEW, FOLDS, WHOLE, Drawn, drawn, sources

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
    "covered_lead": (0.0, 0.4, 0.5, 0.6),
    "heard": (0.0, 0.5, 0.75),
    "likeness": (0.0, 0.2, 0.4, 0.6, 0.8),
    "meaning_lead": (0.0, 0.45, 0.5, 0.55, 0.6),
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
    "covered_lead": "covered description learned text phrasings tools",
    "heard": "learned phrasings tools words known covered share linear accepted gap",
    "likeness": "covered known words description phrasing linear learned text phrasings tools",
    "meaning_lead": "likeness covered words learned text phrasings tools",
}
# What a catalogue of a source weighs: one of fewer tools than WHOLE, and a whole one by the
# phrasings of each tool; and a prompt that means no tool in a whole one.
SMALL = {"meta": 2.0, "clinc": 2.0, "both": 0.0, "long": 1.5, "functions": 1.0}
LARGE = {
    "meta": {0: 16.0, 1: 8.0, 5: 8.0, 100: 48.0, FEW: 6.0},
    "clinc": {0: 16.0, 1: 8.0, 5: 8.0, 100: 40.0, FEW: 2.0},
    "both": {0: 0.5, 1: 0.5, 5: 0.5, 100: 1.0},
    "long": {0: 4.0, 1: 4.0, 5: 4.0, FEW: 4.0},
    "functions": {0: 1.0},
}
NONE_COUNTS = {0: 3.0, 1: 2.5, 5: 3.0, 100: 7.0, FEW: 2.0}
RIDGE = 1e-4
LEARNED = frozenset({"phrasing", "linear", "phrasings", "learned", "accepted", "heard"})
"""What is 0 where nothing was learned; there `linear_lead` is a half."""
MAP = Path(__file__).parents[1] / "csrc/routing/score_map.cpp"

Reals = NDArray[np.float64]
Term = tuple[str, str, float, float]
"""A fact, another one, and where the first counts from and up to."""


class Group(NamedTuple):
    """Catalogues of one kind; as in Drawn."""

    source: str
    size: int
    phrasings: int


class Rows(NamedTuple):
    """All rows of all catalogues. group: of each row, its place among `groups`."""

    evidence: Reals
    right: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    fold: NDArray[np.int64]
    group: NDArray[np.int64]
    groups: list[Group]


def stacked(every: Sequence[Drawn]) -> Rows:
    groups = list(dict.fromkeys((one.source, one.size, one.phrasings) for one in every))
    place = {group: number for number, group in enumerate(groups)}
    rows = [row for one in every for row in one.rows]
    return Rows(
        np.array([row.evidence for row in rows]),
        np.array([row.right for row in rows]),
        np.array([row.inside for row in rows]),
        np.array([row.fold for row in rows]),
        np.array([place[one.source, one.size, one.phrasings] for one in every for _ in one.rows]),
        [Group(*group) for group in groups],
    )


def weights_of(rows: Rows) -> Reals:
    """What each row counts; the sum is 1."""
    sizes = np.bincount(rows.group, minlength=len(rows.groups))
    each, none = [], []
    for group, size in zip(rows.groups, sizes, strict=True):
        large = group.size >= WHOLE
        weight = LARGE[group.source][group.phrasings] if large else SMALL[group.source]
        each.append(weight / max(1, size))
        none.append(NONE_COUNTS[group.phrasings] if large else 1.0)
    weights = np.array(each)[rows.group]
    weights[~rows.inside] *= np.array(none)[rows.group][~rows.inside]
    return np.asarray(weights / weights.sum())


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


def regression(
    table: Reals, right: NDArray[np.bool_], weights: Reals, known: Reals | None = None
) -> Reals:
    """Logistic, with a ridge over columns of unit spread, by Newton's method. known: log odds that
    are added.
    """
    spread = table.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled = (table / spread).astype(np.float32)
    added = np.float32(0.0) if known is None else known.astype(np.float32)
    counts = (weights / weights.sum()).astype(np.float32)
    penalty = np.full(table.shape[1], RIDGE)
    penalty[0] = 0.0 if known is None else RIDGE
    beta = np.zeros(table.shape[1])
    for _ in range(15):
        share = probability(scaled @ beta.astype(np.float32) + added)
        slope = scaled.T @ (counts * (share - right)) + 2.0 * penalty * beta
        curve = (scaled * (counts * share * (1.0 - share))[:, None]).T @ scaled
        beta -= np.linalg.solve(curve + np.diag(2.0 * penalty + 1e-9), slope)
        if np.abs(slope).max() < 1e-6:
            break
    return np.asarray(beta / spread)


def fitted(
    rows: Rows, table: Reals, weights: Reals, kept: Reals | None, among: NDArray[np.bool_]
) -> Reals:
    """The weights of all terms; of those that learning does not move as in `kept`, where given."""
    if kept is None:
        return regression(table[among], rows.right[among], weights[among])
    moved = np.array([of_learning(term) for term in terms()])
    told = among & (rows.evidence[:, FACTS.index("learned")] > 0.0)
    known = table[told][:, ~moved] @ kept[~moved]
    beta = kept.copy()
    beta[moved] = regression(table[told][:, moved], rows.right[told], weights[told], known)
    return beta


def of_learning(term: Term) -> bool:
    """Whether the term is 0 where nothing was learned."""
    one, other, low, _ = term
    return one in LEARNED or other in LEARNED or (one == "linear_lead" and low >= 0.5)


def terms_of(source: str) -> Reals:
    """The weights that a table of terms in C++ holds, as `regression` gives them."""
    changes = [float(found) for found in re.findall(r"\{(-?[\d.]+), Fact::\w+, Fact::", source)]
    out, slope = [], 0.0
    for (_, _, low, high), change in zip(terms(), changes, strict=True):
        out.append(change + (0.0 if low == 0.0 else slope))
        slope = 0.0 if high == np.inf else out[-1]
    return np.array(out)


def probability(odds: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))


def lines(beta: Reals) -> list[str]:
    """The rows of the table: a hinge adds what the slope changes by at its knot."""
    out, slope = [], 0.0
    for (one, other, low, high), weight in zip(terms(), beta, strict=True):
        change = weight - (0.0 if low == 0.0 else slope)
        slope = 0.0 if high == np.inf else weight
        out.append(f"{{{change:.4f}, Fact::{one}, Fact::{other}, {low}}},")
    return out


def print_folds(rows: Rows, table: Reals, weights: Reals, kept: Reals | None) -> None:
    """What a map fitted on the other folds of prompts is worth on each."""
    scores = np.zeros(len(rows.right))
    for fold in range(FOLDS):
        here = rows.fold == fold
        beta = fitted(rows, table, weights, kept, ~here)
        scores[here] = probability(table[here] @ beta)
    clipped = np.clip(scores, 1e-6, 1.0 - 1e-6)
    loss = -np.log(np.where(rows.right, clipped, 1.0 - clipped))
    print(f"log loss {(loss * weights).sum():.4f}")
    print("| source | tools | phrasings | found | right at tau | taken | calibration | log loss |")
    for place, group in enumerate(rows.groups):
        here, reach = rows.group == place, scores >= TAU
        inside, none = here & rows.inside, here & ~rows.inside
        cells = [
            (reach & rows.right)[inside].mean(),
            rows.right[here & reach].mean() if (here & reach).any() else 0.0,
            reach[none].mean() if none.any() else 0.0,
            calibration_error(scores[here], rows.right[here]),
            loss[here].mean(),
        ]
        told = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {group.source} | {group.size} | {group.phrasings} | {told} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the map from evidence to a score.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    parser.add_argument("--folds", action="store_true", help="what it is worth, fold by fold")
    parser.add_argument("--learned", action="store_true", help="fit what learning tells alone")
    options = parser.parse_args()
    kept = terms_of(MAP.read_text(encoding="utf-8")) if options.learned else None
    rows = stacked(list(drawn(sources(read(options.data)))))
    table, weights = columns(rows.evidence), weights_of(rows)
    if options.folds:
        print_folds(rows, table, weights, kept)
        return
    beta = fitted(rows, table, weights, kept, np.ones(len(table), bool))
    print("\n".join(f"    {line}" for line in lines(beta)))


if __name__ == "__main__":
    main()
