"""The agent's runtime: plugins, the loop that answers messages, and the channels they come from.

The names are loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from ..plugin import (
        IncomingMessage,
        LLMProvider,
        LLMResponse,
        OutgoingMessage,
        Plugin,
        PluginError,
        PluginMeta,
        SubagentProvider,
        SubagentResult,
        ToolProvider,
    )
    from .registry import PluginRegistry
    from .runtime import Runtime

_HERE = {"PluginRegistry": ".registry", "Runtime": ".runtime"}

__all__ = [
    "IncomingMessage",
    "LLMProvider",
    "LLMResponse",
    "OutgoingMessage",
    "Plugin",
    "PluginError",
    "PluginMeta",
    "PluginRegistry",
    "Runtime",
    "SubagentProvider",
    "SubagentResult",
    "ToolProvider",
]

__getattr__, __dir__ = lazy_names(__name__, {name: _HERE.get(name, "..plugin") for name in __all__})
