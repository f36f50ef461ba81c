"""From a prompt to a validated, promoted tool: a deterministic, explained choice."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decide import decide
    from .index import RankedTool, ToolIndex
    from .layout import Layout
    from .route import Mode, Operator, Route
    from .router import Router
    from .types import ArgSpec, ParsedIntent, RouteDecision, ToolSpec, ValidationReport

_MODULES = {
    "ArgSpec": "types",
    "Layout": "layout",
    "Mode": "route",
    "Operator": "route",
    "ParsedIntent": "types",
    "RankedTool": "index",
    "Route": "route",
    "RouteDecision": "types",
    "Router": "router",
    "ToolIndex": "index",
    "ToolSpec": "types",
    "ValidationReport": "types",
    "decide": "decide",
}

__all__ = [
    "ArgSpec",
    "Layout",
    "Mode",
    "Operator",
    "ParsedIntent",
    "RankedTool",
    "Route",
    "RouteDecision",
    "Router",
    "ToolIndex",
    "ToolSpec",
    "ValidationReport",
    "decide",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
