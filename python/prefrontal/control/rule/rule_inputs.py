"""Validates and normalises the inputs of a LateralPFCAnalog."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["check_finite", "check_summaries", "latent_rows", "share"]


def share(name: str, value: float | Tensor, rules: Tensor, many: int | None) -> float | Tensor:
    """A gate or an override, clipped to 0..1: a number, or a column [N, 1] for [N] values.

    rules: [N, R]; many: the number of environments, or None. Raises TypeError for no number,
    ValueError for NaN and for another shape.
    """
    if isinstance(value, Tensor) and value.dim() > 0:
        if many is None or value.shape != rules.shape[:1]:
            allowed = "()" if many is None else f"() or ({many},)"
            raise ValueError(f"{name} must have shape {allowed}, got {tuple(value.shape)}")
        if _has_numbers(value) and bool(value.isnan().any()):
            raise ValueError(f"{name} must be a number, got nan")
        return value.detach().to(rules).clamp(0, 1)[:, None]
    if isinstance(value, bool) or not isinstance(value, Tensor | int | float):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if math.isnan(number):
        raise ValueError(f"{name} must be a number, got nan")
    return min(max(number, 0.0), 1.0)


def latent_rows(name: str, latent: Tensor, width: int, many: int | None) -> Tensor:
    """[B, width], B at least 1, or exactly [N, width] with environments. Raises ValueError."""
    rows = latent[None] if latent.dim() == 1 and many is None else latent
    if rows.dim() != 2 or rows.shape[1] != width or len(rows) != (many or len(rows) or 1):
        expected = f"({many}, {width})" if many else f"({width},) or (1 or more, {width})"
        raise ValueError(f"{name} must have shape {expected}, got {tuple(latent.shape)}")
    return rows


def check_summaries(summaries: Tensor, width: int, many: int | None) -> None:
    """Raises ValueError unless they are [K, width], or [N, K, width] with environments."""
    shape = tuple(summaries.shape)
    expected = (*shape[-2:-1], width)
    if len(expected) != 2 or shape != (expected if many is None else (many, *expected)):
        wanted = f"(K, {width})" if many is None else f"({many}, K, {width})"
        raise ValueError(f"summaries must have shape {wanted}, got {shape}")


def check_finite(rule: Tensor) -> None:
    """Raises ValueError for a rule with NaN or infinity, unless it has no data."""
    if _has_numbers(rule) and not bool(rule.isfinite().all()):
        raise ValueError("rule must be finite, got NaN or infinity")


def _has_numbers(tensor: Tensor) -> bool:
    """False while compiling, on meta, for a fake tensor, or under a transform."""
    compiling = torch.compiler.is_compiling()
    return not (compiling or tensor.is_meta) and type(tensor) in (Tensor, nn.Parameter)
