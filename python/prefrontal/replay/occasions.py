"""What a logged decision counts for, so that each window counts once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from ..types import Reason


class LoggedWindow(Protocol):
    """As the log holds it. score: 0..1. label: of this window, None where nobody has said."""

    @property
    def reason(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def label(self) -> float | None: ...


W = TypeVar("W", bound=LoggedWindow)


class Occasion(NamedTuple, Generic[W]):
    """A decision, and the windows that it is about.

    gathered: those that waited for its question, not decided about one by one. wakers: of which
    one must reach a threshold for it to wake. labelled: that which its label is of; None where
    that has one already.
    """

    gathered: Sequence[W]
    wakers: Sequence[W]
    labelled: W | None

    @classmethod
    def of(cls, record: W, windows: Sequence[W], is_late: bool) -> Occasion[W]:
        """windows: what its question told of. is_late: whether it was asked when a hold ended,
        about one of these; that counted when it came.
        """
        if not windows:
            return cls((), (record,), record)
        gathered = [each for each in windows if each.reason == Reason.GROUPED]
        if is_late:
            return cls(gathered, gathered, _about(record, windows))
        if record.reason == Reason.AUDIT:  # it stands for others
            return cls(gathered, (record,), record)
        return cls(gathered, (record, *gathered), record)


def _about(question: W, windows: Sequence[W]) -> W | None:
    return next(
        (each for each in windows if each.score == question.score and each.label is None), None
    )
