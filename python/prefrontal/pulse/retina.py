"""The published path of `prefrontal.compat.retina`."""

from ..compat.retina import FEATURE_DIM, Retina, SignalEvent

__all__ = ["FEATURE_DIM", "Retina", "SignalEvent"]
