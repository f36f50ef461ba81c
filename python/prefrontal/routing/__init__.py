"""From a prompt to a validated, promoted tool: a deterministic, explained choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .decide import decide
    from .index import RankedTool, ToolIndex
    from .layout import Layout
    from .route import Mode, Operator, Route
    from .router import Router
    from .types import ArgSpec, ParsedIntent, RouteDecision, ToolSpec, ValidationReport

_MODULES = {
    "ArgSpec": ".types",
    "Layout": ".layout",
    "Mode": ".route",
    "Operator": ".route",
    "ParsedIntent": ".types",
    "RankedTool": ".index",
    "Route": ".route",
    "RouteDecision": ".types",
    "Router": ".router",
    "ToolIndex": ".index",
    "ToolSpec": ".types",
    "ValidationReport": ".types",
    "decide": ".decide",
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

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
