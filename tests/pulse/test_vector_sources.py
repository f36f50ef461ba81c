"""What memory and network events put into the vector, and what other sources do not."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

from prefrontal.types import SignalEvent

from .plain_vector import assert_as_reference


def memory(**features: Any) -> SignalEvent:
    return SignalEvent("memory", "notes", "modified", 1.0, 1.7e9, features)


def network(**features: Any) -> SignalEvent:
    return SignalEvent("network", "https://x", "modified", 1.0, 1.7e9, features)


@pytest.mark.parametrize("value_length", [-3, 0, 1, 17, 1_000, 2**20, 2**21, None])
def test_memory_tells_its_size_key_and_namespace(value_length: float | None) -> None:
    event = memory(namespace="notes/été", key="k" * 200, value_length=value_length)
    assert_as_reference(event)
    vector = event.to_feature_vector()
    assert vector[15] == np.float32(crc32("notes/été".encode()) % 1000 / 1000)
    assert not vector[3:11].any() and not vector[13:15].any()
    assert (vector[11] == 1) == (value_length is not None and value_length >= 2**20)
    assert not memory(namespace="", key=None).to_feature_vector()[3:].any()


@pytest.mark.parametrize(
    ("hashes", "changed"),
    [
        ({"content_hash": "a", "previous_hash": "b"}, 1),
        ({"content_hash": "a", "previous_hash": "a"}, 0),
        ({"content_hash": "a", "previous_hash": None}, 0),
        ({"content_hash": "a"}, 0),
        ({"previous_hash": "a"}, 0),
        ({"content_hash": "", "previous_hash": "a"}, 0),
    ],
)
def test_the_network_tells_its_status_endpoint_and_whether_the_answer_changed(
    hashes: dict[str, str | None], changed: float
) -> None:
    event = network(endpoint="https://x/feed", status_code=503, **hashes)
    assert_as_reference(event)
    vector = event.to_feature_vector()
    assert vector[13] == np.float32(503 / 600)
    assert vector[14] == changed
    assert not vector[3:13].any()


def test_other_sources_may_use_the_same_words_for_anything() -> None:
    features = {"key": 5, "namespace": [], "status_code": "good", "value_length": "long"}
    event = SignalEvent("clipboard", "x", "modified", 1.0, 0.0, features)
    assert not event.to_feature_vector()[3:].any()


@pytest.mark.parametrize(
    ("source", "name", "rule"),
    [
        ("memory", "namespace", "a str"),
        ("memory", "key", "a str"),
        ("memory", "value_length", "a number"),
        ("network", "endpoint", "a str"),
        ("network", "status_code", "a number"),
        ("network", "content_hash", "a str"),
        ("network", "previous_hash", "a str"),
    ],
)
def test_a_feature_of_memory_or_network_of_the_wrong_type_is_named(
    source: str, name: str, rule: str
) -> None:
    event = SignalEvent(source, "x", "modified", 1.0, 0.0, {name: [1]})
    complaint = rf"^event.features\['{name}'\] must be {rule}, got \[1\]$"
    with pytest.raises(TypeError, match=complaint):
        event.to_feature_vector()
