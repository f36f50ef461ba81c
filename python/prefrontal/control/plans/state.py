"""Saves and loads a PlanSelector's state; loading runs nothing from the file."""

from __future__ import annotations

import pickle
import struct
from io import BytesIO
from os import PathLike
from pathlib import Path

import torch

from ...storage.files import write_atomic
from .config import PlanSelectionConfig
from .selection import MISFITS, PlanSelector

_UNREADABLE = (*MISFITS, pickle.UnpicklingError, struct.error, EOFError, ArithmeticError)


def save(selector: PlanSelector, path: str | PathLike[str]) -> None:
    """Save the state atomically. Raises SourceError when that fails."""
    content = BytesIO()
    torch.save(selector.state_dict(), content)
    write_atomic(path, content.getvalue())


def load(path: str | PathLike[str]) -> PlanSelector:
    """The selector of a file, in external_task.

    Raises ValueError for a file that holds none, FileNotFoundError where there is none.
    """
    try:
        state = torch.load(Path(path), weights_only=True, map_location="cpu")
        selector = PlanSelector(PlanSelectionConfig(**state["config"]), state["seed"])
    except _UNREADABLE as error:
        raise ValueError(f"path must hold a PlanSelector, got {str(path)!r}") from error
    selector.load_state_dict(state)
    return selector
