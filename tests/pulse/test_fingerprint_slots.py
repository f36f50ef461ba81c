"""What a fingerprint says about the slots of the feature vector."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint


def with_priors(**priors: dict[str, Any]) -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": "m",
            "cluster": "c",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.5,
            "signal_priors": priors,
        }
    )


def mask(**priors: dict[str, Any]) -> list[float]:
    """The first eleven slots; the reserved ones are checked here."""
    result = with_priors(memory={"watch_namespaces": ["tasks"]}, **priors).slot_relevance_mask()
    assert result.dtype == np.float32
    assert result.shape == (16,)
    assert not result[11:].any()
    return [float(value) for value in result[:11]]


def test_extension_hashes_follow_slot_10_of_the_feature_vector() -> None:
    fingerprint = with_priors(
        filesystem={
            "watch_directories": ["/data"],
            "relevant_extensions": [".pdf", ".docx"],
            "irrelevant_extensions": [".tmp"],
        }
    )
    assert fingerprint.relevant_extension_hashes() == [
        crc32(b".pdf") % 1000 / 1000,
        crc32(b".docx") % 1000 / 1000,
    ]
    assert fingerprint.irrelevant_extension_hashes() == [crc32(b".tmp") % 1000 / 1000]


def test_active_hours_are_encoded_on_a_circle_of_24_hours() -> None:
    encoded = with_priors(time={"active_hours": [6, 18]}).active_hour_range_encoded()
    assert encoded == pytest.approx((1.0, 0.0, -1.0, 0.0), abs=1e-12)


def test_without_priors_there_are_no_hashes_and_no_hours() -> None:
    fingerprint = with_priors()
    assert fingerprint.relevant_extension_hashes() == []
    assert fingerprint.irrelevant_extension_hashes() == []
    assert fingerprint.active_hour_range_encoded() is None


def test_the_mask_without_priors_keeps_magnitude_and_source() -> None:
    assert with_priors().slot_relevance_mask().tolist() == [1, 0.5, 1] + [0] * 13


def test_a_memory_prior_changes_nothing_in_the_mask() -> None:
    assert mask() == [1, 0.5, 1] + [0] * 8


def test_the_mask_opens_file_slots_with_a_filesystem_prior() -> None:
    directory: dict[str, Any] = {"watch_directories": ["/data"]}
    assert mask(filesystem=directory) == [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0.5]
    with_kinds = directory | {"relevant_extensions": [".pdf"]}
    assert mask(filesystem=with_kinds) == [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("hours", "days", "hour_slots", "day_slots"),
    [
        ([0, 23], [0, 1, 2, 3, 4, 5, 6], 0.5, 0.5),
        ([5, 4], [0, 1, 2, 3, 4, 5, 6], 0.5, 0.5),
        ([0, 22], [0], 1, 1),
        ([22, 6], [0, 1, 2, 3, 4, 5, 6], 1, 0.5),
    ],
)
def test_the_mask_opens_time_slots_as_far_as_the_prior_narrows_them(
    hours: list[int], days: list[int], hour_slots: float, day_slots: float
) -> None:
    time = {"active_hours": hours, "active_days": days}
    slots = [hour_slots, hour_slots, day_slots, day_slots]
    assert mask(time=time) == [1, 0.5, 1, *slots, 1, 0, 0, 0]
