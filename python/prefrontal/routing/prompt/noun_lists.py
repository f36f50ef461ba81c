"""One request for each thing that a clause lists behind one verb.

"Look for todos and secrets in src" may be "look for todos in src" and "look for secrets in src".
Whether it is two requests depends on the tools there are, see `ranking.noun_split`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..._core import routing
from ..place_names import is_place_name
from ..plurals import is_plural
from ..stems import stems
from ..types import SubIntent
from .clause_words import AND, BEFORE_OBJECTS, PREPOSITIONS, Piece, pieces, skip_polite, word_set
from .requests import TOGETHER, has_content
from .verbs import groups

MOST_NOUNS = 6
_LONGEST = 100
"""Words of a list in front of an "and" that may go on."""

_OF_TWO = f"{TOGETHER} map link correlate pair mix add multiply divide subtract relate"
"""Verbs of one act that may need all that is listed."""
_BEFORE_TAIL = PREPOSITIONS | word_set(
    "within inside across through below above using via since until during"
)
_BEHIND_VERB = PREPOSITIONS | word_set("me us up out all both")
_SAYS_WHICH = word_set("that which who whose where with without over under")
"""In front of what is true of one noun alone."""
_WHOLE = word_set("between versus vs either neither when if while because so but not")
"""Words of a clause that may be about all of its nouns at once."""
_OR = word_set("or")
_ADJECTIVE = re.compile(r"\w{2}(?:ed|ive|al|ic|ous|ful|less|[ai]ble|ly)\Z")
"""An ending of what rather says which: "a detailed and comprehensive summary"."""
_EVERYDAY = word_set("get give")
_SEEKING = "find"
_LISTING = f"{_SEEKING} list count remove"
"""What lists of plurals are mostly behind: "list open todos and duplicate files"."""
_WHICH_ONES = word_set("duplicate open separate empty")
"""Verbs that in front of a plural rather say which: "broken links and duplicate files"."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A thing of the list. tail: the words from a preposition or "that" on, or nothing."""

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
    first = _first_object(words, verb)
    objects = words[first:]
    if not opening or opening in stems(_OF_TWO) or any(one.text in _WHOLE for one in objects):
        return ()
    act = opening
    if words[first - 1].text == "for":
        act, objects = _SEEKING, _without_each_for(objects)
    items = _items(objects, AND | _OR if is_looked_for(act) else AND)
    if not 1 < len(items) <= MOST_NOUNS:
        return ()
    head = clause.text[: words[first].start]
    return tuple(SubIntent(head + _said(one, items[-1], clause.text), act) for one in items)


def goes_on_with_list(front: Sequence[Piece], rest: Sequence[Piece]) -> bool:
    """Whether what follows "and" or a comma is one more of the plurals that the front looks for,
    and no act: "find broken links and duplicate files", "find source files and test files".
    """
    following = _item(_lists(rest, AND)[0]).noun
    if len(front) > _LONGEST or len(following) < 2 or not _is_bare_plural(following):
        return False
    verb = skip_polite(front, 0)
    first = _first_object(front, verb)
    if first >= len(front) or not (front[first - 1].text == "for" or _may_list(front[verb])):
        return False
    last = _item(_lists(front[first:], AND)[-1]).noun
    if not _is_bare_plural(last):
        return False
    same = len(last) == len(following) == 2 and last[-1].text == following[-1].text
    return same or following[0].text in _WHICH_ONES


def _first_object(words: Sequence[Piece], verb: int) -> int:
    """The place where the list begins behind the verb."""
    first = verb + 1
    while first < len(words) and words[first].text in _BEHIND_VERB:
        first += 1
    return _behind_for(words, first)


def _may_list(verb: Piece) -> bool:
    tokens = routing.tokens(verb.text)[:1]
    listing = {number for one in stems(_LISTING) for number in groups().get(one, ())}
    return any(not listing.isdisjoint(groups().get(one, ())) for one in tokens)


def _is_bare_plural(noun: Sequence[Piece]) -> bool:
    """Whether it is a plural without a determiner, of up to two words that say which."""
    small = 0 < len(noun) <= 3 and noun[0].text not in BEFORE_OBJECTS
    return small and is_plural(noun[-1].text)


def _verb(clause: SubIntent, opening: Sequence[Piece]) -> str:
    """The stem of the verb that opens the clause, which may be an everyday one; else empty."""
    tokens = _tokens(opening)
    everyday = any(one.text in _EVERYDAY for one in opening)
    return tokens[0] if tokens and (everyday or tokens[0] == clause.verb) else ""


def is_looked_for(verb: str) -> bool:
    """Whether what stands behind the verb, a stem, is looked for: all of "todos or secrets"."""
    return bool(groups().get(verb, frozenset()) & groups()[_SEEKING])


def _behind_for(words: Sequence[Piece], first: int) -> int:
    """The place of the list of "search src/ for todos and secrets"."""
    front = [one.text for one in words[first:]]
    place = front.index("for") + 1 if "for" in front else 0
    before = words[first:][:place]
    lists = any(one.kind == "comma" or one.text in AND for one in before)
    only_files = all(is_place_name(one.text) or one.text in AND | {",", "for"} for one in before)
    return first if (lists and not only_files) or place == len(front) else first + place


def _without_each_for(objects: Sequence[Piece]) -> list[Piece]:
    """The words without each further "for" in front of a thing: "todos and for secrets"."""
    further = (one for front, one in pairwise(objects) if one.text != "for" or not _is_joint(front))
    return [*objects[:1], *further]


def _is_joint(one: Piece) -> bool:
    return one.kind == "comma" or one.text in AND | _OR


def _said(item: _Item, last: _Item, text: str) -> str:
    """The noun with its own tail, else with that of the last one that may hold for all."""
    noun = text[item.noun[0].start : item.noun[-1].end]
    shared = () if last.tail and last.tail[0].text in _SAYS_WHICH else last.tail
    tail = item.tail or shared
    return f"{noun} {text[tail[0].start : tail[-1].end]}" if tail else noun


def _items(objects: Sequence[Piece], joints: frozenset[str]) -> list[_Item]:
    """The things of a list that a joint ends; nothing where one of them is no noun of its own.

    A file behind "and" belongs to the words in front: "todos and secrets in a.py and b.py".
    """
    items: list[_Item] = []
    for words in filter(None, _lists(objects, joints)):
        if items and items[-1].tail and all(is_place_name(one.text) for one in words):
            items[-1] = _Item(items[-1].noun, (*items[-1].tail, *words))
        else:
            items.append(_item(words))
    ends = any(one.text in joints for one in objects)
    return items if ends and all(map(_is_noun, items)) and _tails_are_clear(items) else []


def _lists(objects: Sequence[Piece], joints: frozenset[str]) -> list[list[Piece]]:
    """The words between commas and joints; nothing between two that stand side by side."""
    lists: list[list[Piece]] = [[]]
    for one in objects:
        if one.kind == "comma" or one.text in joints:
            lists += [[]] if lists[-1] else []
        else:
            lists[-1].append(one)
    return lists


def _item(words: Sequence[Piece]) -> _Item:
    cut = next(
        (i for i, one in enumerate(words) if one.text in _BEFORE_TAIL | _SAYS_WHICH), len(words)
    )
    return _Item(tuple(words[:cut]), tuple(words[cut:]))


def _is_noun(item: _Item) -> bool:
    """Whether it says by a word, and not by a name alone, what is meant."""
    if item.noun and _ADJECTIVE.search(item.noun[-1].text):
        return False
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
