"""The published path of `prefrontal.compat.registry`."""

from ..compat.registry import PulseRegistry

__all__ = ["PulseRegistry"]
