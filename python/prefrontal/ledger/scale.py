"""The meaning of a peer's two scores, for models and people."""

from __future__ import annotations

# The highest score of each step, in rising order, and what it means.
_INFO = (
    (0, "nothing known"),
    (3, "a glimpse"),
    (6, "some history"),
    (8, "solid"),
    (10, "long and dense"),
)
_TRUST = (
    (-8, "fraud"),
    (-4, "broke commitments"),
    (-1, "doubts"),
    (0, "no opinion"),
    (3, "fine so far"),
    (7, "repeatedly reliable"),
    (10, "would stake much on it"),
)

SCORE_GUIDE = """\
Info, 0 to 10, is how much is known: 0 nothing; 1 to 3 a glimpse; 4 to 6 some history; \
7 to 8 solid; 9 to 10 long and dense.
Trust, -10 to +10, is what was made of it: -10 proven fraud; -7 to -4 broke commitments; \
-3 to -1 doubts; 0 no opinion; +1 to +3 fine so far; +4 to +7 repeatedly reliable; \
+8 to +10 would stake much on it.
Trust far from 0 with info of 2 or less is a guess. Judge conduct, not politeness. \
A number without a reason is worthless."""
"""For every prompt in which a model reads or gives a score."""


def info_word(score: int) -> str:
    """The meaning of an info score of 0..10."""
    return next(word for highest, word in _INFO if score <= highest)


def trust_word(trust: int) -> str:
    """The meaning of a trust of -10..+10."""
    return next(word for highest, word in _TRUST if trust <= highest)


def signed(trust: int) -> str:
    """A trust with its sign: "+3", "0", "-2"."""
    return f"{trust:+d}" if trust else "0"


def trajectory(trusts: list[int]) -> str:
    """Judgments, oldest first: "+1 → +2 → +4"; "none yet" for none."""
    return " → ".join(map(signed, trusts)) or "none yet"
