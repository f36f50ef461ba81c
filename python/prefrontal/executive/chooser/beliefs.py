"""Beliefs as tie-breaks: between tools that fit equally well, what is held true of them decides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...routing.ranking.decide import shown
from ...routing.ranking.precedence import micro

if TYPE_CHECKING:
    from ..nouns import HeardBelief, Option

MARGIN = 0.01
"""How much less a tool may score and count as equally good."""
LONGEST = 500
"""Characters of a belief that are read; a model's have at most 240."""

_FOR = (
    "prefer|prefers|preferred|reliable|reliably|trust|trusted|trustworthy|works|worked|good|useful"
    "|helpful|helps|helped|accurate|right|correct|best|better|fast|succeeds|succeeded|useable"
)
_AGAINST = (
    "avoid|avoids|avoided|fail|fails|failed|failing|unreliable|distrust|broken|breaks|broke|bad"
    "|useless|wrong|worse|worst|slow|noisy|misleading|flaky|crashes|crashed|hangs|timed|harmful"
)
_NOT = re.compile(
    r"(?:\b(?:not|never|no longer|hardly|rarely|seldom|without|nor|cannot)|n't)"
    r"(?:\W+(?:be|been|so|very|use|to|a|an|the|any|always))*\W+\Z",
    re.IGNORECASE,
)
_WORD = re.compile(rf"\b(?:(?P<good>{_FOR})|(?P<bad>{_AGAINST}))\b", re.IGNORECASE)
_DO_NOT_USE = re.compile(
    r"(?:\b(?:not|never|stop|no longer)|n't)\W+(?:to\W+)?(?:use|using|run|running|take|call)\b",
    re.IGNORECASE,
)
_USE = re.compile(
    r"(?:\A\W*|\b(?:always|should|must|to|please|rather)\s+)(?:use|run|take|call)\b", re.IGNORECASE
)
_RATHER = re.compile(r"\b(?:over|instead of|rather than|and not)\b", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?<=[.!?;])\s+|\n+|,?\s+(?:but|while|whereas|although|though)\s+|\s+and\s+(?=\w+_\w+\s+\w)"
)


@dataclass(frozen=True, slots=True)
class Leaning:
    """What beliefs say of a tool. amount: millionths, above 0 for it. keys: of those beliefs."""

    amount: int = 0
    keys: tuple[str, ...] = ()


def leanings(beliefs: Sequence[HeardBelief], names: Sequence[str]) -> dict[str, Leaning]:
    """What the beliefs say of tools, by name; those of which they say nothing are left out.

    Quoted beliefs have no say: words of others choose no tool.
    A tool is named by its name, or by its words ("summarise diff") where it has two or more. The
    amounts are the confidences of the beliefs.
    """
    result: dict[str, Leaning] = {}
    for belief in (each for each in beliefs if not each.quoted):
        for name in names:
            sign = spoken(belief.text, name)
            if sign:
                before = result.get(name, Leaning())
                amount = before.amount + sign * micro(min(1.0, max(0.0, belief.confidence)))
                result[name] = Leaning(amount, (*before.keys, belief.key))
    return {name: leaning for name, leaning in result.items() if leaning.amount}


def spoken(text: str, name: str) -> int:
    """+1 when the text speaks for the tool of that name, -1 against it, 0 of neither or both.

    Reads the first LONGEST characters.
    """
    total = 0
    for sentence in _SENTENCE.split(text[:LONGEST]):
        for place in _named(name).finditer(sentence):
            total += _said(sentence, place.start(), place.end())
    return (total > 0) - (total < 0)


def by_belief(
    options: Sequence[Option], by_name: Mapping[str, Leaning], margin: float, equal: Sequence[str]
) -> tuple[tuple[Option, ...], str]:
    """(the options, those as good as the first in the order of what is believed; why, or "").

    by_name: of the tool. equal: keys of tools that serve as much of the prompt as the first.
    As good is what scores at most `margin` less or more, in whole millionths; the others keep
    their places, and so do all where no belief speaks.
    """
    if not options or options[0].plan is not None:
        return tuple(options), ""
    first, room = options[0], micro(margin)
    group = [
        each
        for each in options
        if each.plan is None
        and each.tool in equal
        and abs(micro(each.score) - micro(first.score)) <= room
    ]
    if len(group) < 2 or not any(each.name in by_name for each in group):
        return tuple(options), ""
    flagged = [_flagged(each, by_name) for each in group]
    flagged.sort(key=lambda each: -_sign(by_name.get(each.name)))
    others = [each for each in options if each not in group]
    ordered = (*flagged, *others)
    return ordered, _why(ordered[0], first, by_name)


def _flagged(option: Option, by_name: Mapping[str, Leaning]) -> Option:
    leaning = by_name.get(option.name)
    if leaning is None:
        return option
    side = "for" if leaning.amount > 0 else "against"
    flag = f"belief {', '.join(leaning.keys)} speaks {side} it"
    return replace(option, flags=(*option.flags, flag))


def _why(best: Option, first: Option, by_name: Mapping[str, Leaning]) -> str:
    if best.tool == first.tool:
        return ""
    own, other = by_name.get(best.name), by_name.get(first.name)
    if own is not None and own.amount > 0:
        reason = f"belief {', '.join(own.keys)} speaks for it"
    else:
        reason = f"belief {', '.join(other.keys if other else ())} speaks against the other"
    scores = f"{shown(micro(best.score))} and {shown(micro(first.score))}"
    return f"{best.name} is taken before {first.name}, as good by its score ({scores}): {reason}."


def _sign(leaning: Leaning | None) -> int:
    amount = 0 if leaning is None else leaning.amount
    return (amount > 0) - (amount < 0)


def _named(name: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in name.split("_") if word]
    joined = r"[_\s-]+".join(words) if len(words) > 1 else re.escape(name)
    return re.compile(rf"(?<![\w./-]){joined}(?:\.py)?(?![\w/])", re.IGNORECASE)


def _said(sentence: str, start: int, end: int) -> int:
    """What one sentence says of the tool that stands at start..end."""
    hidden = sentence[:start] + "_" * (end - start) + sentence[end:]
    compared = _RATHER.search(hidden)
    text = hidden if compared is None else hidden[: compared.start()]
    total = sum(_sign_of(text, word) for word in _WORD.finditer(text))
    if _DO_NOT_USE.search(text):
        total = -1
    elif total == 0 and _USE.search(text):
        total = 1
    if compared is not None and start > compared.start():  # "prefer a over b": b is the other one
        total = -total
    return (total > 0) - (total < 0)


def _sign_of(sentence: str, word: re.Match[str]) -> int:
    sign = 1 if word["good"] else -1
    return -sign if _NOT.search(sentence[: word.start()]) else sign
