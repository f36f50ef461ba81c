"""The 16 slots in plain NumPy."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from prefrontal.types import SignalEvent

DELTAS = {"created": 1.0, "tick": 0.75, "modified": 0.5, "deleted": 0.0}
SOURCES = {"filesystem": 1.0, "time": 0.5, "memory": 0.25, "network": 0.0}
CLOCK = ("hour_sin", "hour_cos", "dow_sin", "dow_cos", "minutes_since_last_activation")
LOGARITHMS = [8, 11]  # they may differ by an ulp from one library to the next
EXACT = [slot for slot in range(16) if slot not in LOGARITHMS]
SIZE = 8


def reference(event: SignalEvent) -> NDArray[np.float32]:
    given, slots = event.features, np.zeros(16)
    slots[:3] = event.magnitude, DELTAS.get(event.delta_type, 0), SOURCES.get(event.source, 0)
    if event.source == "time":
        slots[3:8] = [given.get(name, 0) for name in CLOCK]
    if event.source == "filesystem":
        slots[8] = min(1, np.log1p(max(0, given.get("size_bytes", 0))) / np.log1p(2**30))
        slots[9] = min(1, given.get("directory_depth", 0) / 10)
        slots[10] = hashed(given.get("extension"))
    if event.source == "memory":
        slots[11] = min(1, np.log1p(max(0, given.get("value_length") or 0)) / np.log1p(2**20))
        slots[12], slots[15] = hashed(given.get("key")), hashed(given.get("namespace"))
    if event.source == "network":
        slots[13] = (given.get("status_code") or 0) / 600
        now, before = given.get("content_hash"), given.get("previous_hash")
        slots[14] = bool(now) and bool(before) and now != before
        slots[15] = hashed(given.get("endpoint"))
    with np.errstate(over="ignore"):
        return slots.astype(np.float32)


def hashed(text: str | None) -> float:
    encoded = (text or "").encode("utf-8", "surrogatepass")
    return crc32(encoded) % 1000 / 1000 if encoded else 0.0


def assert_as_reference(event: SignalEvent) -> None:
    vector, expected = event.to_feature_vector(), reference(event)
    assert np.array_equal(vector[EXACT], expected[EXACT], equal_nan=True)
    for slot in LOGARITHMS:
        assert abs(vector[slot] - expected[slot]) <= np.spacing(expected[slot])
