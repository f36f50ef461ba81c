"""What the scores mean, in words."""

from __future__ import annotations

import re

import pytest

from prefrontal.ledger import SCORE_GUIDE, LedgerPlugin
from prefrontal.ledger.scale import info_word, signed, trajectory, trust_word


def test_every_score_has_a_word_and_the_words_rise_with_it() -> None:
    assert [info_word(score) for score in (0, 1, 3, 4, 6, 7, 8, 9, 10)] == [
        "nothing known",
        *["a glimpse"] * 2,
        *["some history"] * 2,
        *["solid"] * 2,
        *["long and dense"] * 2,
    ]
    words = list(dict.fromkeys(trust_word(trust) for trust in range(-10, 11)))
    assert words[0] == "fraud"
    assert words[3] == "no opinion"
    assert words[-1] == "would stake much on it"
    assert len(words) == 7


def test_the_guide_says_what_the_words_say() -> None:
    for word in ("fraud", "broke commitments", "doubts", "no opinion", "fine so far"):
        assert word in SCORE_GUIDE
    for word in ("repeatedly reliable", "would stake much on it", "a glimpse", "long and dense"):
        assert word in SCORE_GUIDE
    assert "guess" in SCORE_GUIDE
    assert "not politeness" in SCORE_GUIDE
    assert LedgerPlugin.score_guide == SCORE_GUIDE


def test_the_guide_is_short_enough_to_stand_in_every_prompt() -> None:
    assert len(re.findall(r"\w+|[^\w\s]", SCORE_GUIDE)) < 160


@pytest.mark.parametrize(("trust", "text"), [(-10, "-10"), (0, "0"), (3, "+3")])
def test_a_trust_shows_its_sign(trust: int, text: str) -> None:
    assert signed(trust) == text


def test_a_trajectory_reads_from_the_oldest() -> None:
    assert trajectory([1, 2, -4]) == "+1 → +2 → -4"
    assert trajectory([]) == "none yet"
