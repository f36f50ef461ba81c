from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core.routing import is_stop_word, tokens


@pytest.mark.parametrize(
    "forms",
    [
        "summarise Summarize SUMMARIZING summarised summarisation summarizer summary summaries",
        "visualisation visualise visualize visualizing visualised visual",
        "calculate calculator calculation calculating calculated calculates",
        "analyse analyze analysis analysing analyzer analytics",
        "plot plots plotting plotted plotter",
        "colour color colours coloured",
        "cancel cancelled canceled cancelling cancellation",
        "translate translation translator translating",
        "notify notification notifies notified",
        "delete deletion deleting deleted deletes",
        "category categories categorise categorize",
        "write writer wrote written writing writes",
        "use using used uses",
        "pay payment paid pays",
        "matrix matrices",
        "movie movies",
        "deliver delivery delivered",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(set(tokens(forms))) == 1


@pytest.mark.parametrize(
    "words",
    [
        "format form",
        "general generate",
        "hope hop",
        "file fill",
        "summer sum",
        "letter let",
        "string sing",
        "need nee",
        "station state",
        "this thi",
        "status statu",
        "process proces",
        "directory direct",
    ],
)
def test_words_that_only_look_alike_keep_their_own_stems(words: str) -> None:
    first, second = tokens(words)
    assert first != second


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("get_http_status", ["get", "http", "status"]),
        ("getHTTPStatus", ["get", "http", "status"]),
        ("GET-HTTP.status", ["get", "http", "status"]),
        ("PDFs", ["pdf"]),
        ("Base64Encode", ["base64", "encod"]),
        ("3D sha256 MP3Player", ["3d", "sha256", "mp3", "play"]),
        ("don't the matrix's user’s", ["dont", "the", "matrix", "user"]),
        ("'quoted' 90's", ["quot", "90", "s"]),
        ("éCole ÀÉ Привет ΑΒΓ", ["é", "cole", "àé", "привет", "αβγ"]),
        ("天气 データ", ["天", "气", "デ", "ー", "タ"]),
        ("📊chart—plot…", ["📊", "chart", "plot"]),
        ("a\0b\u200bc\u00a0d", ["a", "b", "c", "d"]),
        ("", []),
        (" ,.;_-", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, words: list[str]) -> None:
    assert tokens(text) == words


def test_a_word_counts_to_its_64th_byte() -> None:
    assert tokens("x" * 70) == ["x" * 64]
    assert tokens("é" * 40) == ["é" * 32]
    assert tokens("x" * 63 + "éz") == ["x" * 63 + "z"]


@given(st.text())
def test_any_text_is_cut_and_cases_and_punctuation_at_the_ends_say_nothing(text: str) -> None:
    found = tokens(text)
    assert all(found) and "" not in found
    assert tokens(f" {text} ,") == found
    assert tokens(text + " " + text) == found + found


@given(st.text(st.characters(categories=["Cs"]) | st.sampled_from("aB 1"), max_size=20))
def test_half_a_surrogate_pair_is_a_letter_like_any_other(text: str) -> None:
    assert all(isinstance(token, str) for token in tokens(text))


@given(st.text("abcXYZ019 _-.", max_size=30))
def test_ascii_is_cut_as_a_regular_expression_would(text: str) -> None:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9A-Z])(?=[A-Z][a-z])", " ", text)
    again = re.findall(r"[a-z0-9]+", spaced.lower())
    assert len(tokens(text)) == len(again)


def test_stop_words_are_known_by_their_stems() -> None:
    assert all(is_stop_word(token) for token in tokens("Please could you help me with this"))
    assert not any(is_stop_word(token) for token in tokens("plot matrix weather"))


def test_a_text_must_be_text() -> None:
    with pytest.raises(TypeError):
        tokens(b"plot")  # type: ignore[arg-type]
