"""One verb with two nouns is two clauses where each noun has a tool of its own.

"Look for todos and secrets" is for `find_todos` and for `find_secrets`; "count the lines and words"
stays one where a tool counts both, and "merge a.pdf and b.pdf" wherever.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations
from typing import TYPE_CHECKING

from ..prompt.listed_things import is_looked_for
from ..prompt.noun_lists import one_for_each_noun
from ..prompt.sub_intents import MOST_CLAUSES
from ..stems import stems
from .decide import Bar
from .precedence import FOLLOWS, REJECTED, micro
from .tool_words import does

if TYPE_CHECKING:
    from ...settings.routing import Ranker
    from ..types import Candidate, SubIntent
    from .tool_ranker import ToolRanker


_OF_ANY_ACT = "make create produce build give show display get"
"""Verbs that a tool may do without speaking of them: "make a summary and a plot"."""
_LOOKING = "find list check"
"""Verbs one of which may stand for another one: "list the todos"."""


def with_each_tools_noun(
    clauses: Sequence[SubIntent], ranker: ToolRanker, settings: Ranker
) -> tuple[SubIntent, ...]:
    """The clauses, with one for each noun of those that list nouns for different tools.

    Each noun alone must find a tool for the verb at tau (of those that are looked for each that any
    tool may do for), and no tool may do, by the margin of compositions, for two nouns whose best
    tools differ. A clause that calls a tool for all of it by
    its whole name stays.
    """
    bar = Bar.of(settings)
    more = [part for clause in clauses for part in _parts(clause, ranker, bar)]
    return tuple(more if len(more) <= MOST_CLAUSES else clauses)


def _parts(clause: SubIntent, ranker: ToolRanker, bar: Bar) -> Sequence[SubIntent]:
    parts = one_for_each_noun(clause)
    if not parts:
        return (clause,)
    ranked = ranker.candidates(clause.text, parts)
    able = [one for one in ranked if FOLLOWS not in one.flags and REJECTED not in one.flags]
    scores = [[micro(one.clauses[noun]) for one in able] for noun in range(len(parts))]
    verbs = {parts[0].verb, clause.verb}
    verbs |= stems(_LOOKING) if verbs & stems(_LOOKING) or is_looked_for(parts[0].verb) else set()
    return parts if able and _differ(scores, able, bar, verbs) else (clause,)


def _differ(
    scores: Sequence[Sequence[int]], able: Sequence[Candidate], bar: Bar, verbs: Set[str]
) -> bool:
    """Whether the nouns, of each of which these are the tools' scores, are for different tools that
    do what one of the verbs says.
    """
    if verbs & stems(_LOOKING):  # what no tool finds is told: nothing covers it
        scores = [each for each in scores if max(each) >= bar.floor]
    best = [each.index(max(each)) for each in scores]
    if len(set(best)) < 2 or min(map(max, scores)) < bar.tau:
        return False
    is_act = not verbs & stems(_OF_ANY_ACT)
    if is_act and not all(any(does(able[one].tool, verb) for verb in verbs) for one in best):
        return False
    if any(one.by_name and place not in best for place, one in enumerate(able)):
        return False
    serving = [{tool for tool, score in enumerate(each) if score >= bar.floor} for each in scores]
    pairs = combinations(zip(best, serving, strict=True), 2)
    return not any(mine != other and one & two for (mine, one), (other, two) in pairs)
