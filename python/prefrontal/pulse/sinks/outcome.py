"""What a sink is given, and what it says came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from ...decisions.document import line, line_v1
from ...errors import InputError, shown

if TYPE_CHECKING:
    from ...decisions.decision import Decision


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What came of handing over one question. detail: "exit code 3", "HTTP 204", for people.

    down_for_s: for at least so many seconds no other question would get through either, 0 when
    that is unknown; None when the receiver answered, to this question.
    """

    ok: bool
    detail: str
    attempts: int = 1
    down_for_s: float | None = field(default=None, compare=False)


class Sink(Protocol):
    """Takes escalations somewhere."""

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        """Hand it over, and say what came of it."""
        ...

    def close(self) -> None:
        """End what is still under way; a second call does nothing."""
        ...


Shape = Literal["v1", "v2"]
"""Of what a sink is given: v2 is the document of `prefrontal.decisions.document`."""


def as_line(decision: Decision, shape: Shape = "v2") -> str:
    """The decision as one line of JSON, without its end; characters outside ASCII are escaped."""
    return line_v1(decision) if shape == "v1" else line(decision)


def checked_shape(shape: str) -> Shape:
    """Raises InputError for any other than v1 and v2."""
    if shape not in ("v1", "v2"):
        raise InputError(f"format must be v1 or v2, got {shown(shape)}")
    return shape  # type: ignore[return-value]
