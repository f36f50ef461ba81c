"""What the vectors of words add: a table of bench_routing.py, on prompts that were held back.

They are on unless `routing.ranker.word_vectors` is off. The map of scores is fitted with them, so
that without them the order of the tools is a twin and the scores are not.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

import routing_prompts as prompts_of
import routing_scores
import routing_twins as twins
from prefrontal.routing import RankedTool, ToolIndex

Pair = prompts_of.Pair
Tools = Sequence[tuple[str, str]]
FEW, MOST, PAIRS = 5, 5, 900
LABELS = {True: "prefrontal", False: "without vectors"}


def vectors(
    tools: Tools, queries: Sequence[Pair], train: Sequence[Pair], val: Sequence[Pair]
) -> None:
    columns = "", "", "acc@1", "acc@5", "reach tau", "right of those", "calibration"
    routing_scores.print_head("With and without the vectors of words", *columns)
    for title, (index, asked) in cold(tools, queries, train, val).items():
        for on in LABELS:
            found = [index.rank(prompt, MOST, word_vectors=on) for prompt, _ in asked]
            print(row(title, on, found, asked), flush=True)
    half = len(queries) // 2
    for on in LABELS:
        found = learning(routing_scores.built(tools, {}), queries, on)[half:]
        print(row("MetaTool, after half of it was learned", on, found, queries[half:]), flush=True)
    both_of_two(tools, queries[1::2])
    routing_scores.people(word_vectors=False)


def cold(
    tools: Tools, queries: Sequence[Pair], train: Sequence[Pair], val: Sequence[Pair]
) -> dict[str, tuple[ToolIndex, Sequence[Pair]]]:
    odd, plain = queries[1::2], routing_scores.built(tools, {})
    actions = [(name, "") for name in sorted({str(tool) for _, tool in train})]
    inside = [(prompt, tool) for prompt, tool in val if tool is not None]
    out: dict[str, tuple[ToolIndex, Sequence[Pair]]] = {}
    for count in (0, FEW):
        own = prompts_of.phrasings_of(queries[::2], count, random.Random(7))
        out[f"MetaTool, {count} phrasings each"] = routing_scores.built(tools, own), odd
        own = prompts_of.phrasings_of(train, count, random.Random(7))
        out[f"CLINC150, {count} phrasings each"] = routing_scores.built(actions, own), inside
    out["an agent's queries, from the catalogue"] = plain, prompts_of.from_catalogue(tools)
    out["an agent's queries, condensed"] = plain, prompts_of.condensed(odd)
    return out


def learning(index: ToolIndex, queries: Sequence[Pair], on: bool) -> list[list[RankedTool]]:
    """Each prompt is ranked before it is accepted."""
    found = []
    for prompt, tool in queries:
        found.append(index.rank(prompt, MOST, word_vectors=on))
        index.accept(prompt, str(tool))
    return found


def row(title: str, on: bool, found: Sequence[Sequence[RankedTool]], asked: Sequence[Pair]) -> str:
    names = [[one.name for one in best] for best in found]
    right = np.array([own[0] == tool for own, (_, tool) in zip(names, asked, strict=True)])
    five = np.array([tool in own for own, (_, tool) in zip(names, asked, strict=True)])
    scores = np.array([best[0].score for best in found])
    reach = scores >= routing_scores.TAU
    cells = [right.mean(), five.mean(), reach.mean(), right[reach].mean() if reach.any() else 0.0]
    cells.append(twins.calibration_error(scores, right))
    return f"| {title} | {LABELS[on]} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"


def both_of_two(tools: Tools, queries: Sequence[Pair]) -> None:
    examples, phrasings = prompts_of.example_tools()
    sets = {"MetaTool": (tools, prompts_of.drawn_pairs(queries, PAIRS))}
    sets["examples/tools"] = examples, prompts_of.all_pairs(phrasings)
    routing_scores.print_head("Prompts for two tools, both in five", "", *LABELS.values())
    for title, (texts, asked) in sets.items():
        index = routing_scores.built(texts, {})
        cells = []
        for on in LABELS:
            best = [index.rank(prompt, MOST, word_vectors=on) for prompt, _ in asked]
            hits = [
                wanted <= {one.name for one in own}
                for own, (_, wanted) in zip(best, asked, strict=True)
            ]
            cells.append(float(np.mean(hits)))
        print(f"| {title} | {' | '.join(f'{cell:.3f}' for cell in cells)} |", flush=True)
