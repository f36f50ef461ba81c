"""Code that every composed module contains: it finds, loads and calls the tools."""

from __future__ import annotations

IMPORTS = """\
from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
"""

MACHINERY = """\
def _step(step: str, inputs: dict[str, Any]) -> dict[str, Any]:
    relative, entry, outputs = _STEPS[step]
    tool = f"step {step} ({relative}::{entry})"
    try:
        returned = getattr(_load(relative), entry)(**inputs)
    except Exception as error:
        raise RuntimeError(f"{tool} failed: {type(error).__name__}: {error}") from error
    return {name: _output(tool, returned, key, len(outputs)) for name, key in outputs.items()}


def _output(tool: str, returned: Any, key: str, count: int) -> Any:
    if key == "*":  # everything that was returned
        return returned
    if isinstance(returned, Mapping):
        if key in returned:
            return returned[key]
        keys = sorted(map(str, returned))
        raise RuntimeError(f"{tool} must return the key {key!r}, got {keys}")
    if count == 1:
        return returned
    kind = type(returned).__name__
    raise RuntimeError(f"{tool} must return a mapping with {key!r}, got {kind}")


@functools.cache
def _load(relative: str) -> ModuleType:
    path = _root() / relative
    spec = importlib.util.spec_from_file_location(f"{__name__}:{relative}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def _root() -> Path:
    wanted = [relative for relative, _, _ in _STEPS.values()]
    for folder in Path(__file__).resolve().parents:
        if all((folder / relative).is_file() for relative in wanted):
            return folder
    raise FileNotFoundError(f"no folder above {__file__} holds all of {', '.join(wanted)}")
"""
"""Works anywhere below workflows_root, and after the project was moved."""
