"""What prefrontal is told in prefrontal.yml, checked field by field.

The names are loaded at first use: a command without settings does not pay for reading them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loading import load_settings, parse_settings
    from .models import Endpoint, Policy, Settings, Sink, Sources
    from .routing import Routing

_HOMES = {
    "Endpoint": "models",
    "Policy": "models",
    "Routing": "routing",
    "Settings": "models",
    "Sink": "models",
    "Sources": "models",
    "load_settings": "loading",
    "parse_settings": "loading",
}

__all__ = [
    "Endpoint",
    "Policy",
    "Routing",
    "Settings",
    "Sink",
    "Sources",
    "load_settings",
    "parse_settings",
]


def __getattr__(name: str) -> Any:
    """Load one exported name. Raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
