"""What routes ask of the events of one source, in the form that the compiled core takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

How = Literal["path", "pattern", "any_case", "contains"]


class Condition(NamedTuple):
    """Any of the patterns must match any of the fields that an event has.

    fields: "location", "delta_type", "text", or names of features. how: a pattern is compared with
    the plain form of a path, with the text as it is, or with that in lower case; or the text is
    searched for it.
    """

    fields: list[str]
    how: How
    patterns: list[str]


class SourceInterest(NamedTuple):
    """Events of a source for which each condition holds. source: "" for every name of one's own."""

    source: str
    conditions: list[Condition]


def condition(how: How, fields: Sequence[str], patterns: Iterable[str]) -> Iterator[Condition]:
    """The condition, if there are patterns at all."""
    if names := list(patterns):
        yield Condition(list(fields), how, names)
