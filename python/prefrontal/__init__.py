"""Prefrontal: executive control for always-on agents.

The names below are loaded at first use, so that `import prefrontal` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import __version__
    from .pulse import (
        EscalationDecision,
        LimbicLayer,
        ModuleFingerprint,
        PrefrontalLayer,
        PulseRegistry,
        SignalEvent,
        parse_fingerprint,
    )

__all__ = [
    "EscalationDecision",
    "LimbicLayer",
    "ModuleFingerprint",
    "PrefrontalLayer",
    "PulseRegistry",
    "SignalEvent",
    "__version__",
    "parse_fingerprint",
]


def __getattr__(name: str) -> Any:
    """Load one exported name. Raises AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "._core" if name == "__version__" else ".pulse"
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
