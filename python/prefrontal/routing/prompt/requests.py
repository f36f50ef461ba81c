"""Whether words ask for something although none of them is a known verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ..._core import routing
from . import verbs
from .clause_words import (
    BEFORE_OBJECTS,
    CONNECTIVES,
    NOUN_FORM,
    PREPOSITIONS,
    Piece,
    is_statement,
    looks_imperative,
    skip_polite,
    word_set,
)

Boundary = Literal["none", "and", "stop", "also", "then"]
"""What stands in front of the words."""

_NO_VERB = re.compile(r"(?:[^s]s|\w{4}ed|\w{3}ing|ous|ful|less|ive|al|ic|[ai]ble|ly)\Z")
_VERB_FORM = re.compile(r"(?:\w{2}(?:ify|i[sz]e)|\w{4}ate)\Z")
_VERBS_ALL_THE_SAME = word_set(
    "apply reply multiply supply comply rely imply enable disable drive receive arrive dive mimic "
    "reveal signal embed shred focus"
)
_NO_VERBS_ALL_THE_SAME = word_set(
    "private separate appropriate corporate ultimate immediate intermediate accurate adequate "
    "alternate climate template certificate candidate chocolate exercise enterprise otherwise "
    "likewise expertise franchise precise concise"
)
_NAMED_OBJECT = re.compile(r"\w\.[a-z0-9]*[a-z][a-z0-9]*\Z|[/@]|\d")
_EVERYDAY = word_set("get give use call ask tell take put set")
_FROM_VERBS = word_set("to into with from at on onto up out")
_OTHER_WORDS = word_set(
    "again back today tomorrow tonight yesterday later soon maybe perhaps not only even odd more "
    "once right left thanks thank sorry second third other new old big small red green blue black "
    "white nothing something everything anything"
)
_WISHES = word_set("need want like wish")
_ASKING = word_set("what what's which who who's whose when where where's why how how's")
_AUXILIARIES = word_set("is are was were do does did can could will would should")
_OPENERS = word_set("i we i'd we'd i'll we'll i'm we're please can could would you help")
_CONDITIONS = word_set("if unless whenever when")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+\Z")
_SHOWING = word_set("show give tell")
_LONGEST = 24


def is_request(words: Sequence[Piece], boundary: Boundary) -> bool:
    """Whether the words, which stand behind the boundary, ask for something of their own.

    At the end of a sentence a question or a wish does not: people say what they want, and then ask
    for it ("I need a present. Which one fits?").
    """
    words = words[:_LONGEST]
    if boundary in ("none", "also", "then") and (_is_question(words) or _is_wish(words)):
        return True
    return not is_statement(words) and unknown_verb(words, boundary) is not None


def is_condition(words: Sequence[Piece]) -> bool:
    """Whether the words say when something is to be done: "if it fails", not "when is Easter"."""
    opening = [one.text for one in words if one.text not in CONNECTIVES][:2]
    asks = len(opening) > 1 and opening[1] in _AUXILIARIES
    return bool(opening) and opening[0] in _CONDITIONS and not asks


def names_a_tool(words: Sequence[Piece]) -> bool:
    """Whether an identifier is among the words, as in "use load_csv"."""
    return any(bool(_IDENTIFIER.match(one.text)) for one in words)


def shows_only(verb: Piece, rest: Sequence[Piece]) -> bool:
    """Whether no more is asked than to see what came before: "show them to me"."""
    return verb.text in _SHOWING and not has_content(rest)


def unknown_verb(words: Sequence[Piece], boundary: Boundary) -> int | None:
    """The place of an unknown verb that opens the words: told by what follows, by its form and by
    the boundary in front. None where there is none.
    """
    start = 0 if boundary == "and" else skip_polite(words, 0)
    while boundary != "and" and start < len(words) - 1 and _is_adverb(words[start]):
        start += 1
    return start if _is_verb(words[start:], boundary) else None


def has_content(words: Sequence[Piece]) -> bool:
    """Whether any word says something."""
    return _content(words) > 0


def _is_verb(words: Sequence[Piece], boundary: Boundary) -> bool:
    """Whether the first word is an unknown verb."""
    if not words or words[0].kind != "word":
        return False
    word, after = words[0].text, words[1] if len(words) > 1 else None
    if word in BEFORE_OBJECTS | PREPOSITIONS | CONNECTIVES | _OTHER_WORDS:
        return False
    if word in _EVERYDAY and after is not None:
        return boundary in ("then", "also") and _is_object(after)
    if set(routing.tokens(word)) & verbs.stop_tokens() or _NAMED_OBJECT.search(word):
        return False
    if boundary == "and":
        before_pointer = after is not None and after.text in ("it", "them")
        return before_pointer and not word.endswith(("ing", "ed"))
    if after is None:
        return boundary == "then" and _has_form_of_verb(word)
    if looks_imperative(words) or (after.kind == "word" and _NAMED_OBJECT.search(after.text)):
        return True
    if boundary == "none" or after.kind != "word":
        return False
    return _has_form_of_verb(word) or (boundary != "stop" and _may_be_a_verb(words))


def _is_adverb(piece: Piece) -> bool:
    return piece.text.endswith("ly") and piece.text not in _VERBS_ALL_THE_SAME


def _has_form_of_verb(word: str) -> bool:
    return bool(_VERB_FORM.search(word)) and word not in _NO_VERBS_ALL_THE_SAME


def _may_be_a_verb(words: Sequence[Piece]) -> bool:
    """Whether nothing says that the first word is no verb, and the second may be its object."""
    word, after = words[0], words[1]
    other = NOUN_FORM.search(word.text) or _NO_VERB.search(word.text)
    if word.is_name or (other and word.text not in _VERBS_ALL_THE_SAME):
        return False
    if word.text in _NO_VERBS_ALL_THE_SAME or after.text in CONNECTIVES or is_statement([after]):
        return False
    return after.text not in PREPOSITIONS or after.text in _FROM_VERBS


def _is_object(piece: Piece) -> bool:
    return piece.kind == "quoted" or (piece.kind == "word" and piece.text not in PREPOSITIONS)


def _is_question(words: Sequence[Piece]) -> bool:
    start = next((i for i, one in enumerate(words) if one.text not in CONNECTIVES), len(words))
    opening = words[start].text if start < len(words) else ""
    least = 1 if opening in _ASKING else 2
    return opening in _ASKING | _AUXILIARIES and _content(words[start + 1 :]) >= least


def _is_wish(words: Sequence[Piece]) -> bool:
    """Whether "I need", "we'd like" and the like come before a thing."""
    place = skip_polite(words, 0)
    opening = [one.text for one in words[:place] if one.text not in CONNECTIVES]
    wishes = bool(opening) and opening[0] in _OPENERS and bool(_WISHES & set(opening))
    return wishes and _content(words[place:]) >= 1


def _content(words: Sequence[Piece]) -> int:
    """How many words say something."""
    return sum(
        one.kind != "comma" and bool(verbs.content(routing.tokens(one.text))) for one in words
    )
