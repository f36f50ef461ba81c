"""What a prompt says is not to be done: "zip the folder but do not delete the old files".

Only what stands like a request of its own is one: "files that do not compile" denies nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..._core import routing
from ..stems import stems
from .antecedents import names_a_thing, things_in, with_things
from .clause_words import (
    BEFORE_OBJECTS,
    CONNECTIVES,
    DEFINITE,
    POLITE,
    PREPOSITIONS,
    is_past_form,
    word_set,
)
from .enumerations import end_of_acts, end_of_things, end_of_verbs, is_verb, may_be_verb
from .exclusions import exclusions

_NOR = r"(?=\b(?:[^.!?;\n]|\.(?=\w)){1,120}?\bn?or\s)"
_DENIAL = re.compile(
    r"\b(?:(?:(?:do|must|should|shall)\s+not|(?:do|must|should)n['’]?t|never|no\s+need\s+to"
    r"|(?:make\s+sure|be\s+sure|be\s+careful|take\s+care|try)\s+not\s+to)"
    r"\s+(?:(?:want\s+(?:you\s+)?|have\s+|need\s+)to\s+)?(?P<act>\w+)"
    r"|avoid\s+(?P<shunned>\w+ing)(?=\s+\w)"
    rf"|(?P<empty>\w+)(?=(?:\s+(?:for|me|us|up|out)){{0,2}}\s+neither{_NOR})"
    rf"|neither\s+(?P<neither>\w+){_NOR}"
    r"|(?:no|not)\s+(?P<refused>\w+(?:ing|[ts]ions?|als?))\b"
    r"|(?P<joint>without|instead\s+of|rather\s+than)\s+(?P<avoided>\w+ing)(?=\s+(?P<object>\w+)))",
    re.IGNORECASE,
)
_ACTS = ("act", "shunned", "empty", "neither", "refused", "avoided")
"""Groups of the verb. empty: what is done to "neither the one nor the other"."""
_LISTING = word_set("find search locate list count filter select pick enumerate query")
"""Behind their object "without" mostly says which things are meant."""
_EFFECTS = (
    "delete remove erase drop purge wipe move rename overwrite replace edit modify send email mail "
    "publish share upload book"
)
"""What is done to things is hardly ever what tells them apart."""
_DESTROYING = "delete remove erase drop purge wipe overwrite"
"""What in -ing with a noun behind it is an act, where "no booking fees" says which."""
_NO_ACT = word_set(
    "i you we they it just only merely simply forget hesitate worry mind care have has be know "
    "need want like think see understand get exist match contain seem work compile"
)
"""What behind "do not" denies no act: "do not forget to save it", "don't you see"."""
_BEFORE = re.compile(
    r"(?:\A|\n\s*\d{1,3}[.)]|[.!?;,\n*•(-]"
    r"|(?:,\s*)?\b(?:but|and|then|also|so|or|yet|though|however)(?:\s+(?:then|also))*)\s*\Z",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"(?:\A|\s)([\w']+)\s*\Z")
_AND_THEN = word_set("and then also")
_POINTERS = word_set("it them any anything this that these those")
_STATING = word_set("that which who whose where is are was were am i'm")
"""Of a front with one of these "and do not ..." may say more."""
_NEXT_WORD = re.compile(r"\s+(\w+)")
_BEHIND_AN_ACT = BEFORE_OBJECTS | PREPOSITIONS | CONNECTIVES | word_set("or but yet ever at all")
_END = re.compile(
    r"[.!?;](?=\s|\Z)|[)\n]|,(?!\s*+nor\b)|\s(?=(?:but|then|just|instead|only|rather)\b)|\s(?=and\s+(?P<next>\w+))"
)
_FURTHER_THING = re.compile(
    rf"\s*+,?(?:\s*+and)?\s++(?:then|also)\s++(?P<thing>(?:{'|'.join(sorted(DEFINITE))})"
    r"(?:\s++(?!(?:and|but|then|also)\b)[\w'’-]++){1,3}+)"
    r"(?=\s*+(?:[,;!?)\n]|\Z|\.(?:\s|\Z))|\s++(?:and|but|then|also)\b)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.!?;,\n]|\b(?:and|then|but)\b")
_FAR = 60
"""Characters in front that say whether a request may begin."""
_JOINTS = re.compile(
    r"\A(?:[\s.!?;,(]|(?:but|and|then|also|so|or|instead(?!\s+of)|rather(?!\s+than))\b)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Denial:
    """A part that says what is not to be done, or to nothing of what it names.

    verb: of the act that it denies, empty where it leaves out things.
    """

    start: int
    verb: str
    verb_end: int
    end: int


@lru_cache(maxsize=256)
def denials(prompt: str) -> tuple[Denial, ...]:
    """The parts that say what is not to be done."""
    parts: list[Denial] = []
    place = 0
    while match := _DENIAL.search(prompt, place):
        start, place = _start(prompt, match), match.end()
        if start is not None:
            verb_end = end_of_verbs(prompt, match.end())
            place = _with_further_things(prompt, _end(prompt, verb_end))
            parts.append(Denial(start, _verb(match), verb_end, place))
    left_out = _apart(exclusions(prompt), parts)
    return tuple(sorted([*parts, *left_out], key=lambda one: one.start))


def denied(prompt: str) -> tuple[str, ...]:
    """The parts that say what is not to be done."""
    parts = (prompt[one.start : one.end] for one in denials(prompt))
    return tuple(_JOINTS.sub("", part).strip(" ()") for part in parts)


def affirmed(prompt: str) -> str:
    """The prompt without these parts; empty where it asks for nothing else.

    "It" and "them" are said again where they stand for what only such a part names.
    """
    parts = denials(prompt)
    if not parts:
        return prompt
    rest = prompt[: parts[0].start]
    alone = not names_a_thing(rest)
    ends = [*(one.start for one in parts[1:]), len(prompt)]
    for part, end in zip(parts, ends, strict=True):
        words = prompt[part.end : end]
        things = things_in(part.verb, prompt[part.verb_end : part.end])
        rest += with_things(words, things, alone=alone)
        alone = alone and not names_a_thing(words)
    rest = _JOINTS.sub("", rest).strip().rstrip(",;) ")
    return rest if names_a_thing(rest) else ""


def to_be_done(prompt: str) -> str:
    """What is to be done: the prompt without what it says is not, unless nothing else is."""
    return affirmed(prompt) or prompt


def _apart(places: Iterable[tuple[int, int]], acts: Sequence[Denial]) -> Iterator[Denial]:
    """A part for each place that lies in none of the acts, which are in order."""
    starts = [act.start for act in acts]
    for start, end in places:
        before = bisect_left(starts, end)
        if not before or acts[before - 1].end <= start:
            yield Denial(start, "", end, end)


def _verb(match: re.Match[str]) -> str:
    return next(str(one) for one in match.group(*_ACTS) if one)


def _start(prompt: str, match: re.Match[str]) -> int | None:
    """Where the part begins, its joint included; None where it denies no act of its own.

    "Without", "instead of" and "rather than" do so before a known verb with an object, as "without
    deleting the files"; "list functions without testing code" says which are meant.
    """
    low = max(0, match.start() - _FAR)
    before = prompt[low : match.start()]
    if match["avoided"]:
        is_act = may_be_verb(match["avoided"]) and not _says_which(before, match)
        return low + len(before.rstrip()) if is_act else None
    verb = match["shunned"] or match["empty"] or match["neither"]
    if verb and not may_be_verb(verb):
        return None
    if match["refused"] and not _is_refusal(before, match["refused"], prompt[match.end() :]):
        return None
    if match["act"] and match["act"].lower() in _NO_ACT:
        return None
    polite = (CONNECTIVES if match["refused"] else POLITE) - _AND_THEN
    while (word := _LAST_WORD.search(before)) and word[1].lower() in polite:
        before = before[: word.start(1)]
    joint = _BEFORE.search(before)
    if joint is None or not (joint[0].strip() or not low):
        return None
    return (
        None if _goes_on(before[: joint.start()], joint[0], match, prompt) else low + joint.start()
    )


def _goes_on(before: str, joint: str, match: re.Match[str], prompt: str) -> bool:
    """Whether what follows "and" says more of things in front: "(they) are old and don't open"."""
    if not joint.lower().startswith("and"):
        return False
    if is_past_form(_verb(match).lower()) or match[0].lower().startswith("not"):
        return True
    following = _NEXT_WORD.match(prompt, match.end())
    if following and following[1].lower() in _POINTERS:
        return False
    return any(one in _STATING for one in _CLAUSE_END.split(before.lower())[-1].split())


def _says_which(before: str, match: re.Match[str]) -> bool:
    """Whether "without ..." describes the things that are looked for, and is no act left undone."""
    if match["joint"].lower() != "without" or match["object"].lower() in BEFORE_OBJECTS:
        return False
    return _lists(before)


def _is_refusal(before: str, word: str, after: str) -> bool:
    """Whether "no" and the word deny an act: "no deleting", "no deletions".

    "No moving parts" says which, and so does "no translations" where things are listed.
    """
    tokens = set(routing.tokens(word))
    following = _NEXT_WORD.match(after)
    is_joint = following is None or following[1].lower() in _BEHIND_AN_ACT
    has_effect = bool(stems(_EFFECTS) & tokens)
    if not (has_effect or is_verb(word)):
        return False
    if word.lower().endswith("ing"):
        return is_joint or bool(stems(_DESTROYING) & tokens)
    return is_joint and (has_effect or not _lists(before))


def _lists(before: str) -> bool:
    """Whether the clause in front lists things, of which the next words may say which."""
    clause = _CLAUSE_END.split(before.lower().rstrip(" ,"))[-1]
    words = clause.removesuffix(" and").split()
    words = words[next((i for i, one in enumerate(words) if one not in POLITE), len(words)) :]
    return len(words) > 1 and words[0] in _LISTING and words[-1] not in BEFORE_OBJECTS


def _with_further_things(prompt: str, end: int) -> int:
    """Where it ends with the things behind "then" or "also" that have no verb of their own."""
    while match := _FURTHER_THING.match(prompt, end):
        _, *behind = words = match["thing"].lower().split()
        if any(map(is_verb, behind[-1:] if len(words) > 2 else ())) or _STATING & set(words):
            break
        end = match.end()
    return end


def _end(prompt: str, place: int) -> int:
    """place: behind the verb. "and" ends it before a verb, unless nothing stands between; a comma
    does, unless more of the same is listed behind it.
    """
    further = place
    while end := _END.search(prompt, further):
        further, following = max(end.end(), further + 1), end["next"]
        if following is not None:
            is_act = is_verb(following) or following.lower() in POLITE
            if is_act and prompt[place : end.start()].strip():
                return end.start()
        elif end[0] == "," and prompt[place : end.start()].strip():
            comma = end.start()
            list_end = end_of_things(prompt, comma) or end_of_acts(prompt, place, comma)
            if list_end is None:
                return end.start()
            further = list_end
        elif end[0] != ")":
            return end.start()
        elif "(" not in prompt[place : end.start()]:
            return end.end()
    return len(prompt)
