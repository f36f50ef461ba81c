"""What one entry of a stream holds: an event of ours, or a CloudEvent."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ....errors import InputError
from ..event_lines import event_from_object
from ..posts.cloud_events import STRUCTURED, cloud_events

if TYPE_CHECKING:
    from ....types import SignalEvent

log = logging.getLogger("prefrontal.pulse")


class StreamEvents:
    """Reads entries as JSON; counts those that are none, and says so once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.unreadable = 0

    def read(self, entries: Iterable[bytes | None], now: float) -> list[SignalEvent]:
        """The events, in order. None: an entry without one. now: for those without a time."""
        events = []
        for entry in entries:
            try:
                events.append(stream_event(entry, now))
            except InputError as error:
                if not self.unreadable:
                    log.warning("%s: an entry is left out: %s", self._name, error)
                self.unreadable += 1
        return events


def stream_event(entry: bytes | None, now: float) -> SignalEvent:
    """`{"source": "mail", "location": "inbox", "delta_type": "created"}`, as on the socket, or a
    CloudEvent in JSON. Raises InputError naming the field.
    """
    if entry is None:
        raise InputError("entry must have a field named event, got none")
    try:
        document = json.loads(entry)
    except (ValueError, RecursionError) as error:
        raise InputError(f"entry must be a JSON object ({error}), got {entry[:80]!r}") from None
    if isinstance(document, dict) and "specversion" in document:
        [(_, event)] = cloud_events(STRUCTURED, {}, entry, now)
        return event
    return event_from_object(document, now, "entry")
