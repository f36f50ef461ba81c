"""What counts as a label: how much a window mattered, from 0 to 1."""

from __future__ import annotations

from numbers import Real


def check_label(label: float) -> None:
    """Raise TypeError or ValueError unless `label` is a number from 0 to 1."""
    if not isinstance(label, Real):
        raise TypeError(f"label must be a number from 0 to 1, got {label!r}")
    if not 0.0 <= label <= 1.0:  # False for NaN
        raise ValueError(f"label must be a number from 0 to 1, got {label!r}")
