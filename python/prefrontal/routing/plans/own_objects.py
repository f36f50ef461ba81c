"""Whether a step's part of a prompt is about a thing of its own, not what an earlier step made.

"Translate the letter, then play the song" hands the song player nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..._core import routing
from ..place_names import place_spans, places_in
from ..plurals import is_plural
from ..stems import first_stem, stems
from ..types import ArgSpec, Tool
from .places import is_place
from .type_hints import same_type
from .values import holds_content, subject_of

_MARKS = ",.;:!?()\"'"
_TO = re.compile(r"\b(?:to|into|as|with|by|at|like)\s+[\"'`(]*\Z", re.IGNORECASE)
"""In front of a file that is not what a step works on."""
_NOUN = re.compile(
    r"(?:\b(?P<link>of|from|in)\s++)?\b(?:the|my|our|your|his|her|their|this|that|these|those)\s++"
    r"(?:[\w'’-]++\s++){0,2}?(?P<noun>[\w'’-]++)"
    r"(?=\s*+(?:[,;!?)]|\Z|\.(?:\s|\Z))"
    r"|\s++(?:of|in|on|from|at|to|into|as|with|by|for|and|or|then|again|aloud|please|now|too)\b)",
    re.IGNORECASE,
)
_MAKING = (
    "make create produce build give generate write draw compose send email mail post publish save "
    "export store print show display"
)
"""What such a verb is followed by is what comes of it: "send the letter"."""
_ANY_THING = (
    "document file page article result output outcome thing answer response reply rest whole "
    "summary overview digest recap translation version copy text content string input it one"
)
_PARTS = (
    "introduction conclusion title subject headline beginning start end part section paragraph "
    "chapter sentence word line summary abstract body date author language tone spelling grammar "
    "length size"
)
"""What a text has, whatever it is."""


def has_own_object(arg: ArgSpec, text: str, tool: Tool, before: Sequence[tuple[str, Tool]]) -> bool:
    """Whether the text names what the argument is for, and nothing before speaks of that.

    That is the argument itself ("play the song" for `song`) or, for one of any content, a file of
    which no argument of the tool is the place, or another thing than the step in front is about.
    Of things only behind a step that works on content: what one reads may be called anything.
    before: texts and tools of the steps in front.
    """
    if not before or not same_type(arg.type_hint, "str") or first_stem(text) in stems(_MAKING):
        return False
    if holds_content(arg) and not any(map(is_place, tool.spec.args)):
        files = _files(text)
        earlier = [one for words, _ in before for one in places_in(words)]
        if files and not any(_is_same(one, other) for one in files for other in earlier):
            return True
    _, latest = before[-1]
    works_on_content = any(one.required and holds_content(one) for one in latest.spec.args)
    return works_on_content and _names_another(arg, text, tool, before)


def _names_another(arg: ArgSpec, text: str, tool: Tool, before: Sequence[tuple[str, Tool]]) -> bool:
    """Whether a noun that the text acts on is for the argument, and nothing before says it."""
    known = frozenset(stem for words, one in before for stem in _spoken_of(words, one))
    nouns = {noun: stem for noun in _objects(text) for stem in routing.tokens(noun)[-1:]}
    if not holds_content(arg):
        return subject_of(arg) in set(nouns.values()) - known
    any_thing = known | stems(_ANY_THING, _PARTS) | _spoken_of("", tool)
    others = [one for one, stem in nouns.items() if stem not in any_thing and not is_plural(one)]
    return bool(others and _objects(before[-1][0]))


def _files(text: str) -> list[str]:
    """The files and addresses that the text acts on, where no pronoun is what it acts on."""
    words = [word.strip(_MARKS) for word in text.lower().split()]
    if {"it", "them"} & set(words):
        return []
    worked_on = (place for place in place_spans(text) if not _TO.search(text[: place[0]]))
    return [text[start:end] for start, end in worked_on if text[end - 1] != "/"]


def _is_same(one: str, other: str) -> bool:
    """Whether two places may be one: "src/a.txt" is "a.txt", too."""
    one, other = (f"/{place.strip('/').lower()}" for place in (one, other))
    return one.endswith(other) or other.endswith(one)


def _objects(text: str) -> list[str]:
    """The nouns, behind a determiner, that the text acts on: "words" and "report" of "count the
    words of the report to print".
    """
    nouns: list[str] = []
    for match in _NOUN.finditer(text):
        if nouns and not match["link"]:
            break
        nouns.append(match["noun"])
    return nouns


def _spoken_of(text: str, tool: Tool) -> frozenset[str]:
    return stems(text, tool.name, tool.spec.doc, *tool.returns, *tool.arg_docs.values())
