"""The signal's own page: what an event is and how long its feature vector is."""

from __future__ import annotations

from ..types import FEATURE_DIM, SignalEvent

__all__ = ["FEATURE_DIM", "SignalEvent"]
