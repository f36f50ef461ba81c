"""CloudEvents 1.0 over HTTP: structured, batched and binary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from reprlib import repr as short_repr
from typing import Any
from urllib.parse import unquote

from ....errors import InputError
from ....types import SignalEvent

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
TEXT_LIMIT = 2_000

Told = tuple[str, SignalEvent]
"""What tells a repetition (source and id together), and the event."""


def cloud_events(kind: str, headers: Mapping[str, str], body: bytes, now: float) -> Iterator[Told]:
    """The events of one request. kind: its content type; headers: names in lower case.

    An event becomes a signal of the source "cloudevent", with its source and subject as location,
    its type as delta_type, and the features id, type, subject, and text where its data is text or
    holds a `message`, `title` or `summary`. Raises InputError naming the attribute.
    """
    if kind == STRUCTURED:
        yield _event(_json(body), now)
    elif kind == BATCH:
        batch = _json(body)
        if not isinstance(batch, list):
            raise InputError(f"batch must be a list, got {short_repr(batch)}")
        for document in batch:
            yield _event(document, now)
    else:
        yield _event(_binary(kind, headers, body), now)


def _binary(kind: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """Attributes in ce- headers, the data in the body."""
    document: dict[str, Any] = {
        name.removeprefix("ce-"): unquote(value)
        for name, value in headers.items()
        if name.startswith("ce-")
    }
    if not document:
        rule = f"come as {STRUCTURED}, {BATCH} or with ce- headers"
        raise InputError(f"event must {rule}, got {kind!r}")
    if body:
        is_json = kind == "application/json" or kind.endswith("+json")
        document["data"] = _json(body) if is_json else body.decode("utf-8", "replace")
    return document


def _event(document: object, now: float) -> Told:
    if not isinstance(document, dict):
        raise InputError(f"event must be an object, got {short_repr(document)}")
    if (version := document.get("specversion")) != "1.0":
        raise InputError(f"specversion must be '1.0', got {short_repr(version)}")
    id_, source, kind = (_text(document, name) for name in ("id", "source", "type"))
    subject = _text(document, "subject") if document.get("subject") is not None else ""
    features: dict[str, Any] = {"id": id_, "type": kind}
    if subject:
        features["subject"] = subject
    if text := _said(document.get("data")) or subject:
        features["text"] = text[:TEXT_LIMIT]
    location = f"{source}#{subject}" if subject else source
    moment = _moment(document.get("time"), now)
    return f"{source}\n{id_}", SignalEvent("cloudevent", location, kind, 1.0, moment, features)


def _json(body: bytes) -> object:
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"event must be JSON ({error})") from None
    return document


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name} must be text that is not blank, got {short_repr(value)}")
    return value


def _said(data: object) -> str:
    if isinstance(data, dict):
        data = next((data[key] for key in ("message", "title", "summary") if key in data), None)
    return data if isinstance(data, str) else ""


def _moment(value: object, now: float) -> float:
    if value is None:
        return now
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except (ValueError, OverflowError):
        raise InputError(f"time must be RFC 3339, got {short_repr(value)}") from None
