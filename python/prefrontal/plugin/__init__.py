"""What a plugin of the agent is, and the words that plugins speak with each other.

`prefrontal.runtime` runs them; this package lies below it, so that a domain can be a plugin without
knowing the runtime.
"""

from . import hookspecs
from .contract import Plugin, PluginError, PluginMeta, Registry
from .hearing import hear
from .messages import IncomingMessage, OutgoingMessage, current_message
from .providers import (
    LLMProvider,
    LLMResponse,
    MemoryProvider,
    SubagentProvider,
    SubagentResult,
    ToolCall,
    ToolProvider,
)

__all__ = [
    "IncomingMessage",
    "LLMProvider",
    "LLMResponse",
    "MemoryProvider",
    "OutgoingMessage",
    "Plugin",
    "PluginError",
    "PluginMeta",
    "Registry",
    "SubagentProvider",
    "SubagentResult",
    "ToolCall",
    "ToolProvider",
    "current_message",
    "hear",
    "hookspecs",
]
