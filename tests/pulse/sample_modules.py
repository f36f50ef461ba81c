"""A module that waits for homework, and the signals it may see."""

from __future__ import annotations

import math
from typing import Any

from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.types import SignalEvent

MONDAY_EVENING = 1_704_137_400.0
"""2024-01-01 19:30 UTC."""

DOWNLOADS = "/home/user/Downloads"
FILES = {
    "watch_directories": [DOWNLOADS],
    "relevant_extensions": [".pdf"],
    "irrelevant_extensions": [".tmp"],
}
EVENINGS = {"active_hours": [18, 22], "active_days": [0, 1, 2, 3, 4]}


def fingerprint(threshold: float = 0.65, **priors: Any) -> ModuleFingerprint:
    """`fingerprint(filesystem=FILES, time=EVENINGS)`; without priors it declares nothing."""
    return parse_fingerprint(
        {
            "module_id": "homework",
            "cluster": "study",
            "version": "1",
            "question_template": "Is {location} homework?",
            "default_threshold": threshold,
            "signal_priors": priors,
        }
    )


def file(
    location: str = f"{DOWNLOADS}/hw3.pdf",
    time: float = MONDAY_EVENING,
    delta_type: str = "created",
    **features: Any,
) -> SignalEvent:
    return SignalEvent("filesystem", location, delta_type, 1.0, time, features)


def tick(time: float = MONDAY_EVENING, minutes: float = 1.0) -> SignalEvent:
    """What a clock sends every minute; the time is read in UTC."""
    hour = 2 * math.pi * (time // 3600 % 24) / 24
    day = 2 * math.pi * ((time // 86400 + 3) % 7) / 7
    features = {
        "hour_sin": math.sin(hour),
        "hour_cos": math.cos(hour),
        "dow_sin": math.sin(day),
        "dow_cos": math.cos(day),
        "minutes_since_last_activation": minutes,
    }
    return SignalEvent("time", "tick", "tick", 1.0, time, features)
