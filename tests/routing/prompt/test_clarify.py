from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.catalog.discovery import discover, discover_all
from prefrontal.routing.prompt.clarify import ClarifyingQuestion, capped, question_for, resolve
from prefrontal.routing.prompt.parser import parse
from prefrontal.routing.prompt.taxonomy import Taxonomy

from ..tool_files import analysis_and_ingest, intent

THRESHOLD = 0.55


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Taxonomy:
    layout = analysis_and_ingest(tmp_path_factory.mktemp("project"))
    return Taxonomy.of(layout, discover_all(layout).tools)


def asked(prompt: str, taxonomy: Taxonomy) -> str | None:
    question = question_for(parse(prompt, taxonomy), taxonomy)
    return question.text if question else None


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("plot it", None),
        ("load the numbers", "domain=analysis or ingest?"),
        ("matrix", "action=summarise, visualise, export or load?"),
        ("what is the weather?", "action=clean, export, load, summarise or visualise?"),
        ("export it", "domain=analysis or ingest?"),
        ("in ingest", "action=clean, export or load?"),
    ],
)
def test_the_question_names_the_alternatives(
    taxonomy: Taxonomy, prompt: str, question: str | None
) -> None:
    assert asked(prompt, taxonomy) == question


def test_nothing_is_asked_where_there_is_nothing_to_choose() -> None:
    assert asked("plot it", Taxonomy([])) is None
    assert asked("what is the weather?", Taxonomy([("a", "load")])) == "action=load?"


def test_a_question_has_at_most_five_choices() -> None:
    many = Taxonomy([("a", f"act{letter}") for letter in "abcdefgh"])
    question = question_for(parse("hello", many), many)
    assert question is not None and len(question.choices) == 5


def test_the_threshold_decides_whether_one_is_asked(taxonomy: Taxonomy) -> None:
    parsed = parse("load the csv", taxonomy)
    assert question_for(parsed, taxonomy, threshold=parsed.confidence) is None
    assert question_for(parsed, taxonomy, threshold=parsed.confidence + 1e-6) is not None


@pytest.mark.parametrize(
    "reply", ["2", " ingest ", "INGEST", "domain=ingest", "domain: Ingest", "the ingest one"]
)
def test_a_reply_may_be_a_number_a_name_or_words(taxonomy: Taxonomy, reply: str) -> None:
    parsed = parse("load the numbers", taxonomy)
    resolved = resolve(
        parsed, ClarifyingQuestion("domain", ("analysis", "ingest")), reply, taxonomy
    )
    assert (resolved.domain, resolved.action, resolved.intent) == ("ingest", "load", parsed.intent)
    assert resolved.confidence >= THRESHOLD > parsed.confidence


@pytest.mark.parametrize("reply", ["1", "summarise", "Summarize it", "action=summarise", "recap"])
def test_a_reply_about_the_action_settles_the_domain_too(taxonomy: Taxonomy, reply: str) -> None:
    question = ClarifyingQuestion("action", ("summarise", "visualise"))
    resolved = resolve(parse("matrix", taxonomy), question, reply, taxonomy)
    assert (resolved.domain, resolved.action) == ("analysis", "summarise")
    assert resolved.confidence >= THRESHOLD


def test_a_name_that_was_not_offered_is_accepted_too(taxonomy: Taxonomy) -> None:
    question = ClarifyingQuestion("action", ("summarise", "visualise"))
    assert resolve(parse("matrix", taxonomy), question, "clean", taxonomy).action == "clean"


@pytest.mark.parametrize(
    "reply",
    ["", "0", "3", "99999999999999999999", "²", "no idea", "analysis or ingest", "-1", "🎉"],
)
def test_a_reply_that_settles_nothing_leaves_the_best_guess_as_sure_as_it_was(
    taxonomy: Taxonomy, reply: str
) -> None:
    parsed = parse("load the numbers", taxonomy)
    assert (
        resolve(parsed, ClarifyingQuestion("domain", ("analysis", "ingest")), reply, taxonomy)
        == parsed
    )


def test_a_settled_action_keeps_the_domain_when_nothing_else_names_one() -> None:
    both = Taxonomy([("books", "load"), ("films", "plot"), (None, "export")])
    parsed = replace(parse("zzz", both), domain="films")
    resolved = resolve(parsed, ClarifyingQuestion("action", ("export", "plot")), "export", both)
    assert (resolved.domain, resolved.action) == ("films", "export")


def test_a_domain_without_an_action_stays_below_the_threshold(taxonomy: Taxonomy) -> None:
    parsed = parse("what is the weather?", taxonomy)
    resolved = resolve(parsed, ClarifyingQuestion("domain", ("analysis", "ingest")), "1", taxonomy)
    assert (resolved.domain, resolved.action) == ("analysis", None)
    assert resolved.confidence < THRESHOLD


def test_a_widened_search_caps_the_confidence(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    for domain, confidence, expected in [
        ("analysis", 0.9, 0.9),
        (None, 0.9, 0.54),
        (None, 0.54, 0.54),
        (None, 0.3, 0.3),
    ]:
        parsed = intent(domain, "load", confidence)
        assert capped(parsed, discover(layout, parsed)).confidence == expected
    parsed = intent(None, "load", 0.5)
    assert capped(parsed, discover(layout, parsed), threshold=0.4).confidence == 0.39


@settings(deadline=None)
@given(st.text(max_size=20), st.sampled_from(["load the numbers", "matrix", "hello", "in ingest"]))
def test_any_reply_gives_known_names_or_changes_nothing(
    taxonomy: Taxonomy, reply: str, prompt: str
) -> None:
    parsed = parse(prompt, taxonomy)
    question = question_for(parsed, taxonomy)
    assert question is not None
    resolved = resolve(parsed, question, reply, taxonomy)
    assert resolved == parsed or getattr(resolved, question.field) is not None
    assert resolved.domain in (None, *taxonomy.domains)
    assert resolved.action in (None, *taxonomy.actions)
    assert 0.0 <= resolved.confidence <= 1.0
