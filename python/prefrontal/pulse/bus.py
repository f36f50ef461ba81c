"""The published path of `prefrontal.compat.bus`."""

from ..compat.bus import SignalBus

__all__ = ["SignalBus"]
