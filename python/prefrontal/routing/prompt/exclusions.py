"""Things that a prompt names only to leave them out: "find todos but not secrets in a.py"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..plurals import is_plural
from .clause_words import word_set
from .enumerations import is_verb

_LEFT_OUT = re.compile(
    r"(?:\s*+,)?\s++(?:(?:but|and)\s++(?:not|neither)|but\s++no)\s++(?:for\s++)?"
    r"(?P<definite>(?:a|an|the|any|my|our|their|its|his|her|these|those)\s++)?"
    r"(?P<which>[\w'’-]++\s++)?(?P<noun>[\w'’-]++)(?P<more>\s++n?or\s++[\w'’-]++)?"
    r"(?=\s*+(?:[.,;!?)\n]|\Z)|\s++(?:in|of|from|on|at|under|to|into|with|and|but|then|for)\b)",
    re.IGNORECASE,
)
_NO_THING = word_set(
    "limited restricted why who what where how whether yet only just too very so really "
    "necessarily always sure more less fewer than before after until if when because that this "
    "which now today tomorrow later it them him her us me you i we they one both all here there "
    "as to in on at by with for of do be is are was were have has"
)
"""What behind "but not" is no thing, nor says which."""


def exclusions(prompt: str) -> Iterator[tuple[int, int]]:
    """From where to where the prompt names things that are left out, their joint included.

    "But not the old ones" and "but not secrets" do; "but not delete it" denies an act, and "but not
    yet" no thing.
    """
    for match in _LEFT_OUT.finditer(prompt):
        which, noun = (match["which"] or "").strip().lower(), match["noun"].lower()
        if noun in _NO_THING or which in _NO_THING:
            continue
        may_act = is_verb(which) if which else is_verb(noun) and not is_plural(noun)
        if not may_act or match["definite"]:
            yield match.span()
