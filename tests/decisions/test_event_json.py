"""What a decision holds survives the disk exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.decisions.log import Decision, DecisionLog, new_id
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import ActPayload, WakePayload
from prefrontal.types import SignalEvent

from .decision_samples import event, woke

surrogates = st.characters(categories=["Cs"])  # what a file name that is no UTF-8 turns into
texts = st.text(st.characters() | surrogates, max_size=8)
floats = st.floats(width=64)
columns = floats.map(lambda number: number + 0.0)  # SQLite knows one zero
finite = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
events = st.builds(
    SignalEvent, texts, texts, texts, floats, floats, st.dictionaries(texts, plain, max_size=3)
)
records = st.builds(
    Decision,
    id=st.just("new"),
    time=finite,
    subject=texts,
    acted=st.booleans(),
    reason=st.sampled_from(["woke", "busy"]),
    score=columns,
    threshold=columns,
    question=st.none() | texts,
    propensity=st.floats(0.0, 1.0, exclude_min=True),
    window=st.lists(events, max_size=3).map(tuple),
    payload=st.just(WakePayload()),
    why=st.lists(st.tuples(texts, floats), max_size=3).map(tuple),
)


@pytest.fixture(scope="module")
def log() -> Iterator[DecisionLog]:
    with DecisionLog() as log:
        yield log


def exactly(value: object) -> object:
    """The value in a form where equal means: same types, same bits."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value.hex()
    if isinstance(value, SignalEvent):
        fields = (value.source, value.location, value.delta_type, value.magnitude)
        return [exactly(item) for item in (*fields, value.timestamp, value.features)]
    if isinstance(value, dict):
        return [(key, exactly(item)) for key, item in value.items()]
    if isinstance(value, tuple | list):
        return type(value), [exactly(item) for item in value]
    return type(value), value


def fields(record: Decision) -> list[object]:
    return [exactly(getattr(record, name)) for name in Decision.__dataclass_fields__]


@settings(deadline=None, max_examples=300)
@given(record=records)
def test_any_decision_comes_back_the_same_to_the_last_bit(
    log: DecisionLog, record: Decision
) -> None:
    record = replace(record, id=new_id())  # one log for all: an id is taken once
    log.append(record)
    found = log.get(record.id)
    assert found is not None
    assert fields(found) == fields(record)


def kept(log: DecisionLog, features: dict[Any, Any]) -> dict[str, Any]:
    """The features of an event after it was kept."""
    record = woke(window=(event(), SignalEvent("s", "l", "d", 1.0, 2.0, features)))
    log.append(record)
    found = log.get(record.id)
    assert found is not None
    return found.window[1].features


def test_numbers_of_numpy_are_kept_as_numbers(log: DecisionLog) -> None:
    features = {"size": np.int64(3), "share": np.float32(0.5), "zero": np.array(2.5)}
    assert kept(log, features) == {"size": 3, "share": 0.5, "zero": 2.5}


def test_what_json_has_no_word_for_is_kept_as_text(log: DecisionLog) -> None:
    features = {"path": PurePosixPath("/a"), "pair": (1, "b"), ("x", 1): b"c", "set": {1}}
    expected = {"path": "/a", "pair": [1, "b"], "('x', 1)": "b'c'", "set": [1]}
    assert kept(log, {"path": PurePosixPath("/a")}) == {"path": "/a"}
    assert kept(log, {"huge": 10**5000, "large": 10**300}) == {"huge": "<int>", "large": 10**300}
    assert kept(log, features) == expected


def test_features_that_hold_themselves_or_are_very_deep_do_not_lose_the_decision(
    log: DecisionLog,
) -> None:
    loop: dict[str, Any] = {"name": "loop"}
    loop["self"] = loop
    assert kept(log, loop)["self"]["self"]["name"] == "loop"
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert kept(log, {"deep": deep})["deep"][0][0]


def test_a_value_whose_text_cannot_be_made_does_not_lose_the_decision(log: DecisionLog) -> None:
    class Broken:
        def __str__(self) -> str:
            raise OSError("gone")

    assert kept(log, {"broken": Broken()}) == {"broken": "<Broken>"}


def test_a_file_name_that_is_no_utf8_comes_back(log: DecisionLog) -> None:
    name = "/a/caf\udce9\ud83d\ude00.pdf"
    record = woke(window=(event(name),), question=f"Read {name}?", subject=name, why=((name, 1.0),))
    log.append(record)
    assert log.get(record.id) == record


def test_what_is_nested_too_deep_to_be_read_everywhere_is_not_kept_so_deep(
    log: DecisionLog,
) -> None:
    deep: dict[str, Any] = {"end": 1}
    for _ in range(900):  # the writer has room for it, a reader with frames below it has none
        deep = {"in": deep}
    record = woke(
        window=(event(**deep),), payload=ActPayload(value={"deep": deep, "wide": [[1]] * 100})
    )
    log.append(record)

    def read(frames: int) -> Decision | None:
        return read(frames - 1) if frames else log.get(record.id)

    found = read(400)
    assert found is not None
    assert found.window[0].features["in"]["in"]["in"]
    assert to_plain(found.payload)["value"]["wide"] == [[1]] * 100
