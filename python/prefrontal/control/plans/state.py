"""A PlanSelector's state, as a dictionary and as a file.

A file is read without running anything it holds.
"""

from __future__ import annotations

import dataclasses
import pickle
import struct
from collections.abc import Mapping
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from ...storage.files import write_atomic
from .config import PlanSelectionConfig

if TYPE_CHECKING:
    from .selection import PlanSelector

FORMAT = 1
_WRONG = (ValueError, TypeError, LookupError, AttributeError, RuntimeError)
_UNREADABLE = (*_WRONG, pickle.UnpicklingError, struct.error, EOFError, ArithmeticError)


def state_of(selector: PlanSelector) -> dict[str, Any]:
    """What `fill` takes: copies of tensors, numbers and text."""
    memory = selector.network.cue.context_memory
    learning = selector.learning
    held = {
        "format": FORMAT,
        "config": dataclasses.asdict(selector.config),
        "seed": selector.seed,
        "network": dict(selector.network.state_dict()),
        "experience": dict(selector.experience.state_dict()),
        "optimizers": [learning.optimizer.state_dict(), learning.rule.optimizer.state_dict()],
        "generator": selector.generator.get_state(),
        "slot_writes": [memory.slot_write_counts, list(memory.recent_writes)],
        "consolidated": selector.consolidated,
    }
    copied: dict[str, Any] = _copied(held)
    return copied


def fill(selector: PlanSelector, state: Mapping[str, Any]) -> None:
    """Give a fresh selector the state. Raises ValueError for what is none of it, or of another
    form or configuration; the selector is of no use then."""
    found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
    if found != FORMAT:
        raise ValueError(f"state must be of format {FORMAT}, got {found!r}")
    mine = dataclasses.asdict(selector.config)
    if state.get("config") != mine:
        theirs = state.get("config")
        raise ValueError(f"state must be of the configuration {mine!r}, got {theirs!r}")
    try:
        _fill(selector, _copied(state))
    except _WRONG as error:
        raise ValueError(f"state must be that of a PlanSelector, got {error}") from error


def save(selector: PlanSelector, path: str | PathLike[str]) -> None:
    """Write the state whole or not at all. Raises SourceError where it cannot be written."""
    content = BytesIO()
    torch.save(selector.state_dict(), content)
    write_atomic(path, content.getvalue())


def load(path: str | PathLike[str]) -> PlanSelector:
    """The selector of a file, in external_task.

    Raises ValueError for a file that holds none, FileNotFoundError where there is none.
    """
    from .selection import PlanSelector

    try:
        state = torch.load(Path(path), weights_only=True, map_location="cpu")
        selector = PlanSelector(PlanSelectionConfig(**state["config"]), state["seed"])
    except _UNREADABLE as error:
        raise ValueError(f"path must hold a PlanSelector, got {str(path)!r}") from error
    fill(selector, state)
    return selector


def _fill(selector: PlanSelector, state: Mapping[str, Any]) -> None:
    memory, learning = selector.network.cue.context_memory, selector.learning
    selector.network.load_state_dict(state["network"])
    selector.experience.load_state_dict(state["experience"])
    mine, rules = state["optimizers"]
    learning.optimizer.load_state_dict(mine)
    learning.rule.optimizer.load_state_dict(rules)
    selector.generator.set_state(state["generator"])
    counts, recent = state["slot_writes"]
    memory.slot_write_counts.copy_(counts)
    memory.recent_writes = [int(it) for it in recent]
    selector.seed, selector.consolidated = int(state["seed"]), int(state["consolidated"])


def _copied(held: Any) -> Any:
    if isinstance(held, torch.Tensor):
        return held.detach().clone()
    if isinstance(held, Mapping):
        return {key: _copied(value) for key, value in held.items()}
    return [_copied(it) for it in held] if isinstance(held, list) else held
