"""From a prompt to a validated, promoted tool: a deterministic, explained choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .layout import Layout
    from .ranking.decide import decide
    from .ranking.index import RankedTool, ToolIndex
    from .run.request import Mode
    from .run.route import Route
    from .run.router import Router
    from .run.workbench import Operator
    from .types import ArgSpec, ParsedIntent, RouteDecision, ToolSpec, ValidationReport

_MODULES = {
    "ArgSpec": ".types",
    "Layout": ".layout",
    "Mode": ".run.request",
    "Operator": ".run.workbench",
    "ParsedIntent": ".types",
    "RankedTool": ".ranking.index",
    "Route": ".run.route",
    "RouteDecision": ".types",
    "Router": ".run.router",
    "ToolIndex": ".ranking.index",
    "ToolSpec": ".types",
    "ValidationReport": ".types",
    "decide": ".ranking.decide",
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
