from __future__ import annotations

import math
import struct
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.routing import calibrated
from prefrontal.errors import InputError, SourceError
from prefrontal.routing.ranking.index import RankedTool, ToolIndex

from ..twin import log_odds

TOOLS: list[dict[str, Any]] = [
    {"name": "summarize_matrix", "doc": "Summary statistics of a matrix."},
    {"name": "plot_matrix", "doc": "Plot a matrix.", "intents": ["draw the matrix", "chart it"]},
    {"name": "delete_file", "doc": "Remove a file from the disk."},
    {"name": "get"},
]
PROMPTS = ("summarise this matrix for me", "draw a chart", "get", "", "remove the files", "the")


def build() -> ToolIndex:
    return ToolIndex.build(TOOLS)


def test_the_tool_whose_words_fit_comes_first() -> None:
    first = build().rank("Summarise this matrix for me!", 1)[0]
    assert first.name == "summarize_matrix"
    assert first.matched == ("Summarise", "matrix")
    assert first.score > 0.9
    assert first.features["name_similarity"] == 1.0
    assert first.features["history_success"] == 0.5
    assert first.explanation is None


def test_a_tool_that_has_every_word_comes_before_one_named_by_some() -> None:
    index = ToolIndex.build(
        [
            {"name": "currency_calendar", "doc": "Show public holidays of a currency's country."},
            {"name": "exchange", "doc": "Convert an amount of one currency to another by code."},
            {"name": "trade_amount", "doc": "List trades above an amount."},
            {"name": "mail", "doc": "Send a letter."},
            {"name": "weather", "doc": "Tell the forecast."},
        ]
    )
    best, second = index.rank("currency amount", 2)
    assert (best.name, second.name) == ("exchange", "currency_calendar")


def test_a_tool_without_words_in_common_scores_low() -> None:
    assert max(tool.score for tool in build().rank("book a flight to Rome")) < 0.1


def test_a_name_of_stop_words_alone_is_found_by_them() -> None:
    assert build().rank("get", 1)[0].name == "get"


def test_a_misspelt_word_still_finds_the_name() -> None:
    index = ToolIndex.build([{"name": "visualize_columns"}, {"name": "other"}])
    fitting = index.rank("show the colums", 1)[0]
    assert fitting.name == "visualize_columns" and fitting.matched == ("colums",)


SLIPS = [
    ("cuont the words", "count_words"),
    ("conut wodrs", "count_words"),
    ("sumarize this artcle", "summarize_article"),
    ("trasnlate this text", "translate_text"),
    ("delte the brnach", "delete_branch"),
]


@pytest.mark.parametrize(("prompt", "name"), SLIPS)
def test_slips_of_the_keys_reach_tau(prompt: str, name: str) -> None:
    tools = [
        {"name": "summarize_article", "doc": "Summarize an article in a few sentences."},
        {"name": "count_words", "doc": "Count the words of a text."},
        {"name": "translate_text", "doc": "Translate a text into another language."},
        {"name": "delete_branch", "doc": "Delete a git branch."},
        {"name": "plot_series", "doc": "Plot a series of numbers."},
    ]
    best = ToolIndex.build(tools).rank(prompt, 1)[0]
    assert best.name == name and best.score >= 0.6


@pytest.mark.parametrize("prompt", ["a casual look", "a long trial"])
def test_a_word_that_english_has_is_no_slip_in_a_text(prompt: str) -> None:
    tools = [{"name": "a", "doc": "Find causal paths along a trail."}, {"name": "b"}]
    best = ToolIndex.build(tools).rank(prompt, 1, explain=True, relatives=False)[0]
    assert best.explanation is not None and best.explanation["description"] == 0.0


def test_two_letters_the_other_way_round_are_found_in_a_text_alone() -> None:
    tools = [{"name": "a", "doc": "Shows the wether station."}, {"name": "b", "doc": "Plays."}]
    best = ToolIndex.build(tools).rank("wehter", 1, explain=True)[0]
    assert best.name == "a" and best.matched == ("wehter",)
    assert best.explanation is not None and best.explanation["description"] > 0.5


def test_equal_tools_come_in_the_order_of_their_keys() -> None:
    index = ToolIndex.build([{"key": key, "name": "plot"} for key in "zéaB"])
    assert [tool.name for tool in index.rank("plot")] == ["B", "a", "z", "é"]
    assert index.names() == list(index) == ["B", "a", "z", "é"]


def test_the_order_in_which_tools_come_says_nothing() -> None:
    assert ToolIndex.build(TOOLS[::-1]).rank("matrix") == build().rank("matrix")


def test_an_explanation_tells_what_a_score_follows_from() -> None:
    index = build()
    index.accept("draw me something", "plot_matrix")
    best = index.rank("draw me something", 1, explain=True)[0]
    told = best.explanation
    assert told is not None
    assert told["nearest"] == "draw me something"
    assert told["learned"] == 3 / 7
    assert calibrated(told["raw"], **told["calibration"]) == best.score
    assert told["history_events"] == {"ok": 1.0, "failed": 0.0}
    assert told["weights"] == {"name": 0.4, "doc": 0.4, "history": 0.2}
    assert told["phrasing"] > 0.35 and told["rejected"] == 0.0


def test_the_score_is_six_tenths_where_the_calibration_says() -> None:
    told = build().rank("matrix", 1, explain=True)[0].explanation
    assert told is not None
    more = told["raw"] - told["calibration"]["reached"]
    map_ = (11.0, 0.40 + more, 0.52 + more)
    assert build().rank("matrix", 1, calibration=map_)[0].score == 0.6


def test_similarities_of_an_embedder_get_their_share() -> None:
    ranked = build().rank("xyz", similarities={"delete_file": 0.8, "plot_matrix": -1.0})
    assert ranked[0].name == "delete_file"
    assert ranked[0].features["embedding_similarity"] == 0.8
    assert {tool.name: tool for tool in ranked}["plot_matrix"].features["embedding_similarity"] == 0


@pytest.mark.parametrize(("best", "next_one"), [(0.9, 0.2), (0.3, 0.25), (0.0, 0.0), (0.2, 0.8)])
def test_what_an_embedder_says_is_evidence_of_the_score(best: float, next_one: float) -> None:
    """With a share so small that the order and the sums stay."""
    names = ("sort_rows", "plot_matrix", "send_invoice", "find_phone", "count_words", "play_song")
    index = ToolIndex.build({"name": name, "doc": "of its own"} for name in names)
    prompt = "a matrix of many words without order"
    plain = index.rank(prompt, 1, explain=True, word_vectors=False)[0]
    likeness = {name: next_one if name == "play_song" else 0.0 for name in names}
    likeness[plain.name] = best
    told = index.rank(prompt, 1, similarities=likeness, similarity_share=1e-9, explain=True)[0]
    assert plain.explanation is not None and told.explanation is not None
    evidence = [*plain.explanation["evidence"]]
    assert evidence[-2:] == [0.0, 0.5]
    evidence[-2:] = [best, 0.5 * (1.0 + best - next_one)]
    assert told.name == plain.name
    assert told.explanation["evidence"] == pytest.approx(evidence, abs=1e-6)
    assert told.score == pytest.approx(1.0 / (1.0 + math.exp(-log_odds(evidence))), abs=1e-4)


def test_copies_of_a_tool_are_no_rivals_by_meaning() -> None:
    names = ("sort_rows", "plot_matrix", "send_invoice", "find_phone", "count_words")
    tools = [{"name": name, "doc": name} for name in names]
    copy = {"key": "copy", "name": "plot_matrix", "doc": "plot_matrix"}

    def score(others: list[dict[str, str]], **likeness: float) -> float:
        index = ToolIndex.build([*tools, *others])
        return index.rank("draw a matrix", 1, similarities=likeness)[0].score

    alone = score([copy], plot_matrix=0.6)
    assert score([copy], plot_matrix=0.6, copy=0.6) == alone
    assert score([copy], plot_matrix=0.6, find_phone=0.6) < alone


def test_relevance_is_the_best_score_without_history() -> None:
    index = build()
    before = index.relevance("matrix")
    assert before == index.rank("matrix", 1)[0].score
    index.update([{**tool, "history": 0.0} for tool in TOOLS])
    assert index.rank("matrix", 1)[0].score < index.relevance("matrix") == before
    assert ToolIndex().relevance("matrix") == 0.0


def test_success_rates_take_the_place_of_those_counted() -> None:
    index = build()
    for _ in range(3):
        index.accept("plot it", "plot_matrix")
    told = {tool.name: tool.features for tool in index.rank("matrix", successes={"get": 0.25})}
    assert told["get"]["history_success"] == 0.25
    assert told["plot_matrix"]["history_success"] == 0.8
    given = {"plot_matrix": 0.1, "unknown": 1.0}
    told = {tool.name: tool.features for tool in index.rank("matrix", successes=given)}
    assert told["plot_matrix"]["history_success"] == 0.1
    assert told["get"]["history_success"] == 0.5


@pytest.mark.parametrize("prompt", [prompt for prompt in PROMPTS if prompt])
def test_records_raise_no_score_where_all_are_as_good(prompt: str) -> None:
    index = build()
    names = index.names()

    def scores(**successes: float) -> dict[str, float]:
        return {tool.name: tool.score for tool in index.rank(prompt, successes=successes)}

    new, used = scores(), scores(**dict.fromkeys(names, 0.9))
    assert new == pytest.approx(used, abs=2e-6)
    best = index.rank(prompt, 1)[0].name
    alone = scores(**{best: 0.9})
    assert alone[best] > new[best]
    assert all(alone[name] <= new[name] for name in names if new[name] < new[best])
    others = scores(**{name: 0.6 for name in names if name != best})
    assert others[best] == new[best]


def test_a_bad_record_of_others_raises_no_score() -> None:
    index = build()
    bad = dict.fromkeys(["plot_matrix", "delete_file", "get"], 0.1)
    alone = index.rank("summarize a matrix", 1)[0].score
    assert index.rank("summarize a matrix", 1, successes=bad)[0].score <= alone


def test_an_empty_index_ranks_nothing() -> None:
    assert ToolIndex.build([]).rank("plot") == [] and len(ToolIndex()) == 0


def test_tools_are_replaced_added_and_removed_by_key() -> None:
    index = build()
    index.update([{"name": "get", "doc": "Fetch the weather."}, {"name": "new", "doc": "weather"}])
    assert len(index) == 5 and "new" in index and 3 not in index
    assert {tool.name for tool in index.rank("weather", 2)} == {"get", "new"}
    index.remove("new")
    assert "new" not in index and index.rank("weather", 1)[0].name == "get"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(TOOLS), min_size=1), st.sampled_from(PROMPTS))
def test_an_updated_index_ranks_like_one_built_at_once(
    changes: list[dict[str, Any]], prompt: str
) -> None:
    plain: list[dict[str, Any]] = [
        {key: tool[key] for key in ("name", "doc") if key in tool} for tool in TOOLS
    ]
    index = ToolIndex.build([{"name": "gone", "doc": "draw a file"}, {"name": "get", "doc": "old"}])
    for tool in changes:
        index.update([{"name": tool["name"], "doc": "changed " + tool["name"]}])
    index.remove("gone")
    index.update(plain)
    assert index.rank(prompt) == ToolIndex.build(plain).rank(prompt)


def test_a_saved_index_goes_on_as_it_was(tmp_path: Path) -> None:
    index = build()
    for n in range(20):
        index.accept(f"please chart thing {n % 7}", "plot_matrix", now=1e9 + n)
        index.reject(f"wipe {n}", "delete_file", now=1e9 + n)
    index.save(tmp_path / "tools.index")
    again = ToolIndex.load(tmp_path / "tools.index")
    for either in (index, again):
        either.accept("one more", "get")
    for prompt in PROMPTS:
        asked = [either.rank(prompt, now=2e9, explain=True) for either in (index, again)]
        assert asked[0] == asked[1]
    again.save(tmp_path / "again.index")
    index.save(tmp_path / "tools.index")
    assert (tmp_path / "again.index").read_bytes() == (tmp_path / "tools.index").read_bytes()


ANY_TEXT = st.text(st.sampled_from("ab _-éßİǆﬁ中😀\ud800\udfff\u0301"), max_size=90)


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_an_index_of_any_texts_can_be_read_again(name: str, doc: str, prompt: str) -> None:
    index = ToolIndex.build([{"name": f"{name}x", "doc": doc, "intents": [prompt]}])
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder, "index"))
        again = ToolIndex.load(Path(folder, "index"))
    assert again.rank(prompt, explain=True) == index.rank(prompt, explain=True)


def test_a_loaded_index_outlives_its_file(tmp_path: Path) -> None:
    build().save(tmp_path / "x")
    index = ToolIndex.load(tmp_path / "x")
    (tmp_path / "x").unlink()
    index.update([{"name": "later"}])
    assert index.names() == [*build().names()[:2], "later", *build().names()[2:]]


def test_no_damaged_file_is_taken(tmp_path: Path) -> None:
    index = build()
    index.reject("x", "get")
    index.save(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    damaged = tmp_path / "damaged"
    for at in range(0, len(whole), 37):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(SourceError, match=r"damaged cannot be read as an index: it"):
            ToolIndex.load(damaged)
    for size in (0, 10, 31, len(whole) - 64):
        damaged.write_bytes(whole[:size])
        with pytest.raises(SourceError, match="cannot be read as an index"):
            ToolIndex.load(damaged)


def test_a_file_of_another_version_says_so(tmp_path: Path) -> None:
    build().save(tmp_path / "x")
    whole = bytearray((tmp_path / "x").read_bytes())
    whole[4:8] = struct.pack("<I", 9)
    (tmp_path / "x").write_bytes(whole)
    with pytest.raises(SourceError, match="its version must be 1, got 9"):
        ToolIndex.load(tmp_path / "x")
    with pytest.raises(SourceError, match="No such file"):
        ToolIndex.load(tmp_path / "none")
    with pytest.raises(SourceError, match="not a plain file"):
        ToolIndex.load(tmp_path)


WRONG: list[tuple[Callable[[ToolIndex], object], str]] = [
    (lambda i: i.update([{"doc": "x"}]), "a tool's name must be text, got None"),
    (lambda i: i.update([{"name": ""}]), "a tool's name must not be empty, got ''"),
    (lambda i: i.update([{"name": "a"}, {"name": "a"}]), "keys of their own, got 'a' twice"),
    (lambda i: i.update([{"name": "a", "doc": 3}]), "a tool's doc must be text, got 3"),
    (lambda i: i.update([{"name": "a", "intents": "x"}]), "must be a list of texts, got 'x'"),
    (lambda i: i.update([{"name": "a", "intents": [1]}]), "a tool's intent must be text, got 1"),
    (lambda i: i.update([{"name": "a", "history": 2}]), "between 0 and 1, got 2"),
    (lambda i: i.update([{"name": "a", "history": "x"}]), "between 0 and 1, got 'x'"),
    (lambda i: i.update([{"name": "a", "docs": "x"}]), r"only, got \['docs'\]"),
    (lambda i: i.update([3]), "a tool must be a mapping, got 3"),  # type: ignore[list-item]
    (lambda i: i.remove("none"), "name must be a tool of the index, got 'none'"),
    (lambda i: i.accept("x", "none"), "name must be a tool of the index, got 'none'"),
    (lambda i: i.reject("x", "none"), "name must be a tool of the index, got 'none'"),
    (lambda i: i.rank(3), "intent must be text, got 3"),  # type: ignore[arg-type]
    (lambda i: i.rank("x", 0), "k must be between 1 and 1000000, got 0"),
    (lambda i: i.rank("x", weights={"name": 1.0}), "must have the keys name, doc and history"),
    (lambda i: i.rank("x", weights={"name": 1, "doc": 1, "history": 1}), "must sum to 1"),
    (lambda i: i.rank("x", weights={"name": -1, "doc": 1, "history": 1}), "between 0 and 1"),
    (lambda i: i.rank("x", calibration=(0, 0.4, 0.5)), "a slope above 0"),
    (lambda i: i.rank("x", now=math.nan), "now must be unix seconds"),
    (lambda i: i.rank("x", half_life_days=0), "half_life_days must be above 0, got 0"),
    (lambda i: i.rank("x", similarities={"a": math.inf}), "must map keys to numbers"),
    (lambda i: i.rank("x", successes={1: 0.5}), "successes must map keys to rates, got 1"),  # type: ignore[dict-item]
    (lambda i: i.rank("x", successes={"a": 1.5}), r"successes\['a'\] must be between 0 and 1"),
    (lambda i: i.rank("x", similarity_share=2), "similarity_share must be between 0 and 1"),
]


@pytest.mark.parametrize(("call", "sentence"), WRONG)
def test_wrong_arguments_are_refused_and_change_nothing(
    call: Callable[[ToolIndex], object], sentence: str
) -> None:
    index = build()
    with pytest.raises(InputError, match=sentence):
        call(index)
    assert index.rank("matrix") == build().rank("matrix") and len(index) == len(TOOLS)


@pytest.mark.parametrize(
    "prompt", ["\0", "📊" * 9, "\u202etxet", "a " * 50_000, "\ud800", "'" * 99]
)
def test_odd_prompts_are_ranked_too(prompt: str) -> None:
    index = build()
    index.accept(prompt, "get")
    index.reject(prompt + " x", "get")
    assert len(index.rank(prompt)) == len(TOOLS)


def test_a_prompt_counts_to_its_256th_different_word() -> None:
    many = " ".join(f"w{n}" for n in range(256))
    assert build().rank(many + " matrix") == build().rank(many)


def test_many_threads_may_ask_while_one_learns() -> None:
    index = build()

    def ask(n: int) -> list[RankedTool]:
        if n % 10 == 0:
            index.accept(f"chart {n}", "plot_matrix")
            index.update([{"name": f"extra_{n % 3}", "doc": "more"}])
        return index.rank("draw a chart", 3)

    with ThreadPoolExecutor(4) as pool:
        assert all(len(ranked) == 3 for ranked in pool.map(ask, range(300)))
