"""From tools to ranked candidates: what moves a score, how much, and which comes first."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core.routing import calibrated
from prefrontal.errors import InputError
from prefrontal.routing.catalog.history import PastEvent, history_success
from prefrontal.routing.prompt.vectors import cosine
from prefrontal.routing.ranking.meanings import EVERYDAY
from prefrontal.routing.ranking.precedence import tie_key
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Candidate, Manifest, SubIntent, Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import ROOT, tool
from ..tool_files import Compass

NOW = 1_761_897_600.0
DAY = 86_400.0
WORDS = ("plot", "matrix", "draw", "invoice", "mean", "column", "letter", "weather")


def told(relative: str, doc: str, manifest: Manifest | None = None) -> Tool:
    """A tool with a docstring and, perhaps, a manifest."""
    one = tool(relative, manifest=manifest)
    return replace(one, spec=replace(one.spec, doc=doc))


def hints(*intents: str, against: Sequence[str] = ()) -> Manifest:
    return Manifest("x", ROOT / "tool.yaml", intents=intents, anti_intents=tuple(against))


PLOT = told("domains/analysis/visualise/plot_matrix.py", "Plot the column means of a matrix.")
SUM = told("domains/analysis/summarise/summarize_matrix.py", "Summarize a matrix: shape, means.")
COUNT = told("domains/text/count/count_words.py", "Count how often each word occurs in a text.")
TOOLS = (PLOT, SUM, COUNT)


def event(intent: str | None, kind: str, age_days: float = 0.0) -> PastEvent:
    at = NOW - age_days * DAY
    return PastEvent("any", kind, at, "0" * 64, intent)  # type: ignore[arg-type]


def ranked(
    prompt: str,
    tools: Sequence[Tool] = TOOLS,
    histories: Mapping[str, Sequence[PastEvent]] | None = None,
    settings: Ranker | None = None,
    embedder: Compass | None = None,
) -> list[Candidate]:
    ranking = ToolRanker(tools, histories or {}, settings or Ranker(), NOW, embedder)
    return ranking.candidates(prompt)


def of(candidates: Sequence[Candidate], wanted: Tool) -> Candidate:
    return next(one for one in candidates if key_of(one.tool) == key_of(wanted))


def test_the_tool_that_the_words_mean_comes_first() -> None:
    assert ranked("plot a matrix")[0].tool == PLOT
    assert ranked("summarise this matrix")[0].tool == SUM
    assert ranked("how often does a word occur")[0].tool == COUNT


def test_a_tool_called_by_its_name_comes_before_a_better_history() -> None:
    matrix_plot = told("domains/analysis/visualise/matrix_plot.py", "Plot matrix, plot matrix.")
    good = [event(None, "executed") for _ in range(9)]
    bad = [event(None, "failed") for _ in range(9)]
    histories = {key_of(matrix_plot): good, key_of(PLOT): bad}
    best = ranked("plot_matrix", (*TOOLS, matrix_plot), histories)[0]
    assert best.tool == PLOT and best.by_name
    assert "called by its name" in best.flags


def test_candidates_say_what_they_are_made_of() -> None:
    best = ranked("plot a matrix")[0]
    assert list(best.features) == ["name_similarity", "doc_keywords", "history_success"]
    assert best.matched == ("plot", "matrix")
    assert best.flags == ("history is the prior",)
    assert best.clauses == ()


def test_a_score_is_the_map_of_the_weighted_features() -> None:
    settings = Ranker()
    ranking = ToolRanker(TOOLS, {}, settings, NOW)
    curve = ranking.constants("plot a matrix")
    slope, reached = curve["slope"], [curve["reached"], curve["others"]]
    for one in ranking.candidates("plot a matrix"):
        name, doc, history = one.features.values()
        total = 0.4 * name + 0.4 * doc + 0.2 * history
        assert one.score == calibrated(total, slope, reached[0])
        reached = reached[-1:]


def test_the_map_gives_060_where_it_should_and_rises() -> None:
    assert calibrated(0.4, 11.0, 0.4) == 0.6
    scores = [calibrated(step / 50, 11.0, 0.4) for step in range(51)]
    assert scores == sorted(scores)
    assert 0.0 < scores[0] < scores[-1] < 1.0


@given(st.randoms(use_true_random=False), st.sampled_from(["plot it", "count the matrix", "x"]))
def test_the_order_of_the_tools_changes_nothing(shuffler: random.Random, prompt: str) -> None:
    tools = list(TOOLS)
    shuffler.shuffle(tools)
    assert ranked(prompt, tools) == ranked(prompt)


def test_equal_scores_are_ordered_by_the_rules_of_ties() -> None:
    doc = "Frobnicate the invoices."
    twins = [
        told("shared_tools/x/frobnicate.py", doc),
        told("domains/b/x/frobnicate.py", doc),
        told("domains/a/x/frobnicate.py", doc),
    ]
    found = ranked("frobnicate the invoices", twins)
    assert len({one.score for one in found}) == 1
    assert found == sorted(found, key=tie_key)
    places = [one.tool.relative.rpartition("/")[0] for one in found]
    assert places == ["domains/a/x", "domains/b/x", "shared_tools/x"]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
)
def test_what_a_manifest_says_a_tool_is_for_counts_as_what_it_was_accepted_for(
    prompt: str, intents: list[str]
) -> None:
    """Less what being accepted adds to its record."""
    told_to = replace(PLOT, manifest=hints(*intents))
    by_manifest = ranked(prompt, (told_to, SUM, COUNT))
    accepted = {key_of(PLOT): [event(one, "accepted") for one in intents]}
    by_use = ToolRanker(TOOLS, accepted, Ranker(), NOW)
    by_use._successes = {}
    found = [(one.tool.name, one.score, one.features) for one in by_manifest]
    assert found == [(one.tool.name, one.score, one.features) for one in by_use.candidates(prompt)]


def test_the_place_that_a_manifest_hints_at_changes_no_score() -> None:
    elsewhere = replace(hints(), domain="text", action="count")
    plain, with_it = ranked("plot a matrix"), ranked("plot a matrix", (
        replace(PLOT, manifest=elsewhere), SUM, COUNT))  # fmt: skip
    assert [one.score for one in plain] == [one.score for one in with_it]


def test_a_word_that_a_tool_is_not_for_halves_its_doc_feature() -> None:
    against = replace(SUM, manifest=hints(against=["plot", "visualise"]))
    plain = of(ranked("plotting a matrix"), SUM)
    warned = of(ranked("plotting a matrix", (PLOT, against, COUNT)), SUM)
    assert warned.features["doc_keywords"] == plain.features["doc_keywords"] / 2
    assert warned.features["name_similarity"] == plain.features["name_similarity"]
    assert warned.score < plain.score
    assert "not for plot: doc x 0.5" in warned.flags
    other = of(ranked("summarize a matrix", (PLOT, against, COUNT)), SUM)
    assert other.score == of(ranked("summarize a matrix"), SUM).score


def test_hints_never_change_the_threshold() -> None:
    settings = Ranker()
    ranked("plot", (replace(PLOT, manifest=hints("plot")), SUM), settings=settings)
    assert settings.threshold == 0.6


def test_an_embedder_has_its_share_of_the_doc_feature() -> None:
    compass = Compass("plot", "Count")
    for share in (0.0, 0.25, 0.5, 1.0):
        settings = Ranker(embeddings_share=share, word_vectors=False)
        plain = ranked("plot", settings=settings)
        for one in ranked("plot", settings=settings, embedder=compass):
            doc = of(plain, one.tool).features["doc_keywords"]
            similar = one.features["embedding_similarity"]
            mixed = (1 - share) * doc + share * similar
            assert one.features["doc_keywords"] == pytest.approx(mixed, abs=2e-6)
            assert similar == float(one.tool == PLOT)


def test_similarities_below_zero_count_as_none() -> None:
    class Opposite(Compass):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0 if text == "plot" else -1.0] for text in texts]

    for one in ranked("plot", embedder=Opposite()):
        assert one.features["embedding_similarity"] == 0.0


def test_each_tool_and_each_prompt_is_embedded_once() -> None:
    seen: list[str] = []

    class Counting(Compass):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            seen.extend(texts)
            return super().embed(texts)

    ranking = ToolRanker([PLOT, SUM], {}, Ranker(), 0.0, Counting("plot", "words"))
    for prompt in ("plot", "summarize", "plot"):
        ranking.candidates(prompt)
        ranking.constants(prompt)
    assert len(seen) == len(set(seen)) == 4 + len(EVERYDAY)


def test_embeddings_of_two_lengths_are_refused() -> None:
    with pytest.raises(InputError, match=r"embedding must have the length of the others \(2\)"):
        cosine([1.0, 0.0], [1.0])
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0.0
    assert cosine([1.0, 1.0], [1.0, 0.0]) == pytest.approx(math.sqrt(0.5))


def test_an_accepted_phrasing_raises_similar_prompts() -> None:
    asked, similar = "an overview of my table", "give me an overview of the table"
    cold = of(ranked(similar), SUM).score
    learned = of(ranked(similar, histories={key_of(SUM): (event(asked, "accepted"),)}), SUM).score
    assert learned > cold
    assert learned >= 0.6


def test_a_rejected_phrasing_lowers_similar_prompts() -> None:
    history = {key_of(SUM): (event("summarize the matrix", "rejected"),)}
    cold, warned = ranked("summarize a matrix"), ranked("summarize a matrix", histories=history)
    assert of(warned, SUM).score < of(cold, SUM).score
    assert of(warned, SUM).features["doc_keywords"] < of(cold, SUM).features["doc_keywords"]
    assert of(warned, PLOT).features == of(cold, PLOT).features


def test_the_last_word_on_a_prompt_counts() -> None:
    asked = "an overview of my table"
    yes, no = event(asked, "accepted", 2.0), event(asked, "rejected", 1.0)
    both = ranked(asked, histories={key_of(SUM): (yes, no)})
    back = ranked(asked, histories={key_of(SUM): (no, replace(yes, at=NOW))})
    assert of(both, SUM).score < 0.6 <= of(back, SUM).score


def test_history_is_the_share_of_success_and_ages() -> None:
    events = (event(None, "failed", 40.0), event(None, "executed"))
    one = of(ranked("plot", histories={key_of(PLOT): events}), PLOT)
    expected = history_success(events, NOW, 30.0)
    assert one.features["history_success"] == expected > 0.5
    assert one.flags == ()
    assert of(ranked("plot"), PLOT).features["history_success"] == 0.5


def test_weights_are_those_of_the_settings() -> None:
    by_history = Ranker.model_validate({"weights": {"name": 0, "doc": 0, "history": 1}})
    failed = {key_of(PLOT): (event(None, "failed"),)}
    assert ranked("plot a matrix", histories=failed, settings=by_history)[-1].tool == PLOT


def test_each_clause_brings_its_best_tools() -> None:
    settings = Ranker(candidates=1)
    ranking = ToolRanker(TOOLS, {}, settings, NOW)
    clauses = [SubIntent("count the words", "count"), SubIntent("plot a matrix", "plot")]
    found = ranking.candidates("count the words and plot a matrix", clauses)
    assert {one.tool.name for one in found} >= {"count_words", "plot_matrix"}
    assert all(len(one.clauses) == 2 for one in found)
    alone = ToolRanker(TOOLS, {}, Ranker(), NOW).candidates("plot a matrix")
    assert of(found, PLOT).clauses[1] == of(alone, PLOT).score


def test_only_those_asked_for_are_candidates_and_their_scores_stay() -> None:
    ranking = ToolRanker(TOOLS, {}, Ranker(), NOW)
    everyone = ranking.candidates("plot a matrix")
    [one] = ranking.candidates("plot a matrix", among={key_of(SUM)})
    assert one == of(everyone, SUM)


def test_without_tools_there_are_no_candidates() -> None:
    ranking = ToolRanker((), {}, Ranker(), NOW)
    assert ranking.candidates("plot") == []
    assert ranking.relevance("plot") == 0.0
    assert ranking.constants("plot") == {}


def test_relevance_tells_what_any_tool_is_for_from_what_none_is() -> None:
    ranking = ToolRanker(TOOLS, {}, Ranker(), NOW)
    assert ranking.relevance("plot the matrix") > 0.6 > ranking.relevance("order a pizza")


def test_relevance_asks_the_embedder_as_ranking_does() -> None:
    prompt, compass = "order a mean pizza", Compass("mean", "Count")
    plain, asking = (ToolRanker(TOOLS, {}, Ranker(), NOW, one) for one in (None, compass))
    assert plain.relevance(prompt) == pytest.approx(plain.candidates(prompt)[0].score)
    assert asking.relevance(prompt) == pytest.approx(asking.candidates(prompt)[0].score)
    assert asking.relevance(prompt) > plain.relevance(prompt)


def test_relevance_knows_no_history() -> None:
    failures = [event(None, "failed", age) for age in range(9)]
    before, after = (
        ToolRanker(TOOLS, {key_of(PLOT): one}, Ranker(), NOW) for one in ([], failures)
    )
    assert after.candidates("plot the matrix")[0].score < before.relevance("plot the matrix")
    assert after.relevance("plot the matrix") == before.relevance("plot the matrix")


def test_relevance_knows_no_rejection_of_another_prompt() -> None:
    after = ToolRanker(TOOLS, {key_of(PLOT): [event("walk the dog", "rejected")]}, Ranker(), NOW)
    before = ToolRanker(TOOLS, {}, Ranker(), NOW)
    assert after.relevance("plot a matrix") == before.relevance("plot a matrix")
