"""Prefrontal: executive control for always-on agents.

The names below are loaded at first use, so that `import prefrontal` costs next to nothing.
"""

from __future__ import annotations

from .lazy_names import lazy_names

TYPE_CHECKING = False  # that of typing costs milliseconds, in which Ctrl-C would show a traceback
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

__getattr__, __dir__ = lazy_names(
    __name__, {name: "._core" if name == "__version__" else ".pulse" for name in __all__}
)
