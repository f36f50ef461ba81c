"""The index against its twin in plain Python: the same bits after any events."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.routing import tokens
from prefrontal.routing.ranking.index import DEFAULT_WEIGHTS, RankedTool, ToolIndex

from ..twin import PlainIndex

WORDS = [
    "summarise",
    "summary",
    "matrix",
    "matrices",
    "plot",
    "plotting",
    "plotted",
    "chart",
    "the",
    "a",
    "read",
    "reader",
    "file",
    "files",
    "filename",
    "delete",
    "remove",
    "column",
    "columns",
    "calculate",
    "calculation",
    "calculator",
    "translate",
    "weather",
    "forecast",
    "please",
    "get",
    "set",
    "paper",
    "papers",
    "parser",
    "parse",
    "classify",
    "classifier",
    "naïve",
    "データ",
    "📊",
    "x",
]
words = st.lists(st.sampled_from(WORDS), max_size=8)
text = words.map(" ".join)
prompts = text | words.map("_".join)
tool = st.fixed_dictionaries(
    {"name": st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join), "doc": text},
    optional={"intents": st.lists(text, max_size=3), "history": st.floats(0, 1)},
)
tools = st.lists(tool, min_size=1, max_size=12, unique_by=lambda tool: str(tool["name"]))
event = st.tuples(st.booleans(), text, st.integers(0, 11), st.none() | st.floats(0, 1e7))
shares = st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(1, 10)).map(
    lambda parts: [part / sum(parts) for part in parts]
)


def plain(ranked: list[RankedTool]) -> list[tuple[str, float, dict[str, float], set[str]]]:
    return [
        (tool.name, tool.score, tool.features, {t for word in tool.matched for t in tokens(word)})
        for tool in ranked
    ]


@settings(max_examples=120, deadline=None)
@given(
    tools,
    st.lists(event, max_size=8),
    prompts,
    shares,
    st.none() | st.floats(0, 1e7),
    st.booleans(),
)
def test_every_score_and_feature_has_the_bits_of_the_twin(
    tools: list[dict[str, Any]],
    events: list[tuple[bool, str, int, float | None]],
    prompt: str,
    parts: list[float],
    now: float | None,
    vectors: bool,
) -> None:
    index, twin = ToolIndex.build(tools), PlainIndex(tools)
    for accepted, asked, at, when in events:
        key = twin.keys[at % len(twin.keys)]
        for either in (index, twin):
            (either.accept if accepted else either.reject)(asked, key, now=when)
    weights = dict(zip(DEFAULT_WEIGHTS, parts, strict=True))
    ranked = index.rank(prompt, len(tools), weights=weights, now=now, word_vectors=vectors)
    assert plain(ranked) == twin.rank(prompt, weights, now, word_vectors=vectors)


def test_a_long_use_with_refusals_keeps_the_bits_of_the_twin() -> None:
    random = Random(5)
    few = [{"name": name, "doc": ""} for name in ("plot", "read_file", "weather", "parse")]
    index, twin = ToolIndex.build(few), PlainIndex(few)
    for _ in range(120):
        asked = " ".join(random.choices(WORDS[:6], k=random.randint(1, 2)))
        key = random.choice(twin.keys)
        index.accept(asked, key)
        twin.accept(asked, key)
        if random.random() < 0.4:
            index.reject(asked, key)
            twin.reject(asked, key)
    for prompt in WORDS[:8]:
        assert plain(index.rank(prompt)) == twin.rank(prompt, DEFAULT_WEIGHTS)


@settings(max_examples=60, deadline=None)
@given(tools, st.lists(event, max_size=4), text, st.integers(1, 12), st.booleans())
def test_the_best_k_are_the_first_k_of_all(
    tools: list[dict[str, Any]],
    events: list[tuple[bool, str, int, float | None]],
    prompt: str,
    k: int,
    vectors: bool,
) -> None:
    index = ToolIndex.build(tools)
    for accepted, asked, at, _ in events:
        key = index.names()[at % len(tools)]
        (index.accept if accepted else index.reject)(asked, key)
    every = index.rank(prompt, len(tools), word_vectors=vectors)
    assert index.rank(prompt, k, word_vectors=vectors) == every[:k]


def test_pruning_changes_nothing_among_thousands() -> None:
    names = [f"{a}_{b}_{n}" for n, (a, b) in enumerate((a, b) for a in WORDS for b in WORDS)]
    docs = [
        " ".join(WORDS[(n * step) % len(WORDS)] for step in range(1, 9)) for n in range(len(names))
    ]
    many = [{"name": name, "doc": doc} for name, doc in zip(names, docs, strict=True)]
    index = ToolIndex.build(many)
    for prompt in (
        "plot the matrix",
        "read file reader",
        "weather",
        "x y z",
        "calculate a paper chart",
    ):
        for vectors in (False, True):
            everything = index.rank(prompt, len(many), word_vectors=vectors)
            assert len(everything) == len(many)
            for k in (1, 10, 100):
                assert index.rank(prompt, k, word_vectors=vectors) == everything[:k]
