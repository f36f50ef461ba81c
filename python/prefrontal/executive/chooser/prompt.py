"""What of a wake's question is routed: what is to be done, without where, when and who."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from ..._core import routing as core
from ...plain_text import shorten
from ...pulse.modules.template import LEAST_ROOM, VALUE_LIMIT, QuestionTemplate
from ...routing.prompt.clause_words import Lexicon, looks_imperative, pieces, skip_polite
from ...routing.prompt.verbs import content

if TYPE_CHECKING:
    from ...types import SignalEvent

PHRASING_LIMIT = 200
"""Most characters of a prompt that are kept as a phrasing of a tool."""

_PART = re.compile(r"(?<=[.!?:;])\s+")
_BEFORE = r"(?:\b(?:[Aa]t|in|of|from|on|for|by|to|with|under|inside|within|about)\s+)?"
_MINUTE = re.compile(rf"{_BEFORE}\b\d{{4}}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z?\b")
_NO_WORDS = re.compile(r"\(\s*\)|\[\s*\]|\"\"|''|``")
_LOOSE = re.compile(r"(?<!\s)\s+([.,;:!?])")
_SHORTEST = 3
_THE_SIGNALS = ("location", "basename", "actor", "text", "source", "delta_type", "extension")
"""The placeholders of a template that a signal fills as it likes."""
_MAY_BE_WORDS = ("basename", "source", "delta_type", "extension")
_LONGEST = 8192
_SURELY_KEPT = (LEAST_ROOM - 1) // 3
"""Characters at the beginning of a value that no template cuts off."""
_GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands where something was left out, so that what follows does not begin the sentence."""
_FILLED = re.compile(rf"{_BEFORE}[(\[\"'`]?{_GAP}[)\]\"'`]?")


def routed_prompt(
    question: str, window: Sequence[SignalEvent], action_words: Sequence[str] = ()
) -> str:
    """The part of the question that says what to do; empty where only the signal speaks.

    Left out are places, moments, actors and texts of the signals, since their words are not the
    module's (a path would look like a tool's name, a stranger's text like an order), and the
    sentences beside one that begins with a verb ("A file changed at a.py. Check its syntax.").
    action_words: names of actions.
    """
    bare = _FILLED.sub(f" {_GAP} ", _without(question, _values(question, window)))
    bare = " ".join(_MINUTE.sub(f" {_GAP} ", bare).split())
    lexicon = Lexicon(action_words)
    orders = [one for one in _PART.split(bare) if _is_order(one, lexicon)]
    for text in (_tidy(" ".join(orders)), _tidy(bare)):
        if content(core.tokens(text)):
            return text
    return ""


def phrasing(prompt: str) -> str:
    """The prompt as it is kept beside a tool: its words on one line, not too many."""
    line = " ".join(prompt.split())
    if len(line) <= PHRASING_LIMIT:
        return line
    return line[:PHRASING_LIMIT].rpartition(" ")[0] or line[:PHRASING_LIMIT]


def _values(question: str, window: Sequence[SignalEvent]) -> Iterator[str]:
    """What the template put into the question of the window, as it stands there."""
    for name in _THE_SIGNALS:
        line = QuestionTemplate(("", ""), (name,), _LONGEST).render(window[-1:], "")
        if name in _MAY_BE_WORDS and line.lstrip(".").isalpha():
            continue  # a file called "todo" is not a reason to forget the word
        if len(line.strip()) >= _SHORTEST and line[:_SURELY_KEPT] in question:
            cuts = (shorten(line, limit) for limit in range(VALUE_LIMIT, LEAST_ROOM - 1, -1))
            yield next((cut for cut in cuts if cut in question), line)


def _without(question: str, values: Iterator[str]) -> str:
    """The question with a gap wherever one of the values stands, or several that overlap."""
    covered = bytearray(len(question))
    for value in values:
        place = question.find(value)
        while place >= 0:
            covered[place : place + len(value)] = b"\1" * len(value)
            place = question.find(value, place + 1)
    parts = groupby(zip(covered, question, strict=True), key=itemgetter(0))
    return "".join(_GAP if gone else "".join(each for _, each in part) for gone, part in parts)


def _tidy(text: str) -> str:
    text = _NO_WORDS.sub(" ", " ".join(text.replace(_GAP, " ").split()))
    return _LOOSE.sub(r"\1", " ".join(text.split())).strip(" ,;:")


def _is_order(sentence: str, lexicon: Lexicon) -> bool:
    """Whether the part of a sentence begins with a verb, polite words aside."""
    clauses = pieces(sentence.replace(_GAP, "something"))
    opening = clauses[skip_polite(clauses, 0) :][:1]
    return bool(opening) and (bool(lexicon.verb(opening[0])) or looks_imperative(clauses))
