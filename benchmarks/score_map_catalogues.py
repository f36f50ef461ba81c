"""Catalogues that the score map is fitted on: of all sizes, terse and long.

Each is drawn by chance from one source. The fewer tools, the more of its prompts mean none of them:
half up to 30 tools, a tenth of 100, as few as the training file of CLINC150 has outside for all.
"""

from __future__ import annotations

import random
import sysconfig
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import routing_corpus
from bench_routing import Data
from prefrontal._core.routing import is_stop_word, tokens
from routing_prompts import Pair, phrasings_of
from routing_scores import built

SIZES = {5: 16, 13: 10, 30: 6, 60: 4, 100: 3}
OUTSIDE = ((30, 0.5), (60, 0.3), (120, 0.1), (1_000_000, 0.035))
"""Up to how many tools which share of the prompts means none."""
WHOLE = 140
"""From so many tools on a catalogue is a whole one."""
PHRASINGS = (0, 1, 5, 100)
FOLDS = 4
FEW = -2
"""Phrasings: up to two or three words each, as a manifest has them."""


class Row(NamedTuple):
    """The best tool of a prompt. fold: of the prompt, below FOLDS."""

    evidence: list[float]
    right: bool
    inside: bool
    fold: int


class Source(NamedTuple):
    """tools: name and text. pairs: prompts with their tools. outside: prompts that mean none.
    sizes: how many catalogues of each. counts: phrasings.
    """

    name: str
    tools: Sequence[tuple[str, str]]
    pairs: Sequence[Pair]
    outside: Sequence[str]
    sizes: dict[int, int]
    counts: Sequence[int]


class Drawn(NamedTuple):
    """A catalogue's rows and where they come from."""

    source: str
    size: int
    phrasings: int
    rows: list[Row]


def drawn(sources: Sequence[Source]) -> Iterator[Drawn]:
    """The rows of every catalogue."""
    for source in sources:
        dice = random.Random(7)
        for size, times in source.sizes.items():
            for count in source.counts:
                for _ in range(times):
                    rows = rows_of(source, size, count, random.Random(dice.randrange(1 << 30)))
                    yield Drawn(source.name, size, count, rows)


def rows_of(source: Source, size: int, count: int, dice: random.Random) -> list[Row]:
    """The best tool of each prompt in one catalogue."""
    tools = dice.sample(list(source.tools), min(size, len(source.tools)))
    names = {name for name, _ in tools}
    mixed = dice.sample(list(source.pairs), len(source.pairs))
    inside = [pair for pair in mixed if pair[1] in names]
    elsewhere: list[Pair] = [(prompt, None) for prompt, tool in mixed if tool not in names]
    most = 2000 if size >= WHOLE else min(max(200, 3 * size), 600)
    most = min(most, len(inside)) if count == 0 else min(most, len(inside) // 2)
    own = phrasings(inside[most:], count, dice)
    index = built(tools, own)
    none = outside_of(source, size, elsewhere, most, dice)
    rows: list[Row] = []
    for prompt, tool in [*inside[:most], *none]:
        best = index.rank(prompt, 1, explain=True)[0]
        assert best.explanation is not None
        if not best.explanation["called"]:
            fold = zlib.crc32(prompt.encode()) % FOLDS
            row = Row(best.explanation["evidence"], best.name == tool, tool is not None, fold)
            rows.append(row)
    return rows


def outside_of(
    source: Source, size: int, elsewhere: Sequence[Pair], most: int, dice: random.Random
) -> list[Pair]:
    """Prompts that mean none, half of them those of tools that were left out, where there are."""
    share = next(part for upto, part in OUTSIDE if size <= upto)
    wanted = int(most * share / (1.0 - share))
    none: list[Pair] = [(prompt, None) for prompt in source.outside]
    if size >= WHOLE:
        return none[:wanted]
    none = dice.sample(none, min(len(none), wanted // 2))
    return none + list(elsewhere[: wanted - len(none)])


def phrasings(pairs: Sequence[Pair], count: int, dice: random.Random) -> dict[str, list[str]]:
    """Up to `count` prompts of each tool; for FEW, two or three words of up to three each."""
    if count != FEW:
        return phrasings_of(pairs, count, dice)
    whole = phrasings_of(pairs, 3, dice)
    return {
        tool: [terse(text, dice) for text in own[: dice.randint(1, 3)]]
        for tool, own in whole.items()
    }


def terse(text: str, dice: random.Random) -> str:
    """Two or three words that are next to each other but for stop words."""
    words = [word for word in text.split() if any(not is_stop_word(one) for one in tokens(word))]
    start = dice.randrange(max(1, len(words) - 2))
    return " ".join(words[start : start + dice.randint(2, 3)])


def sources(data: Data) -> list[Source]:
    """What a map may be tuned on."""
    meta, clinc = data.queries[::2], data.train
    actions: list[tuple[str, str]] = [(name, "") for name in sorted({str(t) for _, t in clinc})]
    both = list({**dict(actions), **dict(data.tools)}.items())
    functions = documented()
    own, asked = without_first_sentence(functions)
    every = [prompt for prompt, _ in clinc[::7]]
    longer = lengthened(data.tools, functions)
    sizes = {**SIZES, len(data.tools): 4}
    most = {**SIZES, len(actions): 4}
    few_pairs = {5: 80, 13: 40, 30: 20, 60: 10, 100: 6, 200: 4, 400: 3}
    few = {5: 8, 13: 6, 30: 4, 60: 2, 100: 2, len(data.tools): 2}
    return [
        Source("meta", data.tools, meta, [], sizes, (*PHRASINGS, FEW)),
        Source("clinc", actions, clinc, data.outside, most, (*PHRASINGS, FEW)),
        Source("both", both, [*meta, *clinc], data.outside, {len(both): 1}, PHRASINGS),
        Source("long", longer, meta, every, few, (0, 1, 5, FEW)),
        Source("functions", own, asked, every, few_pairs, (0,)),
    ]


def documented() -> list[tuple[str, str]]:
    """Functions of the standard library and NumPy with a long docstring, one of a name."""
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [*library.glob("*.py"), *Path(np.__file__).parent.glob("*/*.py")]
    found: dict[str, str] = {}
    for path in sorted(files):
        found.update(pair for pair in routing_corpus.documented(path) if len(pair[1]) > 200)
    return [(name, doc) for name, doc in sorted(found.items()) if not name.startswith("_")]


def without_first_sentence(
    functions: Sequence[tuple[str, str]],
) -> tuple[list[tuple[str, str]], list[Pair]]:
    """The functions with what follows the first sentence of their text, and that as a prompt."""
    dice = random.Random(5)
    tools, asked = [], []
    for name, doc in functions:
        first, _, rest = doc.partition("\n\n")
        words = first.replace("\n", " ").split(". ")[0].split()
        if len(words) >= 4 and len(rest) > 80:
            tools.append((name, rest))
            asked.append((" ".join(words[: dice.randint(4, 10)]), name))
    return tools, list(asked)


def lengthened(
    tools: Sequence[tuple[str, str]], functions: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The tools with lines about arguments, as servers' tools have."""
    dice = random.Random(3)
    lines = [
        line.strip()
        for _, doc in functions
        for line in doc.split("\n\n", 1)[-1].splitlines()
        if 5 <= len(line.split()) <= 20
    ]
    return [
        (name, "\n".join([doc, *dice.sample(lines, dice.randint(1, 12))])) for name, doc in tools
    ]
