"""Says again what "it" stands for where the words that named it are left out of a prompt.

"Don't translate the report, summarize it" leaves "summarize the report".
"""

from __future__ import annotations

import re

from ..._core import routing
from ..plurals import is_plural
from .clause_words import POLITE, word_set

_SKIPPED = POLITE | word_set("but so or instead rather only simply")
_ACT_ON_IT = re.compile(
    rf"(?P<front>[\s.!?;,()]*(?:(?:{'|'.join(map(re.escape, sorted(_SKIPPED)))})\b[\s,]*)*"
    r"[\w-]+\s+(?:(?:(?!(?:and|then)\b)[\w-]+\s+){0,4}(?:in|of|on|from|with|to|into|at)\s+)?)"
    r"(?P<pronoun>it|them)\b(?!['’])",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:instead|rather|just|only|but)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[!?;\n]|\.(?=\s)")
_BEFORE_A_THING = re.compile(r"\s*(?:(?:or|and)\s+\w+\s+)?(?:(?:of|any)\s+)*", re.IGNORECASE)
_BEHIND_A_THING = re.compile(
    r"[,!?;()]|\.(?=\s|\Z)|(?:\A|\s)(?:to|into|as|with|by|for|or|and|but|again|yet|ever|please|now"
    r"|today|when|if|because|since|until|unless|anymore|at\s+all)\b",
    re.IGNORECASE,
)
_BEHIND_A_NOUN = re.compile(r"\s(?:of|in|on|from|at|under|that|which|who|whose)\s", re.IGNORECASE)
_MOST_WORDS = 8


def thing_in(words: str) -> str:
    """What an act is done to: of the words behind its verb, without where to or what for."""
    before = _BEFORE_A_THING.match(words)
    thing = _BEHIND_A_THING.split(words[before.end() if before else 0 :], maxsplit=1)[0].strip()
    return thing if names_a_thing(thing) and len(thing.split()) <= _MOST_WORDS else ""


def names_a_thing(words: str) -> bool:
    """Whether any word has content."""
    return any(not routing.is_stop_word(one) for one in routing.tokens(words))


def with_thing(words: str, thing: str, *, alone: bool) -> str:
    """The words with the thing for the pronoun that they act on first.

    alone: whether nothing in front of them names a thing. Where something does, the pronoun may
    mean that, unless the words are in contrast to what was left out ("just list them").
    """
    match = _ACT_ON_IT.match(words) if thing else None
    referent = _of_number(thing, match["pronoun"].lower() == "them") if match else ""
    if match is None or not referent:
        return words
    clause = match["front"] + _CLAUSE_END.split(words[match.end() :], maxsplit=1)[0]
    if not alone and not _CONTRAST.search(clause):
        return words
    return match["front"] + referent + words[match.end() :]


def _of_number(thing: str, plural: bool) -> str:
    """The thing where it is one or several, else what it is of: "the page" of its words."""
    nouns = _BEHIND_A_NOUN.split(thing)
    parts = (thing, nouns[0]), (nouns[-1], nouns[-1])
    return next((part for part, noun in parts if is_plural(noun) == plural), "")
