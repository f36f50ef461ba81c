"""Which embedding model a route asks, and that it finds a tool by what words mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.assembly.router import build_embedder
from prefrontal.errors import InputError
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.types import Tool, ToolSpec
from prefrontal.settings.routing import Ranker, Routing

WORDS = Ranker(relatives=False, word_vectors=False)
TOOLS = {
    "reserve_seat": "Reserve a seat in an airplane.",
    "play_song": "Play music by an artist.",
    "make_soup": "Cook a soup from vegetables.",
    "sort_rows": "Sort the rows of a spreadsheet.",
    "send_letter": "Send a letter to a person.",
}


def doubled(texts: list[str]) -> list[list[float]]:
    return [[2.0, float(len(text))] for text in texts]


def tool(name: str) -> Tool:
    path = f"domains/x/y/{name}.py"
    spec = ToolSpec(Path(path), "run", [], TOOLS[name], 0.0)
    return Tool(spec, name, "x", "y", False, path, "")


def test_nobody_is_asked_unless_it_is_switched_on() -> None:
    assert build_embedder(Routing()) is None


def test_a_function_is_asked_by_its_name() -> None:
    settings = Routing(embeddings_enabled=True, embedder=f"{__name__}:doubled")
    model = build_embedder(settings)
    assert model is not None and model.embed(["ab"]) == [[2.0, 2.0]]
    with pytest.raises(InputError, match="embedder must name a function as 'package.module:func"):
        build_embedder(Routing(embeddings_enabled=True, embedder="nothing"))


def test_a_tool_is_found_by_what_words_mean() -> None:
    prompt = "book a cheap flight"
    tools = [tool(name) for name in TOOLS]
    plain = ToolRanker(tools, {}, WORDS, 0.0).candidates(prompt)
    model = build_embedder(Routing(embeddings_enabled=True))
    found = ToolRanker(tools, {}, WORDS, 0.0, model).candidates(prompt)
    assert plain[0].score == plain[-1].score  # no word in common with any
    assert found[0].tool.name == "reserve_seat"
    assert found[0].features["embedding_similarity"] > 0.3
