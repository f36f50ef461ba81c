"""Splits a prompt into words and finds the verbs among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..._core import routing
from . import verbs


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


Kind = Literal["word", "quoted", "comma", "stop", "arrow"]

_PIECE = re.compile(
    r"""
    (?P<stop> ^[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t] | [;；\n] | [.!?](?=\s|$) )
    | (?P<quoted> "[^"\n]*" | `[^`\n]*` | (?<!\w)'[^'\n]*'(?!\w) | “[^“”\n]*” )
    | (?P<word> \w (?: [\w.'’/@:-]* [\w/] )? | & )
    | (?P<comma> [,，、] )
    | (?P<arrow> -> | → )
    """,
    re.VERBOSE | re.MULTILINE,
)
NOUN_FORM = re.compile(r"(?:[ts]ion|ment|ance|ence|ysis|yses|ison|ary|aries|[ai]tor|i[sz]er)s?\Z")
_ONLY_NOUNS = word_set("summary summaries overview overviews diagram diagrams mean means")
_NOUNS_TOO = (
    "plot chart graph sketch report digest recap list print query search index sum total count "
    "average group label tag cluster extract check test fix copy clone update change move load "
    "import export dump store email mail post share forecast project estimate archive pack hash "
    "sign schedule plan book document show display run start launch stop end split merge profile "
    "study contrast look view order rank filter sort backup transfer transform design model build"
)
BEFORE_OBJECTS = word_set(
    "a an the it its this that these those them him her my your our their his all each every both "
    "any some no one two three me us"
)
DEFINITE = word_set("the my our your his her their this that these those all each every")
"""In front of a thing that is known."""
PREPOSITIONS = word_set("of for from in on by with as about at to into over per via")
AND = word_set("and & plus")
_VERB_PAIRS = {
    *((verb, "by") for verb in ("sort", "order", "group", "filter", "split")),
    *((verb, "for") for verb in ("search", "look", "check")),
}
"""Verbs whose base form with that preposition is hardly ever a noun: "sort by date"."""
_PAST = re.compile(r"\w{2}(?<!e)ed\Z")
_NO_PAST = word_set("embed shred imbed")
_COPULAS = word_set("is are was were be been has have had isn't aren't it's that's")
_NARROWING = word_set("where whose")
"""Words that begin a condition on what is asked for: "keep the rows where price is low"."""
_SUBJECTS = word_set("i we you he she they")
_RECEIVERS = word_set("me us him her them you it")
_TAKES_OBJECT = word_set(
    "want wants wanted need needs needed like likes liked prefer prefers preferred have has had "
    "gave gives give made makes make wrote writes sent sends got gets took takes chose chooses "
    "said says asked meant named mentioned uses used"
)
"""Verbs of which one without an object behind it has it in front: "the report we made"."""
_OPENING = 6
_MOST_SKIPPED = 8
CONNECTIVES = word_set(
    "and & then also please kindly just now finally lastly next afterwards afterward subsequently "
    "thereafter first plus"
)
"""Words between two clauses that belong to neither one."""
POLITE = CONNECTIVES | word_set(
    "i we you i'd i'll i'm we'd you'd want need would like to could can should will must let let's "
    "lets us me help try have having you've it"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, a quotation or a mark of the prompt. text: in lower case. is_name: a capital."""

    kind: Kind
    text: str
    start: int
    end: int
    is_name: bool = False


def pieces(prompt: str) -> list[Piece]:
    """The pieces of the prompt; ignores other characters."""
    return [
        Piece(
            _kind(match),
            match[0].lower().replace("’", "'"),
            match.start(),
            match.end(),
            match[0][:1].isupper(),
        )
        for match in _PIECE.finditer(prompt)
    ]


def _kind(match: re.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("word", "quoted", "comma", "stop", "arrow")
    return next(kind for kind in kinds if match[kind] is not None)


class Lexicon:
    """Decides which words are verbs. action_words: names of actions, which count as verbs."""

    def __init__(self, action_words: Sequence[str] = ()) -> None:
        self._actions = {token for word in action_words for token in routing.tokens(word)}

    def action(self, piece: Piece) -> str:
        """The stem of a word that names an action, as verb or noun; else empty."""
        if piece.kind != "word" or piece.text in verbs_of_no_action():
            return ""
        stems = routing.tokens(piece.text)
        named = len(stems) == 1 and (stems[0] in verbs.groups() or stems[0] in self._actions)
        return stems[0] if named else ""

    def verb(self, piece: Piece) -> str:
        """The stem of a word that can be a verb by its form; else empty."""
        noun = NOUN_FORM.search(piece.text) and piece.text not in listed_verbs()
        return "" if noun or piece.text in _ONLY_NOUNS else self.action(piece)

    def starts_clause(self, words: Sequence[Piece], place: int, bare: bool) -> bool:
        """Whether the word at `place`, after "and" or a comma, is a verb rather than a noun.

        bare: the clause in front has a verb and nothing else, so that a verb is likely.
        """
        if not self.verb(words[place]):
            return False
        if is_past(words[place]) and _has_noun_behind(words, place):  # "and signed b.pdf"
            return False
        ambiguous = self._is_noun_too(words[place])
        if ambiguous and describes_noun(words[place + 1 :]):
            return False
        after = words[place + 1] if place + 1 < len(words) else None
        if after is not None and (after.kind == "quoted" or after.text in BEFORE_OBJECTS):
            return True
        if after is not None and (words[place].text, after.text) in _VERB_PAIRS:
            return True
        if bare or not ambiguous:
            return bare or not words[place].text.endswith("ing")
        followed = after is not None and after.kind == "word" and after.text not in CONNECTIVES
        base = not words[place].text.endswith(("s", "ing"))
        return followed and base and after is not None and after.text not in PREPOSITIONS

    def _is_noun_too(self, piece: Piece) -> bool:
        """Whether the verb is a noun as well; so may be what only an action is named after."""
        stems = set(routing.tokens(piece.text))
        return bool(stems & _noun_stems()) or not stems & verbs.groups().keys()


def is_past(piece: Piece) -> bool:
    """Whether the piece is a verb's form in -ed, which asks for nothing: "signed"."""
    return is_past_form(piece.text)


def is_past_form(word: str) -> bool:
    """Whether the word, in lower case, is a verb's form in -ed; "feed" and "embed" are none."""
    return bool(_PAST.search(word)) and word not in _NO_PAST


def _has_noun_behind(words: Sequence[Piece], place: int) -> bool:
    """Whether the next word is a name or a noun without a determiner."""
    after = words[place + 1] if place + 1 < len(words) else None
    if after is None or after.kind != "word":
        return after is not None and after.kind == "quoted"
    return after.text not in BEFORE_OBJECTS | PREPOSITIONS | CONNECTIVES


def describes_noun(words: Sequence[Piece]) -> bool:
    """Whether the words, behind a noun, say which one is meant: "(the line) the user wants".

    A subject of one word, a verb that takes an object, and none behind it.
    """
    subject = words[:1] if words and words[0].text in _SUBJECTS else words[:2]
    if not subject or (len(subject) == 2 and subject[0].text not in BEFORE_OBJECTS):
        return False
    rest = words[len(subject) :]
    if not rest or rest[0].text not in _TAKES_OBJECT:
        return False
    after = rest[1] if len(rest) > 1 else None
    ends = CONNECTIVES | PREPOSITIONS | _RECEIVERS
    return after is None or after.text in ends or after.kind not in ("word", "quoted")


def skip_polite(words: Sequence[Piece], place: int) -> int:
    """The first place from `place` on whose word is no connective or polite phrase."""
    end = min(len(words), place + _MOST_SKIPPED)
    while place < end and words[place].kind == "word" and words[place].text in POLITE:
        place += 1
    return place


def is_statement(words: Sequence[Piece]) -> bool:
    """Whether the words state something ("it is a list") rather than ask for it."""
    opening = [piece.text for piece in words[:_OPENING]]
    narrowing = next((i for i, one in enumerate(opening) if i > 1 and one in _NARROWING), _OPENING)
    return any(one in _COPULAS for one in opening[:narrowing])


def looks_imperative(words: Sequence[Piece]) -> bool:
    """Whether the context makes an unknown first word a verb: "frobnicate the matrix"."""
    rest = words[skip_polite(words, 0) :][:2]
    if (
        len(rest) < 2
        or is_statement(words)
        or rest[0].kind != "word"
        or rest[0].text in BEFORE_OBJECTS
    ):
        return False
    if rest[0].text in PREPOSITIONS or set(routing.tokens(rest[0].text)) & verbs.stop_tokens():
        return False
    return rest[1].kind == "quoted" or rest[1].text in BEFORE_OBJECTS


@cache
def listed_verbs() -> frozenset[str]:
    """The verbs of the lexicon, as they are written there."""
    return frozenset(word for group in verbs.SAME_MEANING for word in group.split()) - _ONLY_NOUNS


@cache
def verbs_of_no_action() -> frozenset[str]:
    """Words of connection whose stem may be that of a verb."""
    return CONNECTIVES | PREPOSITIONS | BEFORE_OBJECTS


@cache
def _noun_stems() -> frozenset[str]:
    return frozenset(routing.tokens(_NOUNS_TOO))
