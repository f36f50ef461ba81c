"""What a score is worth: tables of bench_routing.py on prompts that nothing was tuned on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import people_prompts
import routing_twins as twins
from prefrontal.protocols import Embedder
from prefrontal.routing import ToolIndex
from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout
from prefrontal.routing.ranking.index import RankedTool
from prefrontal.routing.ranking.meanings import Meanings
from prefrontal.routing.ranking.rivals import rivals
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.types import Candidate, Tool, ToolSpec
from prefrontal.settings.routing import Ranker
from prefrontal.storage.documents import read_document
from routing_prompts import TOOLS, Pair, phrasings_of

TAU = 0.60
CATALOGUES = 30
SIZES = (5, 13, 30, 60, 100)
FOLDERS = Path(__file__).parent / "people_folders"
"""Tools of six trades with manifests and prompts as people write them, and prompts that mean none.
Chosen on; what each holds was written before any of its prompts was ranked."""
Tools = Sequence[tuple[str, str]]


def print_head(title: str, *columns: str) -> None:
    print(f"\n**{title}**\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def held_out_halves(tools: Tools, queries: Sequence[Pair]) -> None:
    """The odd prompts, with some of the even ones as phrasings."""
    asked = queries[1::2]
    head = "phrasings each", "acc@1", "reach tau", "right of those", "calibration"
    print_head(f"{len(asked)} odd prompts, some of the even ones as phrasings", *head)
    for count in (0, 1, 5, 100):
        own = phrasings_of(queries[::2], count, random.Random(7))
        index = built(tools, own)
        first = [index.rank(prompt, 1)[0] for prompt, _ in asked]
        scores = np.array([one.score for one in first])
        right = np.array([one.name == tool for one, (_, tool) in zip(first, asked, strict=True)])
        reach = scores >= TAU
        worth = right[reach].mean() if reach.any() else 0.0
        cells = [right.mean(), reach.mean(), worth, twins.calibration_error(scores, right)]
        print(f"| {count} | {' | '.join(f'{cell:.3f}' for cell in cells)} |", flush=True)


def small_catalogues(
    title: str, tools: Tools, asked: Sequence[Pair], known: Sequence[Pair]
) -> None:
    """Catalogues drawn by chance, half of the prompts meant for none of their tools."""
    dice = random.Random(13)
    head = "tools", "phrasings each", "reach tau at the right tool", "right of those at tau"
    print_head(f"Small catalogues, {title}", *head, "taken of those that mean none", "calibration")
    for size in SIZES:
        if size >= len(tools):
            continue
        for count in (0, 5):
            rows: list[tuple[float, bool, bool]] = []
            for _ in range(CATALOGUES):
                rows += drawn(dice.sample(list(tools), size), asked, known, count, dice)
            scores, right, inside = (np.array(one) for one in zip(*rows, strict=True))
            reach = scores >= TAU
            precision = right[reach].mean() if reach.any() else 0.0
            cells = [(reach & right)[inside].mean(), precision, reach[~inside].mean()]
            cells.append(twins.calibration_error(scores, right))
            print(f"| {size} | {count} | {' | '.join(f'{one:.3f}' for one in cells)} |", flush=True)


def drawn(
    tools: Tools, asked: Sequence[Pair], known: Sequence[Pair], count: int, dice: random.Random
) -> list[tuple[float, bool, bool]]:
    """(score, whether it is right, whether a tool is meant) of as many prompts of both kinds."""
    names = {name for name, _ in tools}
    own = phrasings_of((pair for pair in known if pair[1] in names), count, dice)
    index = built(tools, own)
    inside = [pair for pair in asked if pair[1] in names]
    outside = [pair for pair in asked if pair[1] not in names]
    most = min(100, len(inside), len(outside))
    rows = []
    for prompt, tool in [*dice.sample(inside, most), *dice.sample(outside, most)]:
        best = index.rank(prompt, 1)[0]
        rows.append((best.score, best.name == tool, tool in names))
    return rows


def near_rivals(tools: Tools, queries: Sequence[Pair]) -> None:
    """Prompts whose second tool reaches tau, too, and what comes of them, nothing learned."""
    index = built(tools, {})
    settings = Ranker()
    both, selected, asked = [], [], []
    for prompt, tool in queries:
        found = index.rank(prompt, 10, explain=True)
        right = found[0].name == tool
        meant = rivals([candidate(one) for one in found], settings)
        if found[1].score >= TAU:
            both.append((right, bool(meant)))
        if meant and found[0].score >= TAU:
            asked.append(tool in [one.tool.name for one in meant[:2]])
        elif found[0].score >= TAU:
            selected.append(right)
    still = [right for right, open_ in both if not open_]
    head = "", "prompts", "right, or among the first two where a person is asked"
    print_head("Where the best tool reaches tau, nothing learned", *head)
    print(worth("the second reaches tau, too", [right for right, _ in both]))
    print(worth("of these still selected", still))
    print(worth("all that are selected", selected))
    print(worth("a person is asked", asked))


def worth(name: str, right: Sequence[bool]) -> str:
    share = f"{sum(right) / len(right):.3f}" if right else ""
    return f"| {name} | {len(right)} | {share} |"


def candidate(found: RankedTool) -> Candidate:
    """As `prefrontal route` has it."""
    tool, about = tool_file(found.name, ""), found.explanation or {}
    familiar = about["accepted"] >= TAU
    return Candidate(tool, found.score, found.features, by_name=about["called"], familiar=familiar)


def tool_file(name: str, doc: str) -> Tool:
    path = f"domains/x/y/{name}.py"
    return Tool(ToolSpec(Path(path), "run", [], doc, 0.0), name, "x", "y", False, path, "")


def embedded(tools: Tools, queries: Sequence[Pair], embedder: Embedder) -> None:
    """What vectors of wordllama add, nothing learned, as `prefrontal route` ranks."""
    settings = Ranker()
    files = [tool_file(name, doc) for name, doc in tools]
    head = "", "acc@1", "acc@5", "reach tau", "right of those", "calibration"
    print_head(f"{len(queries)} prompts, {len(tools)} tools, nothing learned", *head)
    for label, model in (("prefrontal", None), ("with vectors of wordllama", embedder)):
        ranker = ToolRanker(files, {}, settings, 0.0, model)
        rows = [ranker.candidates(prompt)[:5] for prompt, _ in queries]
        names = [[one.tool.name for one in row] for row in rows]
        right = np.array([own[0] == tool for own, (_, tool) in zip(names, queries, strict=True)])
        five = np.array([tool in own for own, (_, tool) in zip(names, queries, strict=True)])
        scores = np.array([row[0].score for row in rows])
        reach = scores >= TAU
        cells = [right.mean(), five.mean(), reach.mean(), right[reach].mean() if any(reach) else 0]
        cells.append(twins.calibration_error(scores, right))
        print(f"| {label} | {' | '.join(f'{cell:.3f}' for cell in cells)} |", flush=True)
    meanings = Meanings(embedder, dict(tools))
    likeness = [meanings.likeness(prompt) for prompt, _ in queries]
    order = [sorted(one, key=lambda name: -one[name])[:5] for one in likeness]
    both = list(zip(order, queries, strict=True))
    cells = [np.mean([own[0] == tool for own, (_, tool) in both])]
    cells.append(np.mean([tool in own for own, (_, tool) in both]))
    print(f"| vectors of wordllama alone | {' | '.join(f'{one:.3f}' for one in cells)} | | | |")


def people(
    tools_root: Path = TOOLS, embedder: Embedder | None = None, word_vectors: bool = True
) -> None:
    """People's prompts for examples/tools, as `prefrontal route` ranks them."""
    settings = Ranker(word_vectors=word_vectors)
    ranker = ToolRanker(discover_all(Layout.of(tools_root)).tools, {}, settings, 0.0, embedder)
    head = "", "prompts", "right tool first", "selected and right", "selected and wrong", "asked"
    more = ", with vectors of wordllama" if embedder else ""
    more = more if word_vectors else ", without the vectors of words"
    print_head(f"People's prompts for examples/tools (13 tools){more}", *head)
    halves = {"held back": people_prompts.held_back(), "chosen on": people_prompts.for_choosing()}
    for half, kinds in halves.items():
        for kind, prompts in zip(("mean a tool", "mean none"), kinds, strict=True):
            first = right = wrong = asked = 0
            for prompt, tool in prompts:
                ranked = ranker.candidates(prompt)
                fits, best = ranked[0].tool.name == tool, ranked[0].score >= settings.threshold
                first += fits
                open_ = bool(rivals(ranked, settings))
                asked += open_
                right += fits and best and not open_
                wrong += best and not fits and not open_
            cells = (f"{kind}, {half}", len(prompts), first, right, wrong, asked)
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


def read(path: Path) -> Any:
    return read_document(path)


def folders() -> None:
    """People's prompts for six folders of 13 tools each, with the phrasings of their manifests and
    without, and as many again that mean none.
    """
    none = read(FOLDERS / "none.yaml")
    head = "phrasings each", "prompts", "right tool first", "reach tau at the right tool"
    print_head("Six folders of 13 tools", *head, "right of those at tau", "taken that mean none")
    for count in (0, 2):
        rows: list[tuple[float, bool, bool]] = []
        for path in sorted(FOLDERS.glob("*.yaml")):
            if path.stem == "none":
                continue
            tools = read(path)
            texts = [(tool["name"], tool["doc"]) for tool in tools]
            index = built(texts, {tool["name"]: tool["intents"][:count] for tool in tools})
            asked: list[Pair] = [(text, tool["name"]) for tool in tools for text in tool["prompts"]]
            for prompt, name in [*asked, *((text, None) for text in none)]:
                best = index.rank(prompt, 1)[0]
                rows.append((best.score, best.name == name, name is not None))
        scores, right, inside = (np.array(one) for one in zip(*rows, strict=True))
        reach = scores >= TAU
        cells = [right[inside].mean(), (reach & right)[inside].mean(), right[reach].mean()]
        cells.append(reach[~inside].mean())
        shown = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {count} | {inside.sum()} | {shown} |", flush=True)


def built(tools: Tools, own: dict[str, list[str]]) -> ToolIndex:
    return ToolIndex.build(
        {"name": name, "doc": doc, "intents": own.get(name, [])} for name, doc in tools
    )
