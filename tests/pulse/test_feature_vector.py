"""The 16 slots against a plain reference, and what happens to odd fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core import pulse as core
from prefrontal.types import FEATURE_DIM, SignalEvent

from .plain_vector import CLOCK, DELTAS, SIZE, SOURCES, assert_as_reference, reference


def file(**features: Any) -> SignalEvent:
    return SignalEvent("filesystem", "/data/a.pdf", "created", 1.0, 1.7e9, features)


def clock(**features: Any) -> SignalEvent:
    return SignalEvent("time", "tick", "tick", 1.0, 1.7e9, features)


def test_the_vector_is_16_writable_floats_made_anew_for_each_call() -> None:
    event = file(extension=".pdf")
    first, second = event.to_feature_vector(), event.to_feature_vector()
    assert first.dtype == np.float32
    assert first.shape == (FEATURE_DIM,) == (core.FEATURE_DIM,) == (16,)
    first[:] = 7
    assert np.array_equal(second, reference(event))
    assert np.array_equal(event.to_feature_vector(), reference(event))


@pytest.mark.parametrize("source", [*SOURCES, "Filesystem", "clipboard", ""])
@pytest.mark.parametrize("delta_type", [*DELTAS, "moved", "CREATED", ""])
def test_every_source_and_delta_has_its_code_and_unknown_ones_have_zero(
    source: str, delta_type: str
) -> None:
    features: dict[str, Any] = dict.fromkeys(CLOCK, 0.5)
    features |= {"size_bytes": 9, "directory_depth": 3, "extension": ".pdf"}
    event = SignalEvent(source, "x", delta_type, 0.25, 0.0, features)
    assert_as_reference(event)
    vector = event.to_feature_vector()
    assert vector[1] == np.float32(DELTAS.get(delta_type, 0.0))
    assert vector[2] == np.float32(SOURCES.get(source, 0.0))
    assert np.any(vector[3:8]) == (source == "time")
    assert np.any(vector[8:11]) == (source == "filesystem")


@pytest.mark.parametrize(
    ("size_bytes", "slot"),
    [(0, 0.0), (-5, 0.0), (float("nan"), 0.0), (2**30, 1.0), (2**31, 1.0), (float("inf"), 1.0)],
)
def test_size_is_zero_without_bytes_and_capped_at_a_gibibyte(
    size_bytes: float, slot: float
) -> None:
    assert file(size_bytes=size_bytes).to_feature_vector()[SIZE] == slot


@pytest.mark.parametrize("size_bytes", [1, 2, 17, 1_000, 123_456, 2**20, 2**30 - 1, 0.5])
def test_size_between_is_the_reference_within_an_ulp(size_bytes: float) -> None:
    event = file(size_bytes=size_bytes)
    assert_as_reference(event)
    assert 0 < event.to_feature_vector()[SIZE] <= 1


@pytest.mark.parametrize(("depth", "slot"), [(0, 0), (4, 0.4), (10, 1), (99, 1), (-7, -0.7)])
def test_depth_is_capped_above_only(depth: int, slot: float) -> None:
    assert file(directory_depth=depth).to_feature_vector()[9] == np.float32(slot)


@pytest.mark.parametrize(
    "suffix", ["", ".pdf", ".PDF", ".txt", ".log", ".gz", ".été", ".文", ".🎓"]
)
def test_the_extension_is_hashed_as_given(suffix: str) -> None:
    event = file(extension=suffix)
    assert_as_reference(event)
    assert (event.to_feature_vector()[10] == 0) == (suffix == "")


def test_the_known_collision_of_the_hash_is_still_there() -> None:
    for suffix in (".txt", ".log"):
        assert file(extension=suffix).to_feature_vector()[10] == np.float32(0.702)


@pytest.mark.parametrize("magnitude", [float("nan"), float("inf"), -3.0, 1e300, 10**400])
def test_a_magnitude_passes_through_unclamped(magnitude: float) -> None:
    event = SignalEvent("network", "https://x", "modified", magnitude, 0.0)
    with np.errstate(over="ignore"):
        expected = np.float32(float("inf") if magnitude > 1e300 else magnitude)
    assert np.array_equal(event.to_feature_vector()[0], expected, equal_nan=True)
    assert not np.any(event.to_feature_vector()[3:])


def test_the_minutes_are_not_normalised() -> None:
    vector = clock(minutes_since_last_activation=10_000.5, hour_sin=-1.0).to_feature_vector()
    assert vector[7] == np.float32(10_000.5)
    assert vector[3] == -1.0


def test_numbers_of_other_kinds_are_read_as_numbers() -> None:
    event = file(size_bytes=np.int64(1000), directory_depth=np.float32(2))
    assert np.array_equal(
        event.to_feature_vector(), file(size_bytes=1000, directory_depth=2).to_feature_vector()
    )


def test_half_a_surrogate_pair_is_read_as_its_bytes() -> None:
    event = file(extension=".\udcff")
    event.location = "/data/\udcff.\udcff"
    assert_as_reference(event)


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("source", None, "event.source must be a str, got None"),
        ("location", b"/data", "event.location must be a str, got b'/data'"),
        ("delta_type", 1, "event.delta_type must be a str, got 1"),
        ("magnitude", "1.0", "event.magnitude must be a number, got '1.0'"),
        ("magnitude", None, "event.magnitude must be a number, got None"),
        ("timestamp", b"0", "event.timestamp must be a number, got b'0'"),
        ("features", None, "event.features must be a dict, got None"),
        ("features", [("a", 1)], r"event.features must be a dict, got \[\('a', 1\)\]"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(field: str, value: Any, complaint: str) -> None:
    event = file()
    setattr(event, field, value)
    with pytest.raises(TypeError, match=f"^{complaint}$"):
        event.to_feature_vector()


@pytest.mark.parametrize("name", ["extension", "actor", "text"])
def test_a_feature_that_must_be_text_is_named(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^event.features\['{name}'\] must be a str, got None$"):
        file(**{name: None}).to_feature_vector()


@pytest.mark.parametrize("name", [*CLOCK, "size_bytes", "directory_depth"])
@pytest.mark.parametrize("value", ["12", None, [1]])
def test_a_feature_that_must_be_a_number_is_named(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^event.features\['{name}'\] must be a number, got "):
        file(**{name: value}).to_feature_vector()


def test_a_long_value_is_cut_between_two_characters() -> None:
    event = file()
    event.source = ["é" * 200]  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"^event.source must be a str, got \['é{57}\.\.\.$"):
        event.to_feature_vector()


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^event must be a SignalEvent, got 5$"):
        core.feature_vector(5)  # type: ignore[arg-type]


def test_fields_made_on_the_fly_outlive_their_reading() -> None:
    class Fleeting:
        """Each text is made anew, as long as the one before it, so that it takes its place."""

        magnitude = timestamp = 1.0
        source = property(lambda self: "file" + "system"[: self.whole])
        location = property(lambda self: "/data" + "/a.pdf"[: self.whole - 1])
        delta_type = property(lambda self: "crea" + "ted"[: self.whole])
        features = property(lambda self: {"extension": ".pd" + "f"[: self.whole]})
        whole = 6

    vector = core.feature_vector(Fleeting())  # type: ignore[arg-type]
    assert np.array_equal(vector, reference(file(extension=".pdf")))


finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
words = st.text(st.characters(exclude_categories=()), max_size=8)
events = st.builds(
    SignalEvent,
    source=st.sampled_from(list(SOURCES)) | words,
    location=words,
    delta_type=st.sampled_from(list(DELTAS)) | words,
    magnitude=finite,
    timestamp=finite,
    features=st.fixed_dictionaries(
        {},
        optional=dict.fromkeys([*CLOCK, "size_bytes", "directory_depth"], finite)
        | dict.fromkeys(["value_length", "status_code"], st.integers(-9, 10**9) | st.none())
        | dict.fromkeys(["content_hash", "previous_hash"], st.sampled_from(["", "a", "b", None]))
        | dict.fromkeys(["key", "namespace", "endpoint"], words | st.none())
        | {"extension": words, "actor": words, "path": words, "anything": words | finite},
    ),
)


@given(events)
@settings(deadline=None, max_examples=300)
def test_any_finite_event_gives_finite_slots_in_their_ranges(event: SignalEvent) -> None:
    assert_as_reference(event)
    vector = event.to_feature_vector()
    assert np.isfinite(vector).all()
    assert ((vector[[1, 2, 8, 11, 14]] >= 0) & (vector[[1, 2, 8, 11, 14]] <= 1)).all()
    assert vector[9] <= 1
    hashes = vector[[10, 12, 15]]
    assert ((hashes >= 0) & (hashes <= np.float32(0.999))).all()
