"""Words that stand near those of the prompt, and words that tell little."""

from __future__ import annotations

from prefrontal.routing import ToolIndex
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool

TOOLS = [
    {"name": "make_album", "doc": "Sorts pictures."},
    {"name": "make_invoice", "doc": "Writes an invoice."},
]


def test_a_word_near_one_of_the_prompt_counts_less_than_the_word_itself() -> None:
    index = ToolIndex.build(TOOLS)
    near, same = (index.rank(prompt, 1)[0] for prompt in ("photos", "pictures"))
    assert near.name == same.name == "make_album"
    assert 0.0 < near.features["doc_keywords"] < same.features["doc_keywords"]
    assert near.features["name_similarity"] == 0.0 and near.matched == ()


def test_a_word_that_some_tool_has_stands_for_itself_alone() -> None:
    index = ToolIndex.build([*TOOLS, {"name": "upload", "doc": "Uploads a photo."}])
    found = {one.name: one.features["doc_keywords"] for one in index.rank("photos")}
    assert found["upload"] > 0.0 == found["make_album"]


def test_without_relatives_only_the_letters_count() -> None:
    index = ToolIndex.build(TOOLS)
    assert all(one.features["doc_keywords"] == 0.0 for one in index.rank("photos", relatives=False))
    assert index.relevance("photos", relatives=False) < index.relevance("photos")


def test_an_explanation_names_the_words_that_were_joined() -> None:
    told = ToolIndex.build(TOOLS).rank("photos of Rome", explain=True)[0].explanation
    assert told is not None and told["joined"] == [("photos", "pictur")]


def test_a_common_word_tells_less_of_a_tool_than_a_rare_one() -> None:
    tools = [{"name": "a1", "doc": "version"}, {"name": "b1", "doc": "invoice"}]
    best = ToolIndex.build(tools).rank("version invoice", relatives=False)
    assert best[0].name == "b1"
    assert best[0].features["doc_keywords"] > best[1].features["doc_keywords"]


def test_the_ranker_says_near_words_unless_they_are_off() -> None:
    album = tool("domains/d/x/sort_pictures.py")
    flags = [
        ToolRanker([album], {}, Ranker(relatives=on), 0.0).candidates("photos")[0].flags
        for on in (True, False)
    ]
    assert "near words: photos ~ pictur" in flags[0]
    assert not any("near words" in flag for flag in flags[1])
