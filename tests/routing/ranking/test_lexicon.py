"""Words that stand near those of the prompt, and words that tell little."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from prefrontal._core.routing import read_lexicon
from prefrontal.routing import ToolIndex
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.settings.routing import Ranker

from .. import twin_lexicon
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
    found = {
        one.name: one.features["doc_keywords"] for one in index.rank("photos", word_vectors=False)
    }
    assert found["upload"] > 0.0 == found["make_album"]


def test_without_relatives_only_the_letters_count() -> None:
    index = ToolIndex.build(TOOLS)
    ranked = index.rank("photos", relatives=False, word_vectors=False)
    assert all(one.features["doc_keywords"] == 0.0 for one in ranked)
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


def packed(stems: Sequence[bytes], near: Sequence[int]) -> bytes:
    """A file in which each stem has one relative, as like as can be, and is as rare."""
    starts = [sum(map(len, stems[:place])) for place in range(len(stems) + 1)]
    relatives = [number for one in near for number in (one, *[0xFFFF] * 15)]
    return b"".join(
        (
            struct.pack(f"<4sII{len(starts)}I", b"PFLX", len(stems), starts[-1], *starts),
            b"".join(stems) + b"\xff" * len(stems),
            struct.pack(f"<{len(relatives)}H", *relatives),
            b"\xff" * len(relatives),
        )
    )


def test_the_core_reads_the_file_as_the_twin_does() -> None:
    read = read_lexicon(twin_lexicon.FILE.read_bytes())
    assert len(read) == 8_000
    for stem, (weight, near) in read.items():
        assert weight == twin_lexicon.lexical_weight(stem)
        assert near == twin_lexicon.related_words(stem)


def test_a_file_is_read_whole_or_refused_in_a_sentence() -> None:
    whole = packed([b"album", b"photo"], [1, 0])
    assert read_lexicon(whole) == {
        "album": (1.0, [("photo", 0.8)]),
        "photo": (1.0, [("album", 0.8)]),
    }
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="lexicon must"):
            read_lexicon(whole[:size])
    with pytest.raises(ValueError, match=f"have {len(whole)} bytes for its 2 stems"):
        read_lexicon(whole + b"x")


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (b"PFLY" + packed([], [])[4:], "begin with PFLX"),
        (packed([b"photo", b"album"], [1, 0]), "different stems in the order of their bytes"),
        (packed([b"photo", b"photo"], [1, 0]), "different stems in the order of their bytes"),
        (packed([b"album", b"photo"], [1, 2]), "relate stems of its own, got number 2"),
        (packed([b"ab"], [0xFFFF]).replace(b"\2\0\0\0ab", b"\1\0\0\0ab"), "one after the other"),
        (b"PFLX" + b"\xff" * 40, "have fewer than 65,535 stems, got 4294967295"),
    ],
)
def test_a_bent_file_is_refused_with_what_is_wrong(file: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_lexicon(file)


def test_no_byte_that_is_bent_is_read_beyond_the_file() -> None:
    whole = packed([b"album", b"photo"], [1, 0])
    for place in range(len(whole)):
        for value in (0, 1, 0x7F, 0xFF):
            bent = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                assert len(read_lexicon(bent)) <= 2
            except ValueError as fault:
                assert "lexicon must" in str(fault) or isinstance(fault, UnicodeDecodeError)
