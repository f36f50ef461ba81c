"""The figures of the formula in `evidence`, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.prompt import evidence
from prefrontal.routing.prompt.parser import parse
from prefrontal.routing.prompt.taxonomy import Taxonomy
from prefrontal.routing.types import Manifest, Tool, ToolSpec

from ..tool_files import Compass, Vote

PLACES = [("books", "plot"), ("books", "load_text"), ("films", "load_text")]


def taxonomy() -> Taxonomy:
    """One tool: its name has one word that only its folder has, and one that two folders have."""
    tools = [
        a_tool("films", "load_text", "fetch_reel", "Unrolled celluloid spool wound on sprockets."),
        a_tool("books", "plot", "reel_sketch", "Nothing."),
    ]
    return Taxonomy(PLACES, tools)


def a_tool(domain: str, action: str, name: str, doc: str) -> Tool:
    path = Path(f"/w/{name}.py")
    spec = ToolSpec(path, "run", [], doc, 0.0)
    manifest = Manifest(name, path, intents=("wibble wobble",) if domain == "films" else ())
    return Tool(spec, name, domain, action, False, f"{name}.py", "", manifest=manifest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plot", {"plot": 1.0}),
        ("chart", {"plot": 0.85}),
        ("load", {"load_text": 0.5}),
        ("load text", {"load_text": 1.0}),
        ("load text plot", {"load_text": 1.0, "plot": 0.5}),
        ("chart text", {"plot": 0.85, "load_text": 0.25}),
        ("delete plot", {"plot": 0.5}),
        ("make plot", {"plot": 1.0}),
        # "reel" is in two folders, "fetch" in one: half of a word in one and a half words
        ("reel", {"load_text": 0.6 / 3 + 0.05, "plot": 0.6 / 3 + 0.05}),
        ("wibble", {"load_text": 0.6 / 2 + 0.1}),
        ("wibble wobble", {"load_text": 0.6 + 0.2}),
        ("celluloid", {"load_text": 0.1}),
        ("celluloid spool unrolled wound", {"load_text": 0.3}),
        ("unheard", {}),
    ],
)
def test_the_evidence_for_actions(text: str, expected: dict[str, float]) -> None:
    found = evidence.action_evidence(evidence.words(text), taxonomy())
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "action", "expected"),
    [
        ("books", None, {"books": 1.0}),
        ("books films", None, {"books": 1.0, "films": 1.0}),
        ("it", "plot", {"books": 0.4}),
        ("it", "load_text", {"books": 0.4, "films": 0.4}),
        ("load text films", "load_text", {"books": 0.4, "films": 1.4}),
        ("wibble", "load_text", {"books": 0.4, "films": 0.4 + 0.3 + 0.1}),
        ("wibble", "plot", {"books": 0.4}),
        ("wibble", None, {"films": 0.3 + 0.1}),
    ],
)
def test_the_evidence_for_domains(
    text: str, action: str | None, expected: dict[str, float]
) -> None:
    """The action with a share of a half."""
    found = evidence.domain_evidence(evidence.words(text), taxonomy(), action, 0.5)
    assert found == pytest.approx(expected)


def test_shares_are_squares_of_evidence_in_the_doubt_and_all_others() -> None:
    assert evidence.shares({}) == []
    assert evidence.shares({"a": 1.0}) == [("a", round(1 / 1.0625, 6))]
    assert evidence.shares({"b": 1.0, "a": 1.0, "c": 2.0}, 0.5) == [
        ("c", round(4 / 6.3125, 6)),
        ("a", round(1 / 6.3125, 6)),
        ("b", round(1 / 6.3125, 6)),
    ]


def test_the_confidence_is_the_product_of_both_shares() -> None:
    only = Taxonomy([("books", "plot")])
    action = round(1 / 1.0625, 6)
    domain = round((0.8 * action) ** 2 / (0.0625 + (0.8 * action) ** 2), 6)
    assert parse("plot it", only).confidence == round(action * domain, 6)
    foreign = round(1 / (1.0625 + 0.25), 6)
    assert evidence.shares({"plot": 1.0}, 0.5) == [("plot", foreign)]
    beside = parse("plot it then translate it", only)
    assert beside.confidence == pytest.approx(foreign * domain_share(foreign), abs=1e-5)
    assert parse("books", Taxonomy([("books", "plot"), ("films", "plot")])).confidence == round(
        0.5 * action, 6
    )


def domain_share(action: float) -> float:
    return (0.8 * action) ** 2 / (0.0625 + (0.8 * action) ** 2)


def test_a_named_domain_helps_the_actions_it_has() -> None:
    both = Taxonomy([("books", "plot"), ("films", "chart")])
    assert parse("films: graph it", both).action == "chart"
    assert parse("books: graph it", both).action == "plot"


def test_an_embedding_counts_half_its_similarity() -> None:
    only = Taxonomy([("books", "plot")])
    found = parse("zzz", only, embedder=Compass("zzz"))
    assert (found.action, found.confidence) == (None, 0.0)
    found = parse("zzz plot", only, embedder=Compass("plot"))
    action = round(1.5**2 / (0.0625 + 1.5**2), 6)
    assert found.confidence == pytest.approx(action * domain_share(action), abs=1e-5)


@pytest.mark.parametrize(("score", "bonus"), [(1.0, 0.05), (0.5, 0.025), (7.0, 0.05), (-1.0, 0.0)])
def test_a_hint_adds_its_score_times_a_twentieth(score: float, bonus: float) -> None:
    only = Taxonomy([("books", "plot"), ("films", "plot")])
    plain = parse("books", only).confidence
    hinted = parse("books", only, hints=[Vote("books", None, score)])
    assert hinted.confidence == pytest.approx(plain + bonus)
