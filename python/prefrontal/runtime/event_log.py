"""The numbered events of one agent: keeps the newest and notifies listeners."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..redaction import redact

if TYPE_CHECKING:
    from ..clock import Clock

CAPACITY = 10_000
SHORTEST_SECRET = 9
"""Characters of the shortest text that `redact` changes: "ab://x:y@"."""
Envelope = dict[str, Any]
Listener = Callable[[Envelope], object]


class EventLog:
    """The newest `capacity` envelopes of one agent."""

    def __init__(self, agent_id: str, clock: Clock, capacity: int = CAPACITY) -> None:
        self._agent_id = agent_id
        self._clock = clock
        self._sequence = 0
        self._kept: deque[Envelope] = deque(maxlen=capacity)
        self._listeners: list[Listener] = []

    @property
    def kept(self) -> list[Envelope]:
        """The stored envelopes, oldest first."""
        return list(self._kept)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new envelope; returns a function that ends the subscription."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def add(
        self, kind: str, payload: Mapping[str, Any], correlation_id: str | None
    ) -> list[Exception]:
        """Store an envelope with a redacted copy of the payload; returns what listeners raised."""
        self._sequence += 1
        envelope: Envelope = {
            "type": kind,
            "timestamp": self._clock.now(),
            "agent_id": self._agent_id,
            "sequence": self._sequence,
            "correlation_id": correlation_id,
            "payload": redacted(dict(payload)),
        }
        self._kept.append(envelope)
        errors: list[Exception] = []
        for listener in tuple(self._listeners):
            try:
                listener(envelope)
            except Exception as error:  # noqa: BLE001 - one listener must not cost the others
                errors.append(error)
        return errors


@lru_cache(maxsize=1024, typed=True)
def _redacted_key(key: Any) -> Any:
    """Cached, since the same few keys recur."""
    return redacted(key)


def redacted(value: Any) -> Any:
    """A copy of plain values (dicts, lists, tuples, texts) without apparent secrets."""
    if isinstance(value, str):
        return redact(value) if len(value) >= SHORTEST_SECRET else value
    if isinstance(value, Mapping):
        return {_redacted_key(key): redacted(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(inner) for inner in value]
    return value
