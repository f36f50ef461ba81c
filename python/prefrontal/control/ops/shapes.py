"""Checks of operator arguments; errors name the argument."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def expect(name: str, tensor: Tensor, *sizes: int | None, like: Tensor | None = None) -> None:
    """ValueError unless the tensor has these sizes (None: any) and `like`'s dtype and device.

    Under autocast the dtypes may differ: torch casts them.
    """
    shape = tensor.shape
    if len(shape) != len(sizes) or any(
        size is not None and size != actual for size, actual in zip(sizes, shape, strict=True)
    ):
        expected = ", ".join("any" if size is None else str(size) for size in sizes)
        raise ValueError(f"{name} must have shape [{expected}], got {list(shape)}")
    if not tensor.is_floating_point():
        raise ValueError(f"{name} must have a floating dtype, got {tensor.dtype}")
    if like is None:
        return
    if tensor.dtype != like.dtype and not torch.is_autocast_enabled(tensor.device.type):
        raise ValueError(f"{name} must have dtype {like.dtype}, got {tensor.dtype}")
    if tensor.device != like.device:
        raise ValueError(f"{name} must be on {like.device}, got {tensor.device}")


def expect_count(name: str, tensors: Sequence[Tensor], parts: Sequence[str]) -> None:
    """ValueError unless there is a tensor for each of the named parts."""
    if len(tensors) != len(parts):
        raise ValueError(f"{name} must be {', '.join(parts)}, got {len(tensors)} tensors")
