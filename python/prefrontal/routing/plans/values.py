"""Which values, other than places, a clause of a prompt names for the arguments of its step.

"sum column price" and "sum the price column" name `price` for an argument `column`; the only number
of "take the first 5" is for the only argument that is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ..._core import routing
from ..place_names import is_place_name
from ..stems import stems
from ..types import ArgSpec
from .places import FOLDERS, is_place
from .type_hints import contradicts, same_type

_CONTENT = (
    "text content contents body message data row rows table line lines page html json code source "
    "input value values result item items"
)
"""What such an argument holds is handed over; a prompt does not name it."""
_SAY_LITTLE = "name id key"
_SIMPLE = "str | int | float | None"
_COLUMNS = "column field"
"""What "by" or "of" may name: "sort the rows by date", "a chart of amount"."""
_LINKING = "named called is = to"
_BEFORE_A_NOUN = "the a an its their this that by of in on"
_NO_NAME = (
    "whole entire same old new current parent first last other sorted unsorted larger smaller "
    "bigger older newer then again twice tree size structure contents listing"
)
"""What stands beside a folder and says how, which or what of it; so does what ends in -ly."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_MARKS = "\"'`“”‘’()[]<>,;:!?."


def values_of(args: Sequence[ArgSpec], text: str) -> dict[str, str]:
    """The value that the text names for each required argument that is no place."""
    words = [bare for word in text.split() if (bare := word.strip(_MARKS))]
    able = [arg for arg in args if arg.required and _may_be_named(arg)]
    subjects = {arg.name: subject_of(arg) for arg in able}
    times = Counter(subjects.values())
    alone = {name: subject for name, subject in subjects.items() if times[subject] == 1}
    values = {
        name: _beside(subject, words) or (_behind_by(words) if subject in stems(_COLUMNS) else "")
        for name, subject in alone.items()
    }
    numbers = [word for word in words if _NUMBER.match(word)]
    amounts = [arg.name for arg in able if _is_number(arg)]
    if len(numbers) == 1 and len(amounts) == 1:
        values.setdefault(amounts[0], "")
        values[amounts[0]] = values[amounts[0]] or numbers[0]
    return {name: value for name, value in values.items() if value}


def folders_of(args: Sequence[ArgSpec], text: str) -> dict[str, str]:
    """The folder that the text names, as "the folder src", for the only argument that needs one."""
    words = [bare for word in text.split() if (bare := word.strip(_MARKS))]
    able = [arg for arg in args if arg.required and subject_of(arg) in stems(FOLDERS)]
    words = ["" if _says_how(one) else one for one in words]
    name = next(filter(None, (_beside(one, words) for one in sorted(stems(FOLDERS)))), "")
    return {able[0].name: name} if len(able) == 1 and name else {}


def _says_how(word: str) -> bool:
    return word.lower().endswith(("ly", "ed")) or word.lower() in _NO_NAME.split()


def holds_content(arg: ArgSpec) -> bool:
    """Whether, by its name, something is handed over in it, such as a text."""
    return subject_of(arg) in stems(_CONTENT)


def _may_be_named(arg: ArgSpec) -> bool:
    return not (holds_content(arg) or is_place(arg) or contradicts(arg.type_hint, _SIMPLE))


def subject_of(arg: ArgSpec) -> str:
    """The stem of the word that says what the argument is: column of `column_name`."""
    words = routing.tokens(arg.name)
    telling = [word for word in words if word not in stems(_SAY_LITTLE)]
    return next(reversed(telling or words), "")


def _is_number(arg: ArgSpec) -> bool:
    return same_type(arg.type_hint, "int | float")


def _beside(subject: str, words: Sequence[str]) -> str:
    """The word that the subject stands beside as its name; empty for none."""
    for place, word in enumerate(words):
        if routing.tokens(word) != [subject]:
            continue
        before = words[place - 1] if place > 1 and _has_content(words[place - 1]) else ""
        if before and words[place - 2].lower() in _BEFORE_A_NOUN.split():
            return before
        after = [one for one in words[place + 1 : place + 3] if one.lower() not in _LINKING.split()]
        if after and _has_content(after[0]):
            return after[0]
        return before
    return ""


def _behind_by(words: Sequence[str]) -> str:
    """The first word behind a "by", else behind an "of", where that is neither a file nor told by
    a determiner; empty for none.
    """
    for joint in ("by", "of"):
        behind = (two for one, two in pairwise(words) if one.lower() == joint)
        for word in behind:
            if _has_content(word) and not (is_place_name(word) or _NUMBER.match(word)):
                return word
    return ""


def _has_content(word: str) -> bool:
    return any(not routing.is_stop_word(stem) for stem in routing.tokens(word))
