"""The words of a list of things behind one verb: where it begins, what is between its commas, and
whether what follows "and" goes on with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..._core import routing
from ..place_names import is_place_name
from ..plurals import is_plural
from ..stems import stems
from .clause_words import AND, BEFORE_OBJECTS, PREPOSITIONS, Piece, skip_polite, word_set
from .verbs import groups

SEEKING = "find"
_LISTING = f"{SEEKING} list count remove"
"""What lists of plurals are mostly behind: "list open todos and duplicate files"."""
_WHICH_ONES = word_set("duplicate open separate empty")
"""Verbs that in front of a plural rather say which: "broken links and duplicate files"."""
_BEFORE_TAIL = PREPOSITIONS | word_set(
    "within inside across through below above using via since until during"
)
_BEHIND_VERB = PREPOSITIONS | word_set("me us up out all both")
SAYS_WHICH = word_set("that which who whose where with without over under")
"""In front of what is true of one noun alone."""
_LONGEST = 100
"""Words of a list in front of an "and" that may go on."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """A thing of the list. tail: the words from a preposition or "that" on, or nothing."""

    noun: tuple[Piece, ...]
    tail: tuple[Piece, ...]


def goes_on_with_list(front: Sequence[Piece], rest: Sequence[Piece]) -> bool:
    """Whether what follows "and" or a comma is one more of the plurals that the front looks for,
    and no act: "find broken links and duplicate files", "find source files and test files".
    """
    following = list_item(parts_of_list(rest, AND)[0]).noun
    if len(front) > _LONGEST or len(following) < 2 or not _is_bare_plural(following):
        return False
    verb = skip_polite(front, 0)
    first = first_object(front, verb)
    if first >= len(front) or not (front[first - 1].text == "for" or _may_list(front[verb])):
        return False
    last = list_item(parts_of_list(front[first:], AND)[-1]).noun
    if not _is_bare_plural(last):
        return False
    same = len(last) == len(following) == 2 and last[-1].text == following[-1].text
    return same or following[0].text in _WHICH_ONES


def first_object(words: Sequence[Piece], verb: int) -> int:
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


def is_looked_for(verb: str) -> bool:
    """Whether what stands behind the verb, a stem, is looked for: all of "todos or secrets"."""
    return bool(groups().get(verb, frozenset()) & groups()[SEEKING])


def _behind_for(words: Sequence[Piece], first: int) -> int:
    """The place of the list of "search src/ for todos and secrets"."""
    front = [one.text for one in words[first:]]
    place = front.index("for") + 1 if "for" in front else 0
    before = words[first:][:place]
    lists = any(one.kind == "comma" or one.text in AND for one in before)
    only_files = all(is_place_name(one.text) or one.text in AND | {",", "for"} for one in before)
    return first if (lists and not only_files) or place == len(front) else first + place


def parts_of_list(objects: Sequence[Piece], joints: frozenset[str]) -> list[list[Piece]]:
    """The words between commas and joints; nothing between two that stand side by side."""
    lists: list[list[Piece]] = [[]]
    for one in objects:
        if one.kind == "comma" or one.text in joints:
            lists += [[]] if lists[-1] else []
        else:
            lists[-1].append(one)
    return lists


def list_item(words: Sequence[Piece]) -> ListItem:
    cut = next(
        (i for i, one in enumerate(words) if one.text in _BEFORE_TAIL | SAYS_WHICH), len(words)
    )
    return ListItem(tuple(words[:cut]), tuple(words[cut:]))
