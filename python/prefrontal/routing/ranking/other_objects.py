"""Tools named by a verb and what they do it to: "stop the music" is not for `stop_containers`.

The verb is all that such a prompt shares with the tool, and it is half of the tool's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..._core import routing as core
from ..place_names import with_places
from ..prompt.clause_words import word_set
from ..stems import stems
from ..types import Tool
from .tool_words import words_of

_OF_ANYTHING = (
    "file folder directory path text string document data table matrix column row cell field value "
    "number item object thing record list array content input image picture media url"
)
"""What may be anything: "encrypt my diary" is for `encrypt_file`."""
_OF_BEFORE = "result output outcome answer rest file folder data thing stuff lot"
"""What a prompt calls something that was spoken of before."""
_PARTICLES = word_set("on off up down out in back over away")
_NEAR = 0.35
"""Of 34 objects that are other things one is as near (guitar, song), of 32 that are meant 18."""
_DETERMINERS = word_set("the a an my your our his her their its this that these those")


def does_it_to_others(
    prompt: str, tool: Tool, near: Sequence[object] = (), *, vectors: bool = True
) -> str:
    """Why the tool is not for the prompt: its name says what it does its verb to, the prompt says
    the verb with an object, and they have no other word in common, nor does any of the prompt mean
    nearly what one of the name does (album, song). Empty where it may be.

    near: words of the prompt that mean about the same as one of the tool's. vectors: whether word
    vectors may tell that, too.
    """
    verb, others = _said(prompt)
    if near or not others or tool.name[:1].casefold() != verb[0]:  # of most tools
        return ""
    name = [one for one in core.tokens(tool.name) if _has_content(one)]
    if name[:1] != [verb] or len(name) == 1:
        return ""
    if stems(_OF_ANYTHING) & set(name) or others & _known(tool):
        return ""
    if vectors and _are_near(others, name[1:]):
        return ""
    return f"it is for other things to {verb}"


def _are_near(words: Iterable[str], others: Sequence[str]) -> bool:
    """Whether any of the stems means nearly what one of the others does, by the word vectors."""
    return any((core.word_cosine(one, two) or 0.0) >= _NEAR for one in words for two in others)


def _known(tool: Tool) -> set[str]:
    return words_of(tool) | stems(tool.domain or "", tool.action or "")


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _said(prompt: str) -> tuple[str, frozenset[str]]:
    """(the verb that the prompt begins with, stems of what it says besides); nothing besides for a
    verb without an object that has a determiner or is a plural.
    """
    words = re.findall(r"[^\W_]+(?:['’-]\w+)*", with_places(prompt, lambda _: " . ").casefold())
    content = [(place, word) for place, word in enumerate(words) if _has_content(word)]
    if len(content) < 2:
        return "", frozenset()
    (first, verb), (second, thing) = content[:2]
    between = [one for one in words[first + 1 : second] if one not in _PARTICLES]
    determined = bool(between) and set(between) <= _DETERMINERS
    plural = not between and thing.isalpha() and thing.endswith("s") and not thing.endswith("ss")
    others = stems(*(word for _, word in content[1:])) - stems(verb)
    if not (determined or plural) or others & stems(_OF_BEFORE) or not thing.isalpha():
        return "", frozenset()
    return next(iter(core.tokens(verb)), ""), others


def _has_content(word: str) -> bool:
    return word not in _PARTICLES and not all(map(core.is_stop_word, core.tokens(word)))
