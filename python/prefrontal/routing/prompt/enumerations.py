"""Things and acts that a prompt lists with commas: "don't delete a.txt, the notes or photos"."""

from __future__ import annotations

import re

from ..._core import routing
from ..place_names import is_place_name
from ..plurals import is_plural
from ..stems import stems
from .verbs import OF_FILES, UNGROUPED, groups

_JOINT = re.compile(
    r"(?:\s*+,\s*+(?:(?P<behind_comma>and|n?or)\s++)?|\s++(?P<last>and|n?or)\s++)", re.IGNORECASE
)
_THING = re.compile(
    r"(?P<definite>(?:a|an|the|this|that|these|those|my|your|our|their|his|her|its|all|any|each"
    r"|every|both)\s++(?:[\w'’-]++\s++){0,2}?)?"
    r"(?P<noun>[^\s,;!?()]+?)"
    r"(?=\.?(?:\s*+(?:[,;!?)\n]|\Z)|\s++(?:and|n?or|but|then|just|instead|only|rather|to|into|in|of|on"
    r"|from|at|with|for)\b)|\.\s)",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"(?P<acts>(?:\s*+,\s*+(?!n?or\b)\w++(?:\s++(?!n?or\b)[^\s,;!?().]++(?:\.[^\s,;!?().]++)*+){1,6}+)"
    r"{1,8}+)"
    r"(?:\s*+,)?\s++n?or\s++(?P<last>\w++)(?P<object>\s++(?:\.{0,2}[\w~/'’-]++)++)",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"(?P<first>(?:\s*+,\s*+(?!n?or\b)\w++){1,8}+)(?:\s*+,)?\s++n?or\s++(?P<last>\w++)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\s*+[,.;]\s++(?:(?:please|just|only|instead|rather)\s++)*+(?P<verb>\w++)", re.IGNORECASE
)
_POINTERS = frozenset(("it", "them"))


def end_of_things(prompt: str, comma: int) -> int | None:
    """Where the list ends that goes on at the comma; None where what follows it is no thing more.

    Its last thing stands behind "and" or "or", unless all of them are files.
    """
    end, files_end = comma, None
    while joint := _JOINT.match(prompt, end):
        thing = _THING.match(prompt, joint.end())
        if thing is None or not _may_be_listed(thing):
            break
        end = thing.end()
        if joint["last"] or joint["behind_comma"]:
            return end
        is_file = is_place_name(thing["noun"]) and not thing["definite"]
        files_end = end if is_file and (files_end or joint.start() == comma) else None
    return files_end


def end_of_acts(prompt: str, verb_end: int, comma: int) -> int | None:
    """Where the verb of the last act ends that is listed from the comma on, behind "or": "run the
    tests, count lines or find todos". None where what follows is no such list, as in "delete the
    report, print it or mail it", which ask for what is to be done instead; unless "it" stands
    behind the first verb, too, which ends there, or another request behind them all.
    """
    match = _ACTS.match(prompt, comma)
    if match is None:
        return None
    first, further = (
        {*re.findall(r"\w+", part.lower())} for part in (prompt[verb_end:comma], match[0])
    )
    if _POINTERS & further and not (_POINTERS & first or _asks_behind(prompt, match.end())):
        return None
    acts = [act.split() for act in match["acts"].split(",") if act.strip()]
    verbs = [*(act[0] for act in acts), match["last"]]
    return match.end("last") if all(map(may_be_verb, verbs)) else None


def _asks_behind(prompt: str, place: int) -> bool:
    """Whether a mark and a verb follow, so that what stands in front is not what is asked for."""
    behind = _REQUEST.match(prompt, place)
    return behind is not None and may_be_verb(behind["verb"])


def end_of_verbs(prompt: str, verb_end: int) -> int:
    """Where the verbs end of which the first ends there: "rename, move or delete it".

    What no object parts from the first is one, too, beside a known verb or in front of "it".
    """
    match = _VERBS.match(prompt, verb_end)
    if match is None:
        return verb_end
    further = [*match["first"].replace(",", " ").split(), match["last"]]
    behind = re.match(r"\s*+(\w*)", prompt[match.end() :])
    has_object = behind is not None and behind[1].lower() in _POINTERS
    return match.end() if has_object or any(map(may_be_verb, further)) else verb_end


def is_verb(word: str) -> bool:
    """Whether the word, by its stem, is a known verb."""
    return any(one in groups() for one in routing.tokens(word))


def may_be_verb(word: str) -> bool:
    """Whether the word may be one at a verb's place in a list."""
    return is_verb(word) or bool(stems(UNGROUPED, OF_FILES) & set(routing.tokens(word)))


def _may_be_listed(thing: re.Match[str]) -> bool:
    noun = thing["noun"]
    if thing["definite"] or is_place_name(noun):
        return True
    return is_plural(noun) and not is_verb(noun)
