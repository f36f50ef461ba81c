"""Events as JSON lines: one object a line, whatever its pieces arrive in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from reprlib import repr as short_repr
from typing import TYPE_CHECKING

from ...clock import FIRST_MOMENT, LAST_MOMENT
from ...errors import InputError
from ...types import SignalEvent

if TYPE_CHECKING:
    from ..._core.pulse import Routes

LINE_LIMIT = 2**20
"""Bytes a line may hold."""

_FIELDS = ("source", "location", "delta_type", "magnitude", "timestamp", "features")


def event_from_line(line: bytes, now: float) -> SignalEvent:
    """`{"source": "mail", "location": "inbox", "delta_type": "created"}` as an event.

    Optional: magnitude (1), timestamp (`now`), features ({}). Raises InputError naming the field.
    """
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"line must be a JSON object ({error}), got {short_repr(line)}") from None
    return event_from_object(raw, now, "line")


def event_from_object(raw: object, now: float, noun: str = "event") -> SignalEvent:
    """The same of an object that was read already; `noun`: what an error calls it.

    Raises InputError as well for a feature that the gate could not read.
    """
    if not isinstance(raw, dict):
        raise InputError(f"{noun} must be a JSON object, got {short_repr(raw)}")
    for name in raw:
        if name not in _FIELDS:
            known = f"field must be one of {', '.join(_FIELDS)}, got {short_repr(name)}"
            raise InputError(f"{known}; what else is known of an event belongs into features")
    features = raw.get("features", {})
    if not isinstance(features, dict):
        raise InputError(f"features must be an object, got {short_repr(features)}")
    event = SignalEvent(
        _text(raw, "source"),
        _text(raw, "location"),
        _text(raw, "delta_type"),
        _number(raw, "magnitude", 1.0),
        _moment(_number(raw, "timestamp", now)),
        features,
    )
    check_fields(event)
    return event


def check_fields(event: SignalEvent) -> None:
    """Raise InputError for a field that the gate could not read later, when its sender has gone.

    Without NumPy, which the first post to a busy watch would wait for.
    """
    try:
        _routes().match((event,))
    except TypeError as error:
        raise InputError(str(error)) from None


@cache
def _routes() -> Routes:
    from ..._core import pulse

    return pulse.Routes()


def _text(raw: dict[str, object], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name} must be text that is not blank, got {short_repr(value)}")
    return value


def _number(raw: dict[str, object], name: str, default: float) -> float:
    value = raw.get(name, default)
    known = isinstance(value, int | float) and not isinstance(value, bool)
    if not known or not abs(value) <= 1e300:  # type: ignore[arg-type]
        raise InputError(f"{name} must be a finite number, got {short_repr(value)}")
    return float(value)  # type: ignore[arg-type]


def _moment(seconds: float) -> float:
    if FIRST_MOMENT <= seconds <= LAST_MOMENT:
        return seconds
    hint = " (are these milliseconds?)" if seconds > LAST_MOMENT else ""
    rule = f"Unix seconds within the years 1 to 9999{hint}"
    raise InputError(f"timestamp must be {rule}, got {seconds!r}")


class LineSplitter:
    """Bytes in, whole lines out; a line over LINE_LIMIT is counted, and left out but for its head.

    head: bytes of such a line that come out all the same. skipping: whether what comes first is the
    rest of one.
    """

    def __init__(self, head: int = 0, skipping: bool = False) -> None:
        self._head = head
        self._rest = bytearray()
        self._skipping = skipping
        self.too_long = 0

    @property
    def waiting(self) -> int:
        """Bytes kept of a line whose end has not come."""
        return len(self._rest)

    @property
    def is_skipping(self) -> bool:
        """Whether it stands inside a line that is too long."""
        return self._skipping

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that `data` completes, without their ends, blank ones left out."""
        *whole, rest = data.split(b"\n")
        for piece in whole:
            line = bytes(self._rest) + piece
            self._rest.clear()
            if self._skipping:
                self._skipping = False
                continue
            if len(line) > LINE_LIMIT:
                self.too_long += 1
                line = line[: self._head]
            if line.strip():
                yield line
        if not self._skipping:
            self._rest += rest
            if len(self._rest) > LINE_LIMIT:
                head = bytes(self._rest[: self._head])
                self._rest.clear()
                self._skipping = True
                self.too_long += 1
                if head.strip():
                    yield head

    def end(self) -> Iterator[bytes]:
        """What came after the last line end."""
        yield from self.feed(b"\n")
