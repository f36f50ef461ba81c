"""One request for each thing that a clause lists behind one verb.

"Look for todos and secrets in src" may be "look for todos in src" and "look for secrets in src".
Whether it is two requests depends on the tools there are, see `ranking.noun_split`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..._core import routing
from ..place_names import is_place_name
from ..stems import stems
from ..types import SubIntent
from .clause_words import AND, BEFORE_OBJECTS, Piece, pieces, skip_polite, word_set
from .listed_things import (
    SAYS_WHICH,
    SEEKING,
    ListItem,
    first_object,
    is_looked_for,
    list_item,
    parts_of_list,
)
from .requests import TOGETHER, has_content

MOST_NOUNS = 6

_OF_TWO = f"{TOGETHER} map link correlate pair mix add multiply divide subtract relate"
"""Verbs of one act that may need all that is listed."""
_WHOLE = word_set("between versus vs either neither when if while because so but not")
"""Words of a clause that may be about all of its nouns at once."""
_OR = word_set("or")
_ADJECTIVE = re.compile(r"\w{2}(?:ed|ive|al|ic|ous|ful|less|[ai]ble|ly)\Z")
"""An ending of what rather says which: "a detailed and comprehensive summary"."""
_EVERYDAY = word_set("get give")


def one_for_each_noun(clause: SubIntent) -> tuple[SubIntent, ...]:
    """The clause with each of its nouns alone; nothing where it does not list several. The verb of
    each is "find" where they are looked "for", whatever the words.

    What stands behind the last noun ("in src/app.py") holds for those in front as well.
    """
    words = pieces(clause.text)
    verb = skip_polite(words, 0)
    opening = _verb(clause, words[verb : verb + 1])
    first = first_object(words, verb)
    objects = words[first:]
    if not opening or opening in stems(_OF_TWO) or any(one.text in _WHOLE for one in objects):
        return ()
    act = opening
    if words[first - 1].text == "for":
        act, objects = SEEKING, _without_each_for(objects)
    items = _items(objects, AND | _OR if is_looked_for(act) else AND)
    if not 1 < len(items) <= MOST_NOUNS:
        return ()
    head = clause.text[: words[first].start]
    return tuple(SubIntent(head + _said(one, items[-1], clause.text), act) for one in items)


def _verb(clause: SubIntent, opening: Sequence[Piece]) -> str:
    """The stem of the verb that opens the clause, which may be an everyday one; else empty."""
    tokens = _tokens(opening)
    everyday = any(one.text in _EVERYDAY for one in opening)
    return tokens[0] if tokens and (everyday or tokens[0] == clause.verb) else ""


def _without_each_for(objects: Sequence[Piece]) -> list[Piece]:
    """The words without each further "for" in front of a thing: "todos and for secrets"."""
    further = (one for front, one in pairwise(objects) if one.text != "for" or not _is_joint(front))
    return [*objects[:1], *further]


def _is_joint(one: Piece) -> bool:
    return one.kind == "comma" or one.text in AND | _OR


def _said(item: ListItem, last: ListItem, text: str) -> str:
    """The noun with its own tail, else with that of the last one that may hold for all."""
    noun = text[item.noun[0].start : item.noun[-1].end]
    shared = () if last.tail and last.tail[0].text in SAYS_WHICH else last.tail
    tail = item.tail or shared
    return f"{noun} {text[tail[0].start : tail[-1].end]}" if tail else noun


def _items(objects: Sequence[Piece], joints: frozenset[str]) -> list[ListItem]:
    """The things of a list that a joint ends; nothing where one of them is no noun of its own.

    A file behind "and" belongs to the words in front: "todos and secrets in a.py and b.py".
    """
    items: list[ListItem] = []
    for words in filter(None, parts_of_list(objects, joints)):
        if items and items[-1].tail and all(is_place_name(one.text) for one in words):
            items[-1] = ListItem(items[-1].noun, (*items[-1].tail, *words))
        else:
            items.append(list_item(words))
    ends = any(one.text in joints for one in objects)
    return items if ends and all(map(_is_noun, items)) and _tails_are_clear(items) else []


def _is_noun(item: ListItem) -> bool:
    """Whether it says by a word, and not by a name alone, what is meant."""
    if item.noun and _ADJECTIVE.search(item.noun[-1].text):
        return False
    words = [one for one in item.noun if one.kind == "word" and not is_place_name(one.text)]
    return has_content([one for one in words if not one.is_name and not one.text.isdigit()])


def _tails_are_clear(items: Sequence[ListItem]) -> bool:
    """Whether no noun may belong to the words behind the one in front, as "notes" in "find todos in
    files and notes"; one with a determiner or such words of its own stands for itself.
    """
    return all(
        not one.tail or two.tail or two.noun[0].text in BEFORE_OBJECTS
        for one, two in pairwise(items)
    )


def _tokens(words: Sequence[Piece]) -> list[str]:
    return [token for one in words for token in routing.tokens(one.text)]
