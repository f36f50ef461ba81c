"""Whether words ask for something although none of them is a known verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ..._core import routing
from ..place_names import is_place_name
from . import verbs
from .clause_words import (
    BEFORE_OBJECTS,
    CONNECTIVES,
    NOUN_FORM,
    PREPOSITIONS,
    Lexicon,
    Piece,
    describes_noun,
    is_past,
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
_UNGROUPED = word_set(verbs.UNGROUPED)
_OF_FILES = word_set(verbs.OF_FILES)
_PHRASAL = frozenset(
    (verb, one) for verb, *particles in map(str.split, verbs.WITH_PARTICLES) for one in particles
)
TOGETHER = "compare diff contrast merge join combine concatenate unite append match sync swap"
_WHICH_FILE = _OF_FILES | word_set(
    "clean open correct duplicate separate report plan chart list copy backup document archive"
)
"""Verbs that may as well say which file is meant."""
_FAR = 100
"""Words at the start of a clause, and in front of a verb, that are looked at."""
_EVERYDAY = word_set("get give use call ask tell take put set")
_FROM_VERBS = word_set("to into with from at on onto up out")
_OTHER_WORDS = word_set(
    "again back today tomorrow tonight yesterday later soon maybe perhaps not only even odd more "
    "once right left thanks thank sorry second third other new old big small red green blue black "
    "white nothing something everything anything"
)
_WISHES = word_set("need want like wish")
_ASKING = word_set("what what's which who who's whose when where where's why how how's")
_ASKED_OF = word_set("there it they he she we you i")
_AUXILIARIES = word_set("is are was were do does did can could will would should")
_OPENERS = word_set("i we i'd we'd i'll we'll i'm we're please can could would you help")
_CONDITIONS = word_set("if unless whenever when")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+\Z")
_SHOWING = word_set("show give tell")
_LONGEST = 24
_DETERMINERS = word_set("a an the my your our their its this these those all each every both any")
_HANDING_OVER = word_set("provide present return supply offer grant")
"""Verbs behind which stands what was asked for in front: "and provide the results"."""
_TAKING = word_set("get take put set")
_RELATIONS = word_set(
    "except unlike besides despite within without during between among under against through "
    "across near minus versus past above below behind around along beyond inside outside upon "
    "toward towards whatever whichever half twice double instead unless although though because "
    "whereas neither either another"
)
"""Words in front of a thing that are no verbs."""
_GIVING = word_set("send give show tell mail email buy bring offer lend hand teach call name")
_FINITE = word_set("does did can will")
_RELATIVES = word_set("that which who")
_MODALS = word_set("can could will would should must may might")
_TO_A_THING = word_set(
    "convert turn translate transform change export save move copy rename send add write crop "
    "resize scale map cast round connect append reduce limit set put"
)
"""Verbs whose "to" comes before a thing, where that of others comes before a purpose."""


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
    rest = words[start:]
    return start if _has_particle(rest, boundary) or _is_verb(rest, boundary) else None


def are_two_questions(front: Sequence[Piece], rest: Sequence[Piece]) -> bool:
    """Whether both ask for something: "what changed and which packages are new"."""
    if not front or not rest or front[0].text not in _ASKING | _AUXILIARIES:
        return False
    of_two = len(rest) > 1 and rest[0].text in _AUXILIARIES
    of_two = of_two and (rest[1].text in _ASKED_OF or _is_file(rest[1]))
    return (rest[0].text in _ASKING or of_two) and _is_question(front) and _is_question(rest)


def points_back(words: Sequence[Piece]) -> bool:
    """Whether "it" or "them" follows the first word, which may be a verb: "crop it"."""
    pointer = len(words) > 1 and words[1].text in ("it", "them")
    return pointer and not words[0].text.endswith(("ing", "ed"))


def acts_on_a_file(words: Sequence[Piece]) -> bool:
    """Whether the first word is a verb and what it does is done to a file: "shrink b.jpg".

    A word that is neither known nor has a verb's form says which file: "tiny b.jpg", "draft b.txt".
    """
    if len(words) < 2 or words[0].kind != "word" or words[1].kind != "word":
        return False
    is_verb = words[0].text in _UNGROUPED | _OF_FILES or _has_form_of_verb(words[0].text)
    return is_verb and _is_file(words[1])


def is_of_one_act(front: Sequence[Piece], rest: Sequence[Piece]) -> bool:
    """Whether a file behind "and" belongs to the verb of the front, which is done to two things and
    names one, and the word before it says which file: "compare a.txt and clean b.txt".
    """
    if len(rest) < 2 or not _is_file(rest[1]) or rest[0].text not in _WHICH_FILE:
        return False
    verb = skip_polite(front, 0)
    stems = set(routing.tokens(front[verb].text)) if verb < len(front) else set()
    return bool(stems & set(routing.tokens(TOGETHER))) and sum(map(_is_file, front)) == 1


def may_go_on(front: Sequence[Piece], lexicon: Lexicon) -> bool:
    """Whether a verb behind "and" or a comma may be another imperative beside that of the front.

    Where the front states, or ends in a purpose or in what several things do ("to improve my site
    and reach more people", "courses that are short and cover a lot"), the verb belongs to that.
    """
    verb = skip_polite(front, 0)
    if not _is_imperative(front[:_FAR], verb, lexicon):
        return False
    rest = front[max(verb + 1, len(front) - _FAR) :]
    if front[verb].text in _GIVING and len(rest) < 3:  # "send mom and dad the report"
        return False
    return not any(
        one.text in _MODALS
        or (one.text == "to" and _is_purpose(front[verb], rest[place + 1 :]))
        or (one.text in _RELATIVES and place and rest[place - 1].text.endswith("s"))
        for place, one in enumerate(rest)
    )


def has_content(words: Sequence[Piece]) -> bool:
    """Whether any word says something."""
    return _content(words) > 0


def _has_particle(words: Sequence[Piece], boundary: Boundary) -> bool:
    """Whether the first two words are a verb and its particle: "back up the database"."""
    pair = tuple(one.text for one in words[:2])
    return pair in _PHRASAL and (boundary != "and" or _before_thing(words[2:]))


def _is_verb(words: Sequence[Piece], boundary: Boundary) -> bool:
    """Whether the first word is an unknown verb."""
    if not words or words[0].kind != "word":
        return False
    word, after = words[0].text, words[1] if len(words) > 1 else None
    if word in BEFORE_OBJECTS | PREPOSITIONS | CONNECTIVES | _OTHER_WORDS:
        return False
    if word in _EVERYDAY and after is not None:
        return _is_everyday_verb(words, boundary)
    if set(routing.tokens(word)) & verbs.stop_tokens() or _NAMED_OBJECT.search(word):
        return False
    if boundary == "and":
        return points_back(words) or _has_object(words) or acts_on_a_file(words)
    if after is None:
        return boundary == "then" and _has_form_of_verb(word)
    if looks_imperative(words) or (after.kind == "word" and _NAMED_OBJECT.search(after.text)):
        return True
    if word in _UNGROUPED and _is_object(after):
        return True
    if boundary == "none" or after.kind != "word":
        return False
    return _has_form_of_verb(word) or (boundary != "stop" and _may_be_a_verb(words))


def _is_everyday_verb(words: Sequence[Piece], boundary: Boundary) -> bool:
    """Whether "get", "take" and the like, which stand in many phrases, ask for something."""
    is_taking = words[0].text in _TAKING
    if boundary == "and":
        return is_taking and _before_thing(words[1:])
    return (is_taking or boundary != "none") and boundary != "stop" and _is_object(words[1])


def _has_object(words: Sequence[Piece]) -> bool:
    """Whether the first word may be a verb and what follows its object."""
    if len(words) < 2 or words[0].text in _HANDING_OVER | _RELATIONS:
        return False
    if words[0].text in _UNGROUPED:
        return _is_object(words[1]) and words[1].text not in CONNECTIVES
    if describes_noun(words[1:]):
        return False
    return _may_be_a_verb(words) and _before_thing(words[1:])


def _before_thing(words: Sequence[Piece]) -> bool:
    """Whether a determiner and a noun follow, and no clause about these ("the user entered")."""
    if len(words) < 2 or words[0].text not in _DETERMINERS:
        return False
    noun = words[1]
    if noun.kind != "word" or noun.text in PREPOSITIONS | CONNECTIVES | {"same"}:
        return noun.kind == "quoted"
    after = words[2].text if len(words) > 2 else ""
    return after not in _FINITE and not after.endswith("ed")


def _is_imperative(words: Sequence[Piece], verb: int, lexicon: Lexicon) -> bool:
    """Whether the word at `verb`, behind words of courtesy, asks for something."""
    if verb >= len(words) or words[0].text == "to":
        return False
    if is_past(words[verb]):
        return False
    known = bool(lexicon.verb(words[verb])) or words[verb].text in _UNGROUPED | _TAKING
    return known or unknown_verb(words, "stop") is not None


def _is_file(piece: Piece) -> bool:
    return is_place_name(piece.text)


def _is_purpose(verb: Piece, rest: Sequence[Piece]) -> bool:
    """Whether the "to" in front of `rest` begins what something is for."""
    if not rest or rest[0].kind != "word" or rest[0].text in BEFORE_OBJECTS:
        return False
    return verb.text not in _TO_A_THING or (len(rest) > 1 and rest[1].text in BEFORE_OBJECTS)


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
    of_things = any(one.text == "there" for one in words[start + 1 : start + 2])
    least = 1 if opening in _ASKING or of_things else 2
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
