"""Says again what "it" stands for where the words that named it are left out of a prompt.

"Don't translate the report, summarize it" leaves "summarize the report".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from ..._core import routing
from ...plural import listed
from ..place_names import is_place_name, places_in
from ..plurals import is_plural
from ..stems import stems
from .clause_words import POLITE, word_set
from .enumerations import may_be_verb

_SKIPPED = POLITE | word_set("but so or instead rather only simply")
_ACT_ON_IT = re.compile(
    rf"(?P<front>[\s.!?;,()]*(?:(?:{'|'.join(map(re.escape, sorted(_SKIPPED)))})\b[\s,]*)*"
    r"[\w-]+\s+(?:(?:(?!(?:and|then)\b)[\w-]+\s+){0,4}(?:in|of|on|from|with|to|into|at)\s+)?)"
    r"(?P<pronoun>it|them)\b(?!['’])",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:instead|rather|just|only|but)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[!?;\n]|\.(?=\s)")
_BEFORE_A_THING = re.compile(
    r"\s*(?:(?:n?or|and)\s+\w+\s+)?(?:(?:of|any|me|us|for|neither)\s+)*", re.IGNORECASE
)
_BEHIND_A_THING = re.compile(
    r"[,!?;()]|\.(?=\s|\Z)|(?:\A|\s)(?:to|into|as|with|by|for|n?or|and|but|again|yet|ever|please|now"
    r"|today|when|if|because|since|until|unless|anymore|at\s+all)\b",
    re.IGNORECASE,
)
_BEHIND_A_NOUN = re.compile(r"\s(?:of|in|on|from|at|under|that|which|who|whose)\s", re.IGNORECASE)
_DEFINITE = re.compile(
    r"(?:a|an|the|this|that(?!\s+(?:it|he|she|they|we|you|i|the|a|an|my|our)\b)|these|those|my"
    r"|your|our|their|his|her|its|all|each|every|both"
    r"|[\w.-]+['’]s)\s",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\b(an?\s+(?:new|second|third|different|other|fresh|better)|the\s+(?:new|other)|another)"
    r"\s+one\b",
    re.IGNORECASE,
)
_PLAIN_NOUN = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
"""No file and no number: a new one has another name."""
_SAYS_HOW = "use include keep change lose add waste take install"
"""What these are not to be done to is mostly no object of the request: "don't lose quality"."""
_MOST_WORDS = 8
_JOINTS = ("and", "or", "nor", ",")


def things_in(verb: str, words: str) -> tuple[str, ...]:
    """What an act is done to: of the words behind its verb, without where to or what for.

    The further ones are those joined to the first by "and", "or" or a comma. None where it says
    how.
    """
    if stems(_SAYS_HOW) & set(routing.tokens(verb)):
        return ()
    before = _BEFORE_A_THING.match(words)
    parts = list(_parts(words[before.end() if before else 0 :]))
    first = parts[0][1] if names_a_thing(parts[0][1]) else ""
    more = (one for one in parts[1:] if one[1])  # nothing stands between the marks of ", and"
    further = takewhile(lambda one: not _is_act(*one) and _may_be_more(one[1]), more)
    things = (first, *(one for _, one in further)) if first else ()
    return things if all(len(one.split()) <= _MOST_WORDS for one in things) else ()


def _parts(words: str) -> Iterator[tuple[str, str]]:
    """The first thing, and each that "and", "or" or a comma joins to it, behind that."""
    joint, place = "", 0
    for end in _BEHIND_A_THING.finditer(words):
        yield joint, words[place : end.start()].strip()
        joint, place = end[0].strip().lower(), end.end()
        if joint not in _JOINTS:
            return
    yield joint, words[place:].strip()


def _is_definite(thing: str) -> bool:
    return bool(_DEFINITE.match(thing) or places_in(thing)) and names_a_thing(thing)


def _is_act(joint: str, thing: str) -> bool:
    """Whether it begins with a verb, as what stands behind "or", "nor" and a comma may."""
    words = thing.split()
    can_be = joint in ("or", "nor") or (joint == "," and len(words) > 1)
    return can_be and may_be_verb(words[0]) and not is_place_name(words[0])


def _may_be_more(thing: str) -> bool:
    return _is_definite(thing) or (is_plural(thing) and names_a_thing(thing))


def names_a_thing(words: str) -> bool:
    """Whether any word has content."""
    return any(not routing.is_stop_word(one) for one in routing.tokens(words))


def with_things(words: str, things: tuple[str, ...], *, alone: bool) -> str:
    """The words with the things for the pronoun that they act on first.

    alone: whether nothing in front of them names a thing. Where something does, the pronoun may
    mean that, unless the words are in contrast to what was left out ("just list them").
    """
    match = _ACT_ON_IT.match(words) if things else None
    referent = _of_number(things, match["pronoun"].lower() == "them") if match else ""
    if match is None or not referent:
        return words
    clause = match["front"] + _CLAUSE_END.split(words[match.end() :], maxsplit=1)[0]
    if not alone and not _CONTRAST.search(clause):
        return words
    return match["front"] + referent + words[match.end() :]


def with_noun(words: str, before: str) -> str:
    """The words with the noun for "one": "create a new one" behind "the meeting" is "create a new
    meeting". before: what the act in front is done to.
    """
    if not _ANOTHER.search(words):
        return words
    thing = next(iter(things_in("", before)), "")
    noun = _DEFINITE.sub("", _BEHIND_A_NOUN.split(thing)[0], count=1)
    if not _PLAIN_NOUN.fullmatch(noun) or is_plural(noun):
        return words
    return _ANOTHER.sub(lambda one: f"{one[1]} {noun}", words)


def _of_number(things: tuple[str, ...], plural: bool) -> str:
    """The thing where it is one or several, else what it is of: "the page" of its words.

    One has to be told from others, by a determiner or as a place: "quality" is not what is meant.
    """
    if plural and len(things) > 1:
        return listed(things)
    nouns = _BEHIND_A_NOUN.split(things[0])
    parts = (things[0], nouns[0]), (nouns[-1], nouns[-1])
    referent = next((part for part, noun in parts if is_plural(noun) == plural), "")
    return referent if plural or any(map(_is_definite, (things[0], referent))) else ""
