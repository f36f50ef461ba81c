"""How often the right tool comes first: cold, after learning, and when no tool is meant.

    python benchmarks/bench_routing.py --data FOLDER [--smoke] [--part NAME]...

FOLDER holds metatool_tools, metatool_queries, clinc150_train and clinc150_val (.jsonl.gz, one
{"intent", "tool"} or {"name", "doc"} a line). Without it a small made-up set shows that all of it
runs. The twins get the same texts and the same accepted phrasings; of each the best of its usual
forms counts. Every prompt is ranked before it is accepted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import routing_prompts as prompts_of
import routing_scores
import routing_twins as twins
import routing_vectors
from prefrontal.routing import ToolIndex
from prefrontal.routing.prompt.sub_intents import sub_intents
from prefrontal.routing.ranking.coverage import in_turns
from prefrontal.runtime.models.embedding import WordLlamaEmbedder

TAU = 0.60
MOST = 5
REFIT = 1_000
SAMPLE = 600  # prompts that the slow published formula ranks
SEVERAL = 900  # prompts that need two tools


Pair = tuple[str, str | None]
"""A prompt and the right tool, None for none; or a tool and its doc."""


@dataclass(frozen=True, slots=True)
class Data:
    """tools: name and doc. outside: prompts beside `train` that mean no tool."""

    tools: list[tuple[str, str]]
    queries: list[Pair]
    train: list[Pair]
    val: list[Pair]
    outside: list[str]


def read(folder: Path) -> Data:
    def rows(name: str) -> list[dict[str, Any]]:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def pairs(name: str) -> list[Pair]:
        return [(row["intent"], row["tool"]) for row in rows(name)]

    tools = [(row["name"], row["doc"]) for row in rows("metatool_tools")]
    asked = pairs("clinc150_train")
    train = [pair for pair in asked if pair[1] is not None]
    outside = [prompt for prompt, tool in asked if tool is None]
    return Data(tools, pairs("metatool_queries"), train, pairs("clinc150_val"), outside)


def made_up() -> Data:
    """Twelve tools and a few prompts for each; for --smoke."""
    nouns = ["invoice", "matrix", "photo", "song", "recipe", "route"]
    verbs = ["find", "delete"]
    names = [(verb, noun) for noun in nouns for verb in verbs]
    tools = [(f"{verb}_{noun}", f"{verb.title()} a {noun} for you.") for verb, noun in names]
    forms = ["please {} the {}", "could you {} my old {}", "{} every {} of today", "{} {} number 7"]
    asked = [(form.format(verb, noun), f"{verb}_{noun}") for form in forms for verb, noun in names]
    none: list[Pair] = [("what a lovely evening", None), ("who are you", None)]
    queries: list[Pair] = list(asked)
    return Data(tools, queries, queries, [*queries[::3], *none], ["how are things"])


class Tally:
    """Ranks of the right tool, and what the first scores were worth."""

    def __init__(self) -> None:
        self.first = self.five = self.asked = self.reached = self.right = 0

    def take(self, names: Sequence[str], tool: str | None, score: float | None = None) -> None:
        self.asked += 1
        self.first += names[:1] == [tool]
        self.five += tool in names[:MOST]
        if score is not None and score >= TAU:
            self.reached += 1
            self.right += names[:1] == [tool]

    def row(self, name: str, scored: bool = False) -> str:
        cells = [f"{self.first / self.asked:.3f}", f"{self.five / self.asked:.3f}"]
        if scored:
            precision = self.right / self.reached if self.reached else 0.0
            cells += [f"{self.reached / self.asked:.0%}", f"{precision:.3f}"]
        else:
            cells += ["", ""]
        return f"| {name} | {' | '.join(cells)} |"


def print_head(title: str) -> None:
    print(
        f"\n**{title}**\n\n| | acc@1 | acc@5 | reach tau | right of those |\n|---|---|---|---|---|"
    )


def cold(data: Data, smoke: bool) -> None:
    print_head(f"{len(data.queries)} prompts, {len(data.tools)} tools, nothing learned")
    index = ToolIndex.build([{"name": name, "doc": doc} for name, doc in data.tools])
    for name, relatives in {"prefrontal": True, "prefrontal without near words": False}.items():
        tally = Tally()
        for prompt, tool in data.queries:
            found = index.rank(prompt, MOST, relatives=relatives)
            tally.take([one.name for one in found], tool, found[0].score)
        print(tally.row(name, scored=True), flush=True)
    prompts = [prompt for prompt, _ in data.queries]
    names = np.array([name for name, _ in data.tools])
    for name, scores in twins.cold_scores(data.tools, prompts):
        print(ranked(name, names, scores, data.queries), flush=True)
    few = data.queries[: 12 if smoke else SAMPLE]
    scores = twins.published_formula(data.tools, [prompt for prompt, _ in few])
    print(ranked(f"published formula, first {len(few)}", names, scores, few))


def ranked(
    name: str,
    names: NDArray[np.str_],
    scores: NDArray[np.float64],
    queries: Sequence[tuple[str, str | None]],
) -> str:
    tally = Tally()
    for row, (_, tool) in zip(scores, queries, strict=True):
        tally.take([str(one) for one in names[np.argsort(-row, kind="stable")[:MOST]]], tool)
    return tally.row(name)


def learning(data: Data, refit: int) -> None:
    half = len(data.queries) // 2
    print_head(f"the second half of them, each accepted after it was ranked ({half} before)")
    index = ToolIndex.build([{"name": name, "doc": doc} for name, doc in data.tools])
    ours = Tally()
    for number, (prompt, tool) in enumerate(data.queries):
        if number >= half:
            found = index.rank(prompt, MOST)
            ours.take([one.name for one in found], tool, found[0].score)
        index.accept(prompt, str(tool))
    print(ours.row("prefrontal", scored=True), flush=True)
    names = np.array([name for name, _ in data.tools])
    rest = data.queries[half:]
    for name, scores in twins.learned_scores(data.tools, data.queries, half, refit):
        print(ranked(f"{name}, refit every {refit}", names, scores, rest), flush=True)


def intents(data: Data) -> None:
    phrasings: dict[str, list[str]] = {}
    for prompt, tool in data.train:
        phrasings.setdefault(str(tool), []).append(prompt)
    inside = np.array([tool is not None for _, tool in data.val])
    title = f"{len(phrasings)} actions with {len(data.train)} phrasings"
    print(f"\n**{title}; {inside.sum()} prompts in scope, {(~inside).sum()} out of scope**\n")
    columns = (
        "accuracy in scope",
        "AUROC in / out",
        "out below tau",
        "in at tau",
        "right of those",
    )
    print(f"| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    index = ToolIndex.build([{"name": name, "intents": own} for name, own in phrasings.items()])
    found = [index.rank(prompt, 1)[0] for prompt, _ in data.val]
    scores = np.array([one.score for one in found])
    right = np.array([one.name == tool for one, (_, tool) in zip(found, data.val, strict=True)])
    at_tau = scores >= TAU
    worth = [(~at_tau[~inside]).mean(), at_tau[inside].mean(), right[at_tau].mean()]
    cells = [right[inside].mean(), twins.auroc(scores, inside), *worth]
    print(f"| prefrontal | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    relevance = np.array([index.relevance(prompt) for prompt, _ in data.val])
    print(f"| prefrontal, relevance() | | {twins.auroc(relevance, inside):.3f} | | | |", flush=True)
    prompts = [prompt for prompt, _ in data.val]
    for name, table, tools in twins.phrasing_scores(phrasings, prompts):
        best = tools[table.argmax(1)]
        correct = np.array([one == tool for one, (_, tool) in zip(best, data.val, strict=True)])
        area = twins.auroc(table.max(1), inside)
        print(f"| {name} | {correct[inside].mean():.3f} | {area:.3f} | | | |", flush=True)


def few_phrasings(data: Data) -> None:
    """The same prompts where each action has no phrasing, one, five or up to a hundred."""
    actions = sorted({str(tool) for _, tool in data.train})
    inside = np.array([tool is not None for _, tool in data.val])
    print(f"\n**{len(actions)} actions by name and a few phrasings; the same prompts**\n")
    columns = ("accuracy in scope", "out below tau", "in at tau", "right of those", "calibration")
    print(f"| phrasings each | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for count in (0, 1, 5, 100):
        own = prompts_of.phrasings_of(data.train, count, random.Random(7))
        index = ToolIndex.build({"name": name, "intents": own.get(name, [])} for name in actions)
        first = [index.rank(prompt, 1)[0] for prompt, _ in data.val]
        scores = np.array([one.score for one in first])
        right = np.array([one.name == tool for one, (_, tool) in zip(first, data.val, strict=True)])
        at_tau = scores >= TAU
        precision = right[at_tau].mean() if at_tau.any() else 0.0
        cells = [right[inside].mean(), (~at_tau[~inside]).mean(), at_tau[inside].mean(), precision]
        cells.append(twins.calibration_error(scores, right))
        print(f"| {count} | {' | '.join(f'{cell:.3f}' for cell in cells)} |", flush=True)


def several(data: Data) -> None:
    """Prompts that need two tools: from the odd prompts, and from examples/tools."""
    head = f"{'|'.join(f' `{joint}` ' for joint in prompts_of.JOINTS)}| all |"
    sets = {"MetaTool": (data.tools, prompts_of.drawn_pairs(data.queries[1::2], SEVERAL))}
    tools, phrasings = prompts_of.example_tools()
    sets["examples/tools"] = tools, prompts_of.all_pairs(phrasings)
    for title, (pairs, asked) in sets.items():
        print(f"\n**{len(asked)} prompts for two of {len(pairs)} tools ({title}): both in five**")
        print(f"\n| |{head}\n|{'---|' * (len(prompts_of.JOINTS) + 2)}")
        index = ToolIndex.build({"name": name, "doc": doc} for name, doc in pairs)
        whole = [[one.name for one in index.rank(prompt, MOST)] for prompt, _ in asked]
        print(several_row("prefrontal, the whole prompt", whole, asked))
        parts = [by_clause(index, prompt, len(pairs)) for prompt, _ in asked]
        print(several_row("prefrontal, its clauses in turns", parts, asked), flush=True)
        names = np.array([name for name, _ in pairs])
        for name, scores in twins.cold_scores(pairs, [prompt for prompt, _ in asked]):
            best = [names[np.argsort(-row, kind="stable")[:MOST]].tolist() for row in scores]
            print(several_row(name, best, asked), flush=True)


def by_clause(index: ToolIndex, prompt: str, count: int) -> list[str]:
    """The first tools as `prefrontal route` shows them for a prompt of several clauses."""
    clauses = [clause.text for clause in sub_intents(prompt)]
    whole = index.rank(prompt, count)
    if len(clauses) < 2:
        return [one.name for one in whole[:MOST]]
    scores = [{one.name: one.score for one in index.rank(text, count)} for text in clauses]
    by_tool = [[own[one.name] for own in scores] for one in whole]
    order = in_turns([one.score for one in whole], by_tool)
    return [whole[place].name for place in order[:MOST]]


def several_row(
    name: str, best: Sequence[Sequence[str]], asked: Sequence[prompts_of.Several]
) -> str:
    hits = np.array([wanted <= set(one) for one, (_, wanted) in zip(best, asked, strict=True)])
    step = len(prompts_of.JOINTS)
    cells = [*(hits[joint::step].mean() for joint in range(step)), hits.mean()]
    return f"| {name} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"


def agents(data: Data) -> None:
    """Queries as an agent writes them, nothing learned."""
    sets = {
        "from the catalogue": prompts_of.from_catalogue(data.tools),
        "condensed from people's prompts": prompts_of.condensed(data.queries[1::2]),
    }
    for title, queries in sets.items():
        cold_queries(data, f"{len(queries)} queries of an agent, {title}", queries)


def scores(data: Data) -> None:
    """What a score is worth, on the odd prompts and the validation file."""
    asked, known = data.queries[1::2], data.queries[::2]
    actions = [(name, "") for name in sorted({str(tool) for _, tool in data.train})]
    routing_scores.held_out_halves(data.tools, data.queries)
    routing_scores.small_catalogues("MetaTool", data.tools, asked, known)
    routing_scores.small_catalogues("CLINC150", actions, data.val, data.train)
    routing_scores.near_rivals(data.tools, asked)


def slips(data: Data) -> None:
    """The odd prompts with slips of the keys, nothing learned."""
    queries = prompts_of.misspelt(data.queries[1::2])
    title = f"{len(queries)} prompts with two words misspelt, {len(data.tools)} tools"
    cold_queries(data, title, queries)


def cold_queries(data: Data, title: str, queries: Sequence[Pair]) -> None:
    """A table of prompts where nothing was learned, with the twins."""
    index = routing_scores.built(data.tools, {})
    names = np.array([name for name, _ in data.tools])
    print_head(title)
    tally = Tally()
    for prompt, tool in queries:
        best = index.rank(prompt, MOST)
        tally.take([one.name for one in best], tool, best[0].score)
    print(tally.row("prefrontal", scored=True), flush=True)
    for name, scores in twins.cold_scores(data.tools, [prompt for prompt, _ in queries]):
        print(ranked(name, names, scores, queries), flush=True)


def embeddings(data: Data) -> None:
    """With the vectors of the package wordllama, on the odd prompts."""
    model = WordLlamaEmbedder()
    routing_scores.embedded(data.tools, data.queries[1::2], model)
    routing_scores.people(embedder=model)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the right tool comes first.")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the sets of prompts")
    parts: dict[str, Callable[[Data], None]] = {
        "cold": lambda data: cold(data, options.smoke or options.data is None),
        "learning": lambda data: learning(data, REFIT if options.data else 8),
        "intents": intents,
        "few": few_phrasings,
        "several": several,
        "agents": agents,
        "slips": slips,
        "scores": scores,
        "people": lambda data: routing_scores.people(),
        "folders": lambda data: routing_scores.folders(),
        "vectors": lambda data: routing_vectors.vectors(
            data.tools, data.queries, data.train, data.val
        ),
        "embeddings": embeddings,
    }
    parser.add_argument("--part", action="append", choices=parts, help="these tables alone")
    options = parser.parse_args()
    data = read(options.data) if options.data else made_up()
    for name in options.part or parts:
        parts[name](data)


if __name__ == "__main__":
    main()
