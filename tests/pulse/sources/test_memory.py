from __future__ import annotations

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.memory import KEYS_KEPT, MemoryStore
from prefrontal.testing import ManualClock

from .receiver import Receiver


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def store(receiver: Receiver) -> MemoryStore:
    made = MemoryStore(ManualClock())
    made.start(receiver)
    return made


def test_a_write_is_an_event_with_real_features(store: MemoryStore, receiver: Receiver) -> None:
    assert store.write("goals", "today", "finish the report") is not None
    [event] = receiver.rest()
    assert (event.source, event.location, event.delta_type) == ("memory", "goals", "created")
    assert event.timestamp == ManualClock().now()
    first = event.features.pop("value_hash")
    assert len(first) == 16
    assert event.features == {
        "namespace": "goals",
        "key": "today",
        "value_length": 17,
        "previous_hash": "",
    }
    store.write("goals", "today", b"\xff")
    [event] = receiver.rest()
    assert event.delta_type == "modified"
    assert event.features["previous_hash"] == first
    assert event.features["value_length"] == 1


@pytest.mark.parametrize("value", ["é\udcff", b"x", {"b": [1, None], "a": 2.5}, 0, None, ""])
def test_the_same_value_again_is_no_event(
    store: MemoryStore, receiver: Receiver, value: object
) -> None:
    assert store.write("n", "k", value) is not None
    assert store.write("n", "k", value) is None
    assert store.write("n", "other", value) is not None
    assert len(receiver.rest()) == 2


def test_text_bytes_and_numbers_that_look_alike_are_different_values(store: MemoryStore) -> None:
    for value in ("1", b"1", 1, "1"):
        assert store.write("n", "k", value) is not None


def test_deleting_is_an_event_once(store: MemoryStore, receiver: Receiver) -> None:
    store.write("n", "k", 1)
    assert store.delete("n", "k") is not None
    assert store.delete("n", "k") is None
    assert [event.delta_type for event in receiver.rest()] == ["created", "deleted"]


def test_nothing_is_pushed_before_the_start_and_after_the_stop(receiver: Receiver) -> None:
    store = MemoryStore()
    store.write("n", "a", 1)
    store.start(receiver)
    store.write("n", "a", 1)
    store.write("n", "b", 1)
    store.stop()
    store.stop()
    store.write("n", "c", 1)
    assert [event.features["key"] for event in receiver.rest()] == ["b"]
    assert store.status() == {"running": False, "keys": 3, "events": 1, "refused": 0}


def test_a_bad_name_or_value_is_refused_by_name(store: MemoryStore) -> None:
    with pytest.raises(InputError, match="namespace must not be blank, got ' '"):
        store.write(" ", "k", 1)
    with pytest.raises(TypeError, match="key must be text, got 3"):
        store.write("n", 3, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="value must be text, bytes or something JSON can hold"):
        store.write("n", "k", object())
    assert store.status()["keys"] == 0


@pytest.mark.exhaustive
def test_the_number_of_keys_remembered_is_bounded(store: MemoryStore) -> None:
    for number in range(KEYS_KEPT + 5):
        store.write("n", str(number), "")
    assert store.status()["keys"] == KEYS_KEPT
    assert store.write("n", str(KEYS_KEPT), "") is None
