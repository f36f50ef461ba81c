"""Labels: one to be given, and one as it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .decision import Decision


PRESET = "preset"
"""The source of labels that a history itself tells, of every window."""

TOLD = "told"
"""The source of a question's label that follows from those of the windows it told of. It counts
for the question alone: what its windows teach, their own labels do.
"""


class NewLabel(NamedTuple):
    """How much a decision mattered, 0..1, who says so, and when (Unix seconds)."""

    decision_id: str
    label: float
    at: float
    source: str


class GivenLabel(NamedTuple):
    """number: its place among all labels of the log. label: 0..1. source: who said so.

    The decision carries its last label, which may be a later one.
    """

    number: int
    decision: Decision
    label: float
    source: str = "user"
