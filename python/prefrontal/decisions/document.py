"""The one JSON shape of a decision, which every door lays out; its version stands in it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from ..feature_words import feature_words
from ..types import Reason, SignalEvent
from .payloads import WAKE, Burst, FoldedWindow, Moment
from .words import brief, counted, sentence

if TYPE_CHECKING:
    from .decision import Decision
    from .deliveries import Handover

VERSION = 2
_STRICT = json.JSONEncoder(allow_nan=False)
_MOMENTS = frozenset({"time", "expires_at"})
"""Fields of payloads that are Unix seconds."""

Document = dict[str, Any]


def document(decision: Decision, *, features: bool = False) -> Document:
    """The decision as plain values for JSON.

    Moments are ISO 8601 in UTC, with milliseconds; null where a number is no moment. A number that
    JSON has no word for is null. features: with what the source added to each event, which may be
    whole texts; without where the document leaves this machine.
    """
    words = partial(feature_words, thing=counted(decision)) if decision.kind == WAKE else str
    return {
        "version": VERSION,
        "id": decision.id,
        "kind": decision.kind,
        "subject": decision.subject,
        "time": instant(decision.time),
        "acted": decision.acted,
        "reason": str(decision.reason),
        "score": _finite(decision.score),
        "threshold": _finite(decision.threshold),
        "question": decision.question,
        "sentence": sentence(decision),
        "summary": ": ".join(brief(decision)),
        "propensity": decision.propensity,
        "why": [
            {"name": name, "words": words(name), "amount": _finite(amount)}
            for name, amount in decision.why
        ],
        "events": [_event(each, features) for each in decision.window],
        "label": decision.label,
        "labelled_at": None if decision.labelled_at is None else instant(decision.labelled_at),
        "cause": decision.cause,
        "payload": _plain(decision.payload),
    }


def explanation(
    decision: Decision,
    chain: Iterable[Decision] = (),
    deliveries: Iterable[Handover] = (),
    *,
    features: bool = False,
    told_by: str | None = None,
) -> Document:
    """The document, with the documents of what led to it and what it led to, in their order.

    deliveries: how far it got with each durable sink. told_by: id of the question that told of a
    window that was held back; None while it waits.
    """
    return document(decision, features=features) | {
        "told_by": told_by,
        "chain": [document(each, features=features) for each in chain],
        "deliveries": [
            {
                "sink": each.sink,
                "state": each.state,
                "attempts": each.attempts,
                "next_at": instant(each.next_at),
                "detail": each.detail,
            }
            for each in deliveries
        ],
    }


def line(decision: Decision, *, features: bool = False) -> str:
    """The document as one line of JSON, without its end; characters outside ASCII are escaped."""
    return _STRICT.encode(document(decision, features=features))


def mention(decision: Decision) -> Document:
    """The few fields of the document that a line of a program's log says."""
    return {
        "id": decision.id,
        "kind": decision.kind,
        "subject": decision.subject,
        "acted": decision.acted,
        "reason": str(decision.reason),
        "score": _finite(decision.score),
    }


def document_v1(decision: Decision) -> Document:
    """A wake in the shape of before, for sinks whose settings say `format: v1`.

    time: of the last event, ISO 8601 in UTC; None when that is no time.
    """
    last = decision.window[-1] if decision.window else None
    return {
        "id": decision.id,
        "module": decision.subject,
        "question": decision.question,
        "score": decision.score,
        "reason": str(decision.reason),
        "audit": decision.reason == Reason.AUDIT,
        "time": instant(last.timestamp) if last else None,
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


def line_v1(decision: Decision) -> str:
    """`document_v1` as one line of JSON, without its end."""
    return json.dumps(document_v1(decision))


def instant(time: object) -> str | None:
    """A Unix second as ISO 8601 in UTC; None for what is no moment."""
    try:
        moment = datetime.fromtimestamp(time, tz=UTC)  # type: ignore[arg-type]
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _event(event: SignalEvent, features: bool) -> Document:
    plain: Document = {
        "source": event.source,
        "location": event.location,
        "delta_type": event.delta_type,
        "magnitude": _plain(event.magnitude),
        "time": instant(event.timestamp),
    }
    return plain | {"features": _plain(event.features)} if features else plain


def _plain(value: object) -> Any:
    """The value with nothing in it that JSON has no word for; a payload by its fields' names."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, Moment | FoldedWindow | Burst):
        return _named(value._asdict())
    if is_dataclass(value) and not isinstance(value, type):
        return _named({each.name: getattr(value, each.name) for each in fields(value)})
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)


def _named(values: Mapping[str, object]) -> Document:
    return {
        name: instant(value) if name in _MOMENTS and value is not None else _plain(value)
        for name, value in values.items()
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
