"""A prompt's clauses, in the order in which they are to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from ..._core import routing
from ..types import SubIntent
from .antecedents import with_noun
from .clause_words import (
    AND,
    BEFORE_OBJECTS,
    CONNECTIVES,
    DEFINITE,
    POLITE,
    PREPOSITIONS,
    Lexicon,
    Piece,
    is_past,
    is_statement,
    pieces,
    skip_polite,
    word_set,
)
from .listed_things import goes_on_with_list
from .requests import (
    Boundary,
    are_two_questions,
    has_content,
    is_condition,
    is_of_one_act,
    is_request,
    may_go_on,
    names_a_tool,
    points_back,
    shows_only,
    unknown_verb,
)

MOST_CLAUSES = 12

Link = Literal["start", "stop", "then", "also", "and", "after", "before", "before that"]

_THEN = word_set("then afterwards afterward thereafter subsequently")
_THEN_VERB = word_set("finally lastly next")
_LATER = frozenset(("after", "once"))
_POINTERS = frozenset(("that", "this", "which"))
_MOMENTS = word_set("by back since until till from now even just every")
"""Words before a "then" that names a moment, no next step."""
_SUBJECTS = word_set(
    "i we you he she it they that this which who these those should must can could will would may"
)
_JOINTS = AND | {"also"}
_PARTICLES = word_set("up off out down back away")
_MOST_OF_A_THING = 6
_FAR = 16
_BEFORE_A_LIST = 4
"""So many words from a "by" on, what is listed may still be what to sort or group by."""


@dataclass(slots=True)
class _Clause:
    """Neighbouring pieces. link: what joins them to the clause in front. tail: borrowed object.
    head: borrowed verb. front: the object of the clause in front.

    also: an "also" stands in front. asks: for something, perhaps without a verb that is known.
    """

    link: Link
    words: list[Piece] = field(default_factory=list)
    also: bool = False
    verb: str = ""
    verb_at: int = -1
    asks: bool = False
    tail: str = ""
    head: str = ""
    front: str = ""

    def is_bare(self) -> bool:
        """Whether there is a verb and nothing after it that it may be about."""
        return self.verb_at == len(self.words) - 1 and self.ends_after_courtesy()

    def ends_after_courtesy(self) -> bool:
        """Whether in front of the last word there is none, a polite one or an adverb."""
        before = self.words[-2].text if len(self.words) > 1 else "to"
        return bool(self.words) and (before in POLITE or before.endswith("ly"))

    def boundary(self) -> Boundary:
        if self.also:
            return "also"
        return _BOUNDARIES.get(self.link, "none")


_BOUNDARIES: dict[Link, Boundary] = {
    "stop": "stop",
    "then": "then",
    "before that": "then",
    "and": "and",
}


def sub_intents(prompt: str, action_words: Sequence[str] = ()) -> tuple[SubIntent, ...]:
    """The clauses of a prompt that each name an action, first what is to be done first.

    A clause ends at "then", "also", a semicolon, a line or a sentence; at "and" or a comma only
    where a verb follows, so that a list of nouns stays whole; at "after" and "before" where a verb
    follows, and those put the clauses in the order of time. Verbs without an object get that of
    their neighbour ("sort and plot the rows"). Text that asks for nothing goes to the clause beside
    it; a question, a wish or an unknown verb asks for something, too. One clause, perhaps without a
    verb, is the least; a thing behind "then" or "also" has the verb in front ("clean the desk, then
    the floor"); none for a blank prompt; at most MOST_CLAUSES, the last one holding the
    rest. action_words: names that count as verbs too.
    """
    lexicon = Lexicon(action_words)
    clauses = _cut(pieces(prompt), lexicon)
    for front, clause in zip([None, *clauses], clauses, strict=False):
        _find_verb(clause, lexicon, _boundary(front, clause))
        if front is not None and _names_only_a_thing(clause, _boundary(front, clause)):
            _borrow_verb(clause, front, prompt)
    clauses = _merged(clauses)
    for place, clause in enumerate(clauses):
        if clause.is_bare():
            clause.tail = _borrowed(clauses, place, prompt)
        clause.front = _object(clauses[place - 1], prompt) if place else ""
    return tuple(_sub_intent(clause, prompt) for clause in _in_time(clauses))


def _cut(words: list[Piece], lexicon: Lexicon) -> list[_Clause]:
    """The pieces between words and marks that end a clause."""
    clauses = [_Clause("start")]
    place = 0
    while place < len(words):
        link, after = _break(words, place, clauses[-1], lexicon)
        if link is None:
            if words[place].kind in ("word", "quoted") or _is_inner_comma(words[place], clauses):
                clauses[-1].words.append(words[place])
        elif clauses[-1].words:
            clauses.append(_Clause("and" if link == "also" else link, also=link == "also"))
        else:  # two in a row: the one that says most stays
            clauses[-1].also |= link == "also"
            clauses[-1].link = _stronger(clauses[-1].link, link)
        place = after
    return [clause for clause in clauses if clause.words]


def _is_inner_comma(piece: Piece, clauses: list[_Clause]) -> bool:
    return piece.kind == "comma" and bool(clauses[-1].words)


def _stronger(one: Link, other: Link) -> Link:
    weak = other in ("and", "stop") and one != "start"
    return one if weak or other == "also" else other


def _break(
    words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon
) -> tuple[Link | None, int]:
    """(how a new clause begins at the piece, the place after what joins); None: it does not."""
    piece = words[place]
    if piece.kind == "stop":
        return "stop", place + 1
    if piece.kind == "arrow":
        return "then", place + 1
    if piece.kind == "comma" or piece.text in AND:
        return _break_weak(words, place, clause, lexicon)
    if piece.kind == "word":
        return _break_word(words, place, clause, lexicon)
    return None, place + 1


def _break_weak(
    words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon
) -> tuple[Link | None, int]:
    """At a comma or "and": where a verb follows, or the comma ends a leading "after ..."."""
    after = place + 1
    link: Literal["also", "and"] = "and"
    for piece in words[after : after + 4]:
        if piece.kind != "word" or piece.text not in CONNECTIVES:
            break
        after += 1
        if piece.text in _THEN:
            return "then", after
        link = "also" if piece.text == "also" else link
    verb = skip_polite(words, after)
    likely = link == "also" or clause.ends_after_courtesy()
    bare = likely and bool(clause.words) and bool(lexicon.verb(clause.words[-1]))
    rest = _to_mark(words, after)
    if is_of_one_act(clause.words, rest) or goes_on_with_list(clause.words, rest):
        return None, place + 1
    if are_two_questions(clause.words, rest):
        return "also", after
    if verb < len(words) and lexicon.starts_clause(words, verb, bare):
        return link, after
    if link == "also" and _is_a_thing(rest):
        return link, after
    pair = len(clause.words) < 2 or bare  # "copy and paste it" is one thing
    own = link == "also" or points_back(rest) or may_go_on(clause.words, lexicon)
    if (link == "also" or not pair) and own and is_request(rest, link):
        return link, after
    if words[place].kind == "comma" and clause.link in ("after", "before") and clause.words:
        return "and", after
    return None, place + 1


def _break_word(
    words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon
) -> tuple[Link | None, int]:
    word = words[place].text
    verb = skip_polite(words, place + 1)
    before_verb = verb < len(words) and bool(lexicon.verb(words[verb]))
    if word in _THEN and not _is_moment(words, place):
        return "then", place + 1
    if word in _THEN_VERB and (before_verb or _before_unknown_verb(words, place)):
        return "then", place + 1
    if word == "also" and _is_another(words, place, clause, lexicon):
        return "also", place + 1
    if word in _LATER or word == "before":
        pointer = place + 1 < len(words) and words[place + 1].text in _POINTERS
        if pointer and word != "once":
            return ("before that" if word == "before" else "then"), place + 2
        if before_verb:
            return ("before" if word == "before" else "after"), place + 1
    if clause.link in ("after", "before") and _ends_gerund(clause, words, place, lexicon):
        return "and", place
    return None, place + 1


def _ends_gerund(clause: _Clause, words: list[Piece], place: int, lexicon: Lexicon) -> bool:
    """Whether the word at `place` is an imperative that no comma parts from the "after sorting the
    rows" in front of it: a known verb before "the" and the like.
    """
    front, verb = clause.words, words[place]
    if len(front) < 2 or not front[0].text.endswith("ing") or place + 1 >= len(words):
        return False
    if words[place + 1].text not in BEFORE_OBJECTS or verb.text.endswith(("s", "ing", "ed")):
        return False
    goes_on = front[-1].text in (BEFORE_OBJECTS | PREPOSITIONS) - {"it", "them"}
    tells = any(one.text in _POINTERS for one in front[:_FAR])
    return not (goes_on or tells) and bool(lexicon.verb(verb))


def _is_moment(words: list[Piece], place: int) -> bool:
    """Whether the "then" at `place` names a moment: "by then", "then and now"."""
    before = words[place - 1].text if place else ""
    return before in _MOMENTS or [one.text for one in words[place + 1 : place + 3]] == [
        "and",
        "now",
    ]


def _before_unknown_verb(words: list[Piece], place: int) -> bool:
    """Whether "next", "finally" or "lastly" at `place` is followed by an unknown verb."""
    rest = _to_mark(words, place + 1) or _to_mark(words, place + 2)
    return unknown_verb(rest, "stop") is not None


def _is_another(words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon) -> bool:
    """Whether the "also" at `place`, without a mark in front, begins another request."""
    if not clause.words:
        return True
    rest = _to_mark(words, place + 1)
    verb = skip_polite(rest, 0)
    opening = clause.words[skip_polite(clause.words, 0) :][:1]
    if clause.words[-1].text in _SUBJECTS or not any(map(lexicon.verb, opening)):
        return False
    known = verb < len(rest) and lexicon.starts_clause(rest, verb, False)
    return known or is_request(rest, "stop")


def _to_mark(words: list[Piece], place: int) -> list[Piece]:
    """The pieces from `place` on, up to the next mark."""
    rest = words[place : place + _FAR]
    marks = (i for i, one in enumerate(rest) if one.kind not in ("word", "quoted"))
    return rest[: next(marks, len(rest))]


def _boundary(front: _Clause | None, clause: _Clause) -> Boundary:
    """What stands in front of the clause; after "by ..." a "then" may go on with a list."""
    boundary = clause.boundary()
    if front is None or boundary not in ("then", "also"):
        return boundary
    return "stop" if any(one.text == "by" for one in front.words[-_BEFORE_A_LIST:]) else boundary


def _find_verb(clause: _Clause, lexicon: Lexicon, boundary: Boundary) -> None:
    """Set the clause's verb: a verb by form, else a noun that names an action, else a guess."""
    if is_condition(clause.words):
        return
    opening = clause.words[: skip_polite(clause.words, 0)]
    if boundary == "stop" and any(piece.text == "also" for piece in opening):  # "I also need ..."
        clause.also, boundary = True, "also"
    clause.asks = is_request(clause.words, boundary) or names_a_tool(clause.words)
    opening = clause.words[skip_polite(clause.words, 0) :][:1]
    known = any(lexicon.verb(piece) for piece in opening)
    if is_statement(clause.words) and not known:
        return
    unknown = None if known else unknown_verb(clause.words, boundary)
    if unknown is not None and boundary != "none":
        _set_verb(clause, unknown)
        return
    for name in (lexicon.verb, lexicon.action):
        for place, piece in enumerate(clause.words):
            stem = name(piece)
            if stem:
                clause.verb, clause.verb_at, clause.asks = stem, place, True
                return
    if unknown is not None:
        _set_verb(clause, unknown)


def _names_only_a_thing(clause: _Clause, boundary: Boundary) -> bool:
    """Whether the clause is a thing behind "then" or "also", without a verb: what could be one
    stands right behind the determiner.
    """
    words = clause.words[skip_polite(clause.words, 0) :]
    if boundary not in ("then", "also") or not _is_a_thing(words) or is_statement(words):
        return False
    return clause.verb_at < 0 or clause.words[clause.verb_at - 1] is words[0]


def _is_a_thing(words: Sequence[Piece]) -> bool:
    return 1 < len(words) <= _MOST_OF_A_THING and words[0].text in DEFINITE


def _borrow_verb(clause: _Clause, front: _Clause, prompt: str) -> None:
    """Give the clause the verb that the front begins with, where that is done to a thing, too."""
    if front.head:
        clause.head = front.head
    elif front.verb and front.verb_at == skip_polite(front.words, 0):
        verb, *rest = front.words[front.verb_at :]
        between = [*takewhile(lambda one: one.text in PREPOSITIONS | _PARTICLES, rest)]
        then = rest[len(between) :][:1]
        if is_past(verb) or verb.text.endswith("ing") or not then:
            return
        if then[0].text in BEFORE_OBJECTS and len(between) <= 2:
            clause.head = prompt[verb.start : (between or [verb])[-1].end]
    if clause.head:
        clause.verb, clause.verb_at, clause.asks = front.verb, -1, True


def _set_verb(clause: _Clause, place: int) -> None:
    """The unknown word at `place` is the verb."""
    clause.verb_at, clause.asks = place, True
    clause.verb = "".join(routing.tokens(clause.words[place].text)[:1])


def _merged(clauses: list[_Clause]) -> list[_Clause]:
    """Clauses that ask for something: others join the one before, at the start the one after."""
    result: list[_Clause] = []
    for clause in clauses:
        if result and (len(result) == MOST_CLAUSES or not _are_two(result[-1], clause)):
            _join(result[-1], clause)
        else:
            result.append(clause)
    return result


def _are_two(front: _Clause, clause: _Clause) -> bool:
    """Whether both ask for something, of which "then" or "also" tells where a verb does not."""
    if not front.asks or not clause.asks:
        return False
    rest = clause.words[clause.verb_at + 1 :]
    if clause.verb and shows_only(clause.words[clause.verb_at], rest):
        return False
    if clause.verb and (front.verb or (rest and names_a_tool(front.words))):
        return True
    return clause.boundary() in ("also", "then") and has_content(rest)


def _join(first: _Clause, second: _Clause) -> None:
    if not first.verb and second.verb:
        first.verb, first.verb_at = second.verb, len(first.words) + second.verb_at
        first.link = second.link if first.link == "start" else first.link
    first.asks |= second.asks
    first.words += second.words


def _borrowed(clauses: list[_Clause], place: int, prompt: str) -> str:
    """The object of the next clause in a list of verbs, of the nearest in front, or after it."""
    following = clauses[place + 1 :]
    joined = next((i for i, one in enumerate(following) if one.link != "and"), len(following))
    for other in (*following[:joined], *reversed(clauses[:place]), *following[joined:]):
        text = _object(other, prompt)
        if text:
            return text
    return ""


def _object(clause: _Clause, prompt: str) -> str:
    if clause.head:
        return prompt[clause.words[0].start : clause.words[-1].end]
    if clause.verb_at < 0 or clause.is_bare():
        return ""
    return prompt[clause.words[clause.verb_at].end : clause.words[-1].end]


def _in_time(clauses: list[_Clause]) -> list[_Clause]:
    """What comes "after" or "before" something else, where it is to be done."""
    ordered: list[_Clause] = []
    sentence = 0  # where it begins in found
    waiting: list[_Clause] = []  # "before plotting, ...": at the end of its sentence
    for clause in clauses:
        if clause.link in ("stop", "then"):
            ordered, waiting = ordered + waiting, []
            sentence = len(ordered)
        begins = len(ordered) == sentence and not waiting
        if clause.link == "before" and begins:
            waiting.append(clause)
        elif ordered and (clause.link == "before that" or (clause.link == "after" and not begins)):
            ordered.insert(len(ordered) - 1, clause)
        else:
            ordered.append(clause)
    return ordered + waiting


def _sub_intent(clause: _Clause, prompt: str) -> SubIntent:
    words, first, last = clause.words, 0, len(clause.words) - 1
    while last and (words[last].kind == "comma" or words[last].text in _JOINTS):
        last -= 1
    while first < last and (words[first].kind == "comma" or words[first].text in CONNECTIVES):
        first += 1
    end = max(piece.end for piece in words[first : last + 1])
    text = f"{clause.head} {prompt[words[first].start : end]}{clause.tail}"
    return SubIntent(with_noun(" ".join(text.split()), clause.front), clause.verb)
