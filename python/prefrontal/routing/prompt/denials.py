"""What a prompt says is not to be done: "zip the folder but do not delete the old files".

Only what stands like a request of its own is one: "files that do not compile" denies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..._core import routing
from .clause_words import POLITE, word_set
from .verbs import groups

_DENIAL = re.compile(
    r"\b(?:(?:do|must|should|shall)\s+not|don['’]?t|mustn['’]?t|shouldn['’]?t|never|no\s+need\s+to)"
    r"\s+(?:want\s+(?:you\s+)?to\s+)?(\w+)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\s+without\s+(\w+ing)(?=\s+\w)", re.IGNORECASE)
_NO_ACT = word_set(
    "i you we they it just only merely simply forget hesitate worry mind care have has be know "
    "need want like think see understand get exist match contain seem work compile"
)
"""What behind "do not" denies no act: "do not forget to save it", "don't you see"."""
_BEFORE = re.compile(r"(?:\A|[.!?;,]|\b(?:but|and|then|also|so|or|yet|though|however))\s*\Z")
_LAST_WORD = re.compile(r"(?:\A|\s)([\w']+)\s*\Z")
_END = re.compile(
    r"[.!?;](?=\s|\Z)|,|\s(?=(?:but|then|just|instead|only|rather)\b)|\s(?=and\s+(?P<next>\w+))"
)
_JOINTS = re.compile(
    r"\A(?:[\s.!?;,]|(?:but|and|then|also|so|or|instead|rather)\b)+", re.IGNORECASE
)


@lru_cache(maxsize=256)
def denials(prompt: str) -> tuple[tuple[int, int], ...]:
    """Where the parts begin and end that say what is not to be done."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted([*_forbidden(prompt), *_avoided(prompt)]):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return tuple(spans)


def _forbidden(prompt: str) -> Iterator[tuple[int, int]]:
    for match in _DENIAL.finditer(prompt):
        start = _start(prompt, match.start())
        if start is not None and match[1].lower() not in _NO_ACT:
            yield start, _end(prompt, match.end())


def _avoided(prompt: str) -> Iterator[tuple[int, int]]:
    """Of "without" before a known verb with an object, as "without deleting the files"."""
    for match in _WITHOUT.finditer(prompt):
        if _is_verb(match[1]):
            yield match.start(), _end(prompt, match.end())


def denied(prompt: str) -> tuple[str, ...]:
    """The parts that say what is not to be done."""
    return tuple(_JOINTS.sub("", prompt[start:end]).strip() for start, end in denials(prompt))


def affirmed(prompt: str) -> str:
    """The prompt without these parts; empty where it asks for nothing else."""
    spans = denials(prompt)
    if not spans:
        return prompt
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(prompt)]
    rest = "".join(prompt[end:start] for end, start in zip(ends, starts, strict=True))
    rest = _JOINTS.sub("", rest).strip().rstrip(",;")
    return rest if any(not routing.is_stop_word(one) for one in routing.tokens(rest)) else ""


def _start(prompt: str, place: int) -> int | None:
    """Where the part begins, its joint included; None where no request may begin."""
    before = prompt[:place]
    while (word := _LAST_WORD.search(before)) and word[1].lower() in POLITE:
        before = before[: word.start(1)]
    joint = _BEFORE.search(before)
    return joint.start() if joint else None


def _end(prompt: str, place: int) -> int:
    """place: behind the verb. "and" ends it before a verb, unless nothing stands between."""
    for end in _END.finditer(prompt, place):
        following = end["next"]
        if following is None:
            return end.start()
        is_verb = _is_verb(following) or following.lower() in POLITE
        if is_verb and prompt[place : end.start()].strip():
            return end.start()
    return len(prompt)


def _is_verb(word: str) -> bool:
    return any(one in groups() for one in routing.tokens(word))
