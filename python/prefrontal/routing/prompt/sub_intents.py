"""A prompt's clauses, in the order in which they are to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..._core import routing
from ..types import SubIntent
from .clause_words import (
    CONNECTIVES,
    Lexicon,
    Piece,
    is_statement,
    looks_imperative,
    pieces,
    skip_polite,
    word_set,
)

MOST_CLAUSES = 12

Link = Literal["start", "stop", "then", "and", "after", "before", "before that"]

_THEN = word_set("then afterwards afterward thereafter subsequently")
_THEN_VERB = word_set("finally lastly next")
_AND = frozenset(("and", "&", "plus"))
_LATER = frozenset(("after", "once"))
_POINTERS = frozenset(("that", "this", "which"))


@dataclass(slots=True)
class _Clause:
    """Neighbouring pieces. link: what joins them to the clause in front. tail: borrowed object."""

    link: Link
    words: list[Piece] = field(default_factory=list)
    verb: str = ""
    verb_at: int = -1
    tail: str = ""

    def is_bare(self) -> bool:
        """Whether there is a verb and nothing after it."""
        return self.verb_at >= 0 and self.verb_at == len(self.words) - 1


def sub_intents(prompt: str, action_words: Sequence[str] = ()) -> tuple[SubIntent, ...]:
    """The clauses of a prompt that each name an action, first what is to be done first.

    A clause ends at "then", a semicolon, a line or a sentence; at "and" or a comma only where a
    verb follows, so that a list of nouns stays whole; at "after" and "before" where a verb
    follows, and those put the clauses in the order of time. Verbs without an object get that of
    their neighbour ("sort and plot the rows"). Text without an action goes to the clause beside
    it. One clause, perhaps without a verb, is the least; none for a blank prompt; at most
    MOST_CLAUSES, the last one holding the rest. action_words: names that count as verbs too.
    """
    lexicon = Lexicon(action_words)
    clauses = _cut(pieces(prompt), lexicon)
    for clause in clauses:
        _find_verb(clause, lexicon)
    clauses = _merged(clauses)
    for place, clause in enumerate(clauses):
        if clause.is_bare():
            clause.tail = _borrowed(clauses, place, prompt)
    return tuple(_sub_intent(clause, prompt) for clause in _in_time(clauses))


def _cut(words: list[Piece], lexicon: Lexicon) -> list[_Clause]:
    """The pieces between words and marks that end a clause."""
    clauses = [_Clause("start")]
    place = 0
    while place < len(words):
        link, after = _break(words, place, clauses[-1], lexicon)
        if link is None:
            if words[place].kind in ("word", "quoted", "comma"):
                clauses[-1].words.append(words[place])
        elif clauses[-1].words:
            clauses.append(_Clause(link))
        else:  # two in a row: the one that says most stays
            clauses[-1].link = _stronger(clauses[-1].link, link)
        place = after
    return [clause for clause in clauses if any(piece.kind != "comma" for piece in clause.words)]


def _stronger(one: Link, other: Link) -> Link:
    return one if other in ("and", "stop") and one != "start" else other


def _break(
    words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon
) -> tuple[Link | None, int]:
    """(how a new clause begins at the piece, the place after what joins); None: it does not."""
    piece = words[place]
    if piece.kind == "stop":
        return "stop", place + 1
    if piece.kind == "arrow":
        return "then", place + 1
    if piece.kind == "comma" or piece.text in _AND:
        return _break_weak(words, place, clause, lexicon)
    if piece.kind == "word":
        return _break_word(words, place, lexicon)
    return None, place + 1


def _break_weak(
    words: list[Piece], place: int, clause: _Clause, lexicon: Lexicon
) -> tuple[Link | None, int]:
    """At a comma or "and": where a verb follows, or the comma ends a leading "after ..."."""
    after = place + 1
    for piece in words[after : after + 4]:
        if piece.kind != "word" or piece.text not in CONNECTIVES:
            break
        after += 1
        if piece.text in _THEN:
            return "then", after
    verb = skip_polite(words, after)
    bare = bool(clause.words) and bool(lexicon.verb(clause.words[-1]))
    if verb < len(words) and lexicon.starts_clause(words, verb, bare):
        return "and", after
    if words[place].kind == "comma" and clause.link in ("after", "before") and clause.words:
        return "and", after
    return None, place + 1


def _break_word(words: list[Piece], place: int, lexicon: Lexicon) -> tuple[Link | None, int]:
    word = words[place].text
    verb = skip_polite(words, place + 1)
    before_verb = verb < len(words) and bool(lexicon.verb(words[verb]))
    if word in _THEN or (word in _THEN_VERB and before_verb):
        return "then", place + 1
    if word in _LATER or word == "before":
        pointer = place + 1 < len(words) and words[place + 1].text in _POINTERS
        if pointer and word != "once":
            return ("before that" if word == "before" else "then"), place + 2
        if before_verb:
            return ("before" if word == "before" else "after"), place + 1
    return None, place + 1


def _find_verb(clause: _Clause, lexicon: Lexicon) -> None:
    """Set the clause's verb: a verb by form, else a noun that names an action, else a guess."""
    opening = clause.words[skip_polite(clause.words, 0) :][:1]
    if is_statement(clause.words) and not any(lexicon.verb(piece) for piece in opening):
        return
    for name in (lexicon.verb, lexicon.action):
        for place, piece in enumerate(clause.words):
            stem = name(piece)
            if stem:
                clause.verb, clause.verb_at = stem, place
                return
    if looks_imperative(clause.words):
        clause.verb_at = skip_polite(clause.words, 0)
        clause.verb = "".join(routing.tokens(clause.words[clause.verb_at].text)[:1])


def _merged(clauses: list[_Clause]) -> list[_Clause]:
    """Clauses with a verb each: the others go to the one before, at the start to the one after."""
    result: list[_Clause] = []
    for clause in clauses:
        if result and (not clause.verb or not result[-1].verb or len(result) == MOST_CLAUSES):
            _join(result[-1], clause)
        else:
            result.append(clause)
    return result


def _join(first: _Clause, second: _Clause) -> None:
    if not first.verb and second.verb:
        first.verb, first.verb_at = second.verb, len(first.words) + second.verb_at
        first.link = second.link if first.link == "start" else first.link
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
    while words[last].kind == "comma":
        last -= 1
    while first < last and (words[first].kind == "comma" or words[first].text in CONNECTIVES):
        first += 1
    end = max(piece.end for piece in words[first : last + 1])
    text = prompt[words[first].start : end] + clause.tail
    return SubIntent(" ".join(text.split()), clause.verb)
