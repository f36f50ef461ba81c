"""The best one-line rule in labelled windows: what a careful person would have written down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..._core.pulse import FoundRule, Rule, RuleFinder

if TYPE_CHECKING:
    from ...types import SignalEvent

__all__ = ["FoundRule", "Rule", "find_rule"]


def find_rule(labelled: Iterable[tuple[Sequence[SignalEvent], bool]]) -> FoundRule:
    """The rule that tells most about relevance on these windows, and on these alone.

    Candidates are paths (a folder, a folder's name anywhere, a file name, an extension, and
    combinations), the actor, a word of the text, a path with an exception, and two of these
    joined by and, or, but not. The measure is mutual information with the label, less a price
    for each word after the first, so a longer rule must earn its length, and less what chance
    would tell. A rule that does not beat chance beyond doubt (`FoundRule.beats_chance`) is not
    taken; where none does, the rule is "**", which every file matches.
    """
    finder = RuleFinder()
    for window, relevant in labelled:
        finder.add(window, relevant)
    return finder.find()
