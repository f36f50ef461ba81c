from __future__ import annotations

import pytest

from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.prompt import evidence
from prefrontal.routing.prompt.parser import by_ranking, parse
from prefrontal.routing.prompt.taxonomy import Taxonomy
from prefrontal.routing.types import ParsedIntent

from ..tool_files import Compass, Vote, analysis_and_ingest

THRESHOLD = 0.55


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Taxonomy:
    layout = analysis_and_ingest(tmp_path_factory.mktemp("project"))
    return Taxonomy.of(layout, discover_all(layout).tools)


@pytest.mark.parametrize("prompt", ["load it", "matrix", "plot it", "hello world"])
def test_hints_never_lift_a_prompt_over_the_threshold(taxonomy: Taxonomy, prompt: str) -> None:
    plain = parse(prompt, taxonomy)
    for domain in (None, *taxonomy.domains):
        for action in (None, *taxonomy.actions):
            hinted = parse(prompt, taxonomy, hints=[Vote(domain, action)] * 3)
            assert plain.confidence <= hinted.confidence <= round(plain.confidence + 0.05, 6)
            assert (hinted.confidence >= THRESHOLD) == (plain.confidence >= THRESHOLD)
            assert hinted.confidence <= 0.54 or plain.confidence >= THRESHOLD


def test_hints_respect_another_threshold(taxonomy: Taxonomy) -> None:
    plain = parse("load it", taxonomy).confidence
    vote = [Vote("ingest", "load")]
    near = parse("load it", taxonomy, hints=vote, threshold=plain + 0.02)
    assert near.confidence == round(plain + 0.01, 6)
    above = parse("load it", taxonomy, hints=vote, threshold=plain)
    assert above.confidence == round(plain + 0.05, 6)


def test_hints_break_ties_and_fill_what_is_missing(taxonomy: Taxonomy) -> None:
    for domain in ("ingest", "analysis"):
        assert parse("load it", taxonomy, hints=[Vote(domain, "load")]).domain == domain
    guess = parse("what is the weather?", taxonomy, hints=[Vote("ingest", "load", 0.5)])
    assert (guess.domain, guess.action, guess.confidence) == ("ingest", "load", 0.025)
    clear = parse("plot the matrix", taxonomy, hints=[Vote("ingest", "load")])
    assert (clear.domain, clear.action) == ("analysis", "visualise")


def test_an_embedding_adds_evidence(taxonomy: Taxonomy) -> None:
    compass = Compass("visual", "analysis", "weather")
    plain = parse("show the weather, visually", taxonomy, embedder=Compass("nothing"))
    assert plain == parse("show the weather, visually", taxonomy)
    near = parse("show the weather, visually", taxonomy, embedder=compass)
    assert near.action == "visualise" and near.confidence > plain.confidence


def test_similarity_is_a_cosine_that_is_never_negative() -> None:
    assert evidence.similarity([1.0, 0.0], [2.0, 0.0]) == 1.0
    assert evidence.similarity([1.0, 0.0], [-1.0, 0.0]) == 0.0
    assert evidence.similarity([0.0], [1.0]) == 0.0
    assert evidence.similarity([], []) == 0.0


def test_a_surer_ranking_decides_instead_of_the_words() -> None:
    unsure = ParsedIntent("ingest", "load", "boil it down", 0.3)
    best = Vote("analysis", "summarise", 0.8)
    assert by_ranking(unsure, [Vote("ingest", "clean", 0.7), best]) == ParsedIntent(
        "analysis", "summarise", "boil it down", 0.8
    )
    assert by_ranking(unsure, [Vote("analysis", "summarise", 0.3)]) == unsure
    assert by_ranking(unsure, [Vote(None, "summarise", 0.9), Vote("analysis", None, 0.9)]) == unsure
    assert by_ranking(unsure, []) == unsure


def test_of_equally_sure_tools_the_first_decides() -> None:
    unsure = ParsedIntent(None, None, "do it", 0.0)
    votes = [Vote("a", "b", 0.5), Vote("c", "d", 0.5)]
    assert by_ranking(unsure, votes).domain == "a"
