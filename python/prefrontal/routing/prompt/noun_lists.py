"""One request for each thing that a clause lists behind one verb.

"Look for todos and secrets in src" may be "look for todos in src" and "look for secrets in src".
Whether it is two requests depends on the tools there are, see `ranking.noun_split`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..._core import routing
from ..place_names import is_place_name
from ..stems import stems
from ..types import SubIntent
from .clause_words import BEFORE_OBJECTS, PREPOSITIONS, Piece, pieces, skip_polite, word_set
from .requests import TOGETHER, has_content

MOST_NOUNS = 6

_OF_TWO = f"{TOGETHER} map link correlate pair mix add multiply divide subtract relate"
"""Verbs of one act that may need all that is listed."""
_BEFORE_TAIL = PREPOSITIONS | word_set(
    "under within inside across through below above without using via since until during"
)
_BEHIND_VERB = PREPOSITIONS | word_set("me us up out all both")
_WHOLE = word_set(
    "or between versus vs either neither that which who whose where when if while because so but "
    "not"
)
"""Words of a clause that may be about all of its nouns at once."""
_AND = word_set("and & plus")
_EVERYDAY = word_set("get give")
_SEEKING = "find"


@dataclass(frozen=True, slots=True)
class _Item:
    """A thing of the list. tail: in front of what a preposition follows the noun, or nothing."""

    noun: tuple[Piece, ...]
    tail: tuple[Piece, ...]


def one_for_each_noun(clause: SubIntent) -> tuple[SubIntent, ...]:
    """The clause with each of its nouns alone; nothing where it does not list several. The verb of
    each is "find" where they are looked "for", whatever the words.

    What stands behind the last noun ("in src/app.py") holds for those in front as well.
    """
    words = pieces(clause.text)
    verb = skip_polite(words, 0)
    opening = _verb(clause, words[verb : verb + 1])
    first = verb + 1
    while first < len(words) and words[first].text in _BEHIND_VERB:
        first += 1
    first = _behind_for(words, first)
    objects = words[first:]
    if not opening or opening in stems(_OF_TWO) or any(one.text in _WHOLE for one in objects):
        return ()
    items = _items(objects)
    if not 1 < len(items) <= MOST_NOUNS:
        return ()
    head = clause.text[: words[first].start]
    act = _SEEKING if words[first - 1].text == "for" else opening
    return tuple(SubIntent(head + _said(one, items[-1], clause.text), act) for one in items)


def _verb(clause: SubIntent, opening: Sequence[Piece]) -> str:
    """The stem of the verb that opens the clause, which may be an everyday one; else empty."""
    tokens = _tokens(opening)
    everyday = any(one.text in _EVERYDAY for one in opening)
    return tokens[0] if tokens and (everyday or tokens[0] == clause.verb) else ""


def _behind_for(words: Sequence[Piece], first: int) -> int:
    """The place of the list of "search src/ for todos and secrets"."""
    front = [one.text for one in words[first:]]
    place = front.index("for") + 1 if "for" in front else 0
    lists_before = any(one.kind == "comma" or one.text in _AND for one in words[first:][:place])
    return first if lists_before or place == len(front) else first + place


def _said(item: _Item, last: _Item, text: str) -> str:
    """The noun with its own tail, else with that of the last one."""
    noun = text[item.noun[0].start : item.noun[-1].end]
    tail = item.tail or last.tail
    return f"{noun} {text[tail[0].start : tail[-1].end]}" if tail else noun


def _items(objects: Sequence[Piece]) -> list[_Item]:
    """The things of a list that "and" ends; nothing where one of them is no noun of its own."""
    groups: list[list[Piece]] = [[]]
    for one in objects:
        if one.kind == "comma" or one.text in _AND:
            groups += [[]] if groups[-1] else []
        else:
            groups[-1].append(one)
    items = [_item(group) for group in groups if group]
    ends = any(one.text in _AND for one in objects)
    return items if ends and all(map(_is_noun, items)) and _tails_are_clear(items) else []


def _item(words: Sequence[Piece]) -> _Item:
    cut = next((i for i, one in enumerate(words) if one.text in _BEFORE_TAIL), len(words))
    return _Item(tuple(words[:cut]), tuple(words[cut:]))


def _is_noun(item: _Item) -> bool:
    """Whether it says by a word, and not by a name alone, what is meant."""
    words = [one for one in item.noun if one.kind == "word" and not is_place_name(one.text)]
    return has_content([one for one in words if not one.is_name and not one.text.isdigit()])


def _tails_are_clear(items: Sequence[_Item]) -> bool:
    """Whether no noun may belong to the words behind the one in front, as "notes" in "find todos in
    files and notes"; one with a determiner or such words of its own stands for itself.
    """
    return all(
        not one.tail or two.tail or two.noun[0].text in BEFORE_OBJECTS
        for one, two in pairwise(items)
    )


def _tokens(words: Sequence[Piece]) -> list[str]:
    return [token for one in words for token in routing.tokens(one.text)]
