"""The agent's own memory as a signal: what is written to it is an event."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from threading import RLock
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError
from ...types import SignalEvent

if TYPE_CHECKING:
    from .running import Push

KEYS_KEPT = 100_000
"""Keys whose last value is known by its hash; the one written longest ago goes first."""


class MemoryStore:
    """Turns writes into events; the values themselves are not kept, only their hashes.

    An event has the namespace as its location and the features namespace, key, value_length
    (characters of text, bytes, or characters of the value as JSON), value_hash (16 hex digits of
    SHA-256) and previous_hash ("" when there was none). Nothing is pushed before `start` and after
    `stop`, but what is written then is remembered all the same.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = SystemClock() if clock is None else clock
        self._lock = RLock()
        self._hashes: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._push: Push | None = None
        self._pushed = self._refused = 0

    def start(self, push: Push) -> None:
        with self._lock:
            if self._push is None:
                self._push = push

    def stop(self, timeout_s: float = 5.0) -> None:
        with self._lock:
            self._push = None

    def status(self) -> dict[str, object]:
        """running, keys known, events pushed, and those for which there was no room."""
        with self._lock:
            keys, pushed = len(self._hashes), self._pushed
            status: dict[str, object] = {"running": self._push is not None, "keys": keys}
            return status | {"events": pushed, "refused": self._refused}

    def write(self, namespace: str, key: str, value: object) -> SignalEvent | None:
        """Say that `key` now holds `value`: text, bytes, or whatever JSON can hold.

        The event, "created" or "modified", or None when the value is the one that was there.
        Raises InputError for an empty name and TypeError for a value that JSON cannot hold.
        """
        _check_name("namespace", namespace)
        _check_name("key", key)
        length, digest = _measure(value)
        with self._lock:
            previous = self._hashes.pop((namespace, key), "")
            self._hashes[(namespace, key)] = digest
            if len(self._hashes) > KEYS_KEPT:
                self._hashes.popitem(last=False)
            if previous == digest:
                return None
        delta = "modified" if previous else "created"
        return self._announce(namespace, key, delta, length, digest, previous)

    def delete(self, namespace: str, key: str) -> SignalEvent | None:
        """Say that `key` is gone: a "deleted" event, or None when it was not there."""
        with self._lock:
            previous = self._hashes.pop((namespace, key), "")
        if not previous:
            return None
        return self._announce(namespace, key, "deleted", 0, "", previous)

    def _announce(
        self, namespace: str, key: str, delta: str, length: int, digest: str, previous: str
    ) -> SignalEvent:
        features = {
            "namespace": namespace,
            "key": key,
            "value_length": length,
            "value_hash": digest,
            "previous_hash": previous,
        }
        event = SignalEvent("memory", namespace, delta, 1.0, self._clock.now(), features)
        with self._lock:
            push = self._push
        if push is not None:
            is_lost = push(event) is False
            with self._lock:
                self._refused += is_lost
                self._pushed += not is_lost
        return event


def _check_name(field: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{field} must be text, got {value!r}")
    if not value.strip():
        raise InputError(f"{field} must not be blank, got {value!r}")


def _measure(value: object) -> tuple[int, str]:
    """Length of the value and its hash."""
    if isinstance(value, bytes | bytearray | memoryview):
        raw, length, kind = bytes(value), len(bytes(value)), b"b"
    elif isinstance(value, str):
        raw, length, kind = value.encode("utf-8", "surrogatepass"), len(value), b"s"
    else:
        try:
            text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            rule = f"value must be text, bytes or something JSON can hold ({error})"
            raise TypeError(f"{rule}, got {type(value).__name__}") from None
        raw, length, kind = text.encode(), len(text), b"j"
    return length, hashlib.sha256(kind + raw).hexdigest()[:16]
