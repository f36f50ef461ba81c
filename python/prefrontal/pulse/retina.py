"""Only the event's name for now: published examples import `SignalEvent` from `pulse.retina`."""

from __future__ import annotations

from ..types import FEATURE_DIM, SignalEvent

__all__ = ["FEATURE_DIM", "SignalEvent"]
