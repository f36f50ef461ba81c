"""What a sink is given, and what it says came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..prefrontal import EscalationDecision


@dataclass(frozen=True, slots=True)
class Outcome:
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

    def deliver(self, decision: EscalationDecision) -> Outcome:
        """Hand it over, and say what came of it."""
        ...

    def close(self) -> None:
        """End what is still under way; a second call does nothing."""
        ...


def as_dict(decision: EscalationDecision) -> dict[str, Any]:
    """An escalation as plain values, the form in which it is posted and printed as JSON.

    time: ISO 8601 in UTC, the time of the last event; None when that is no time.
    """
    last = decision.window[-1] if decision.window else None
    return {
        "id": decision.activation_id,
        "module": decision.module_id,
        "question": decision.question,
        "score": decision.confidence,
        "reason": str(decision.reason),
        "audit": decision.audit,
        "time": _moment(last.timestamp) if last else None,
        "location": last.location if last else "",
        "events": [
            {
                "source": event.source,
                "location": event.location,
                "delta_type": event.delta_type,
                "timestamp": event.timestamp,
            }
            for event in decision.window
        ],
    }


def as_line(decision: EscalationDecision) -> str:
    """`as_dict` as one line of JSON, without its end; characters outside ASCII are escaped."""
    return json.dumps(as_dict(decision))


def _moment(timestamp: object) -> str | None:
    try:
        moment = datetime.fromtimestamp(timestamp, tz=UTC)  # type: ignore[arg-type]
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
