"""The published path of `prefrontal.compat.training`."""

from ..compat.training import ActivationRecord, TrainingBuffer

__all__ = ["ActivationRecord", "TrainingBuffer"]
