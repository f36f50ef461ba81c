"""Likeness by what words mean: the vectors in the module, and what they change in a ranking."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from prefrontal._core.routing import read_word_vectors, tokens, word_cosine
from prefrontal.routing.ranking.index import ToolIndex
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.settings.routing import Ranker

from .. import twin_word_vectors as twin
from ..sample_tools import tool

TOOLS = [
    {"name": "find_secrets", "doc": "Finds passwords that lie in files."},
    {"name": "book_flight", "doc": "Reserves a seat in a plane."},
    {"name": "play_song", "doc": "Plays music by title or artist."},
    {"name": "convert_money", "doc": "Converts euros into dollars."},
    {"name": "count_lines", "doc": "Counts the lines of each file."},
]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [("I need an airline ticket", "book_flight"), ("the exchange rate please", "convert_money")],
)
def test_a_tool_is_found_by_what_is_meant(prompt: str, name: str) -> None:
    index = ToolIndex.build(TOOLS)
    without = index.rank(prompt, relatives=False, word_vectors=False)
    assert without[0].features["doc_keywords"] == 0.0
    best = index.rank(prompt, relatives=False)[0]
    assert best.name == name and best.features["doc_keywords"] > 0.1


def test_two_words_have_the_cosine_of_their_vectors() -> None:
    for one, other in (("song", "album"), ("song", "door"), ("song", "song")):
        first, second = (list(twin.VECTORS[word]) for word in (one, other))
        assert word_cosine(one, other) == pytest.approx(twin.cosine(first, second), abs=1e-12)
    assert word_cosine("song", "zxqv") is None and word_cosine("", "song") is None


def test_meaning_raises_a_tool_and_lowers_none() -> None:
    index = ToolIndex.build(TOOLS)
    for prompt in ("play some quiet music", "count the seats in the plane", "euros"):
        without = index.rank(prompt, word_vectors=False)
        before = {one.name: one.features["doc_keywords"] for one in without}
        for one in index.rank(prompt):
            assert one.features["doc_keywords"] >= before[one.name]


def test_what_covers_all_that_is_asked_is_raised_by_nothing() -> None:
    index = ToolIndex.build(TOOLS)
    prompt = "reserves a seat in a plane"
    (before, *_), (after, *_) = index.rank(prompt, word_vectors=False), index.rank(prompt)
    assert before.name == after.name == "book_flight" and before.features == after.features


def test_an_explanation_has_the_likeness() -> None:
    index = ToolIndex.build(TOOLS)
    for one in index.rank("I need an airline ticket", explain=True):
        text = next(f"{own['name']} {own['doc']}" for own in TOOLS if own["name"] == one.name)
        near = twin.cosine(twin.meaning_of("I need an airline ticket"), twin.meaning_of(text))
        assert one.explanation is not None
        assert one.explanation["likeness"] == pytest.approx(twin.likeness(near), abs=1e-6)


def test_a_tool_means_what_it_was_asked_for_too() -> None:
    prompt, asked = "a quiet evening melody", "soft melodies for the evening"
    index = ToolIndex.build(TOOLS)

    def likeness() -> dict[str, float]:
        return {
            one.name: (one.explanation or {})["likeness"]
            for one in index.rank(prompt, explain=True)
        }

    before = likeness()
    index.accept(asked, "play_song")
    after = likeness()
    near = twin.cosine(
        twin.meaning_of(prompt),
        twin.meaning_of("play_song Plays music by title or artist."),
        [tokens(asked)],
    )
    assert after["play_song"] == pytest.approx(twin.likeness(near), abs=1e-6)
    assert after["play_song"] > before["play_song"]
    assert {**after, "play_song": 0.0} == {**before, "play_song": 0.0}
    index.reject(asked, "play_song")
    assert likeness() == before


def test_what_was_learned_makes_likeness_count_for_more() -> None:
    index = ToolIndex.build(TOOLS[:4])
    prompt = "I need an airline ticket"

    def doc(on: bool) -> float:
        found = {one.name: one for one in index.rank(prompt, word_vectors=on)}
        return found["book_flight"].features["doc_keywords"]

    for turn in range(5):
        index.accept(f"song {turn}", "play_song")
    index.accept("change it all", "convert_money")
    told = next(one for one in index.rank(prompt, explain=True) if one.name == "book_flight")
    assert told.explanation is not None and told.explanation["learned"] == 6 / 10
    likeness = told.explanation["likeness"]
    raised = (0.4 * (1.0 - 0.7 * 6 / 10) + 0.4 * 6 / 10) * likeness
    assert doc(on=True) - doc(on=False) == pytest.approx(raised, abs=1e-5)


def others(count: int) -> list[dict[str, str]]:
    return [{"name": f"other{n}", "doc": f"Weighs parcel {n}."} for n in range(count)]


@pytest.mark.parametrize(
    ("many", "part"), [(4, 0.0), (5, 0.45), (20, 0.45), (40, 0.165), (60, 0.0)]
)
def test_among_few_tools_likeness_counts_for_more(many: int, part: float) -> None:
    index = ToolIndex.build([*TOOLS[:3], *others(many - 3)])
    ranked = index.rank("I need an airline ticket", explain=True)
    best = next(one for one in ranked if one.name == "book_flight")
    likeness = (best.explanation or {})["likeness"]
    expected = (0.4 + part * 0.6) * likeness
    assert best.features["doc_keywords"] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    ("prompt", "meant"),
    [
        ("I need to fly on the trip to Rome", "book_flight"),
        ("melodies for the night", "play_song"),
        ("the currency rate this month", "convert_money"),
    ],
)
def test_among_few_tools_what_is_meant_beats_a_word_in_common(prompt: str, meant: str) -> None:
    decoys = [
        {"name": "print_report", "doc": "Prints the report of a trip."},
        {"name": "water_plants", "doc": "Opens the valve in the garden at night."},
        {"name": "sort_mail", "doc": "Sorts letters by town and month."},
    ]
    few = [*TOOLS[1:], *decoys]
    assert ToolIndex.build(few).rank(prompt, 1)[0].name == meant
    best = ToolIndex.build([*few, *others(60)]).rank(prompt, 1)[0].name
    assert best in {one["name"] for one in decoys}


def test_where_a_tool_has_every_word_likeness_counts_for_no_more() -> None:
    few = ToolIndex.build([*TOOLS, {"name": "airline", "doc": "Sells an airline ticket."}])
    best = {one.name: one for one in few.rank("airline ticket", explain=True)}
    flight = best["book_flight"]
    likeness = (flight.explanation or {})["likeness"]
    assert flight.features["doc_keywords"] == pytest.approx(0.4 * likeness, abs=1e-3)
    assert likeness > 0.3


def test_an_embedder_stands_in_its_place() -> None:
    index = ToolIndex.build(TOOLS)
    given = {"play_song": 0.8}
    off, on = (
        index.rank("an airline ticket", similarities=given, word_vectors=vectors, explain=True)
        for vectors in (False, True)
    )
    assert off == on and off[0].name == "play_song"


def test_of_many_tools_the_ten_best_by_words_are_compared() -> None:
    many = [{"name": f"tool{n}", "doc": "Reserves a seat in a plane."} for n in range(1100)]
    index = ToolIndex.build([*many, {"name": "other", "doc": "Weighs a parcel of fruit."}])
    ranked = index.rank("a seat for my journey", 1101, explain=True)
    compared = [one.name for one in ranked if (one.explanation or {})["likeness"] > 0.0]
    assert compared == sorted(one["name"] for one in many)[:10] == [one.name for one in ranked[:10]]
    few = ToolIndex.build(many[:1024]).rank("a seat", 1024, explain=True)
    assert all((one.explanation or {})["likeness"] > 0.0 for one in few)


def test_of_many_tools_those_that_use_taught_something_about_are_compared_too() -> None:
    many = [{"name": f"tool{n}", "doc": "Reserves a seat in a plane."} for n in range(1100)]
    index = ToolIndex.build([*many, {"name": "other", "doc": "Weighs a parcel of fruit."}])
    index.accept("silence and calm", "other")
    ranked = index.rank("a seat for a peaceful night", 1101, explain=True)
    compared = {one.name for one in ranked if (one.explanation or {})["likeness"] > 0.0}
    assert "other" in compared and len(compared) == 11


def test_relevance_asks_them_too() -> None:
    index = ToolIndex.build(TOOLS)
    prompt = "I need an airline ticket"
    assert index.relevance(prompt) > index.relevance(prompt, word_vectors=False)


def test_the_ranker_asks_them_where_the_settings_say_so() -> None:
    flight = tool("domains/d/x/book_flight.py")
    off, on = (
        ToolRanker([flight], {}, Ranker(word_vectors=vectors), 0.0) for vectors in (False, True)
    )
    prompt = "I need an airline ticket"
    assert off.candidates(prompt)[0].features["doc_keywords"] == 0.0
    assert on.candidates(prompt)[0].features["doc_keywords"] > 0.0
    assert on.relevance(prompt) > off.relevance(prompt)


def test_a_saved_index_keeps_what_its_tools_mean(tmp_path: Path) -> None:
    index = ToolIndex.build(TOOLS)
    index.accept("a seat for my journey", "book_flight")
    index.save(tmp_path / "tools.index")
    found = ToolIndex.load(tmp_path / "tools.index")
    prompt = "I need an airline ticket"
    assert found.rank(prompt) == index.rank(prompt)


def packed(stems: Sequence[bytes], unrelated: int = 100_000) -> bytes:
    """A file in which every number of the first stem is 0, of the second 1, ..."""
    starts = [sum(map(len, stems[:place])) for place in range(len(stems) + 1)]
    head = struct.pack("<4sIIII", b"PFWV", len(stems), starts[-1], 7, unrelated)
    numbers = b"".join(bytes([place]) * 64 for place in range(len(stems)))
    return head + struct.pack(f"<{len(starts)}I", *starts) + b"".join(stems) + numbers


def test_the_core_reads_the_file_as_the_twin_does() -> None:
    read = read_word_vectors(twin.FILE.read_bytes())
    assert len(read) == 20_000
    assert read == {stem: vector.tobytes() for stem, vector in twin.VECTORS.items()}
    assert 0.0 < twin.UNRELATED < 0.5


def test_a_file_is_read_whole_or_refused_in_a_sentence() -> None:
    whole = packed([b"album", b"photo"])
    assert read_word_vectors(whole) == {"album": b"\0" * 64, "photo": b"\1" * 64}
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="word vectors must"):
            read_word_vectors(whole[:size])
    with pytest.raises(ValueError, match=f"have {len(whole)} bytes for its 2 stems"):
        read_word_vectors(whole + b"x")


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (b"PFWX" + packed([])[4:], "begin with PFWV"),
        (packed([b"photo", b"album"]), "different stems in the order of their bytes"),
        (packed([b"photo", b"photo"]), "different stems in the order of their bytes"),
        (packed([b"photo"], 1_000_000), "unrelated requests of less than a million, got 1000000"),
        (b"PFWV" + b"\xff" * 40, "have at most 65,535 stems, got 4294967295"),
    ],
)
def test_a_bent_file_is_refused_with_what_is_wrong(file: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_word_vectors(file)


def test_no_byte_that_is_bent_is_read_beyond_the_file() -> None:
    whole = packed([b"album", b"photo"])
    for place in range(len(whole)):
        for value in (0, 1, 0x7F, 0xFF):
            bent = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                assert len(read_word_vectors(bent)) <= 2
            except ValueError as fault:
                assert "word vectors must" in str(fault) or isinstance(fault, UnicodeDecodeError)
