"""Signals, salience and escalation: from one event to one question for the agent.

The names are loaded when they are first used, so importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..compat import (
        ActivationRecord,
        EscalationDecision,
        PrefrontalLayer,
        PulseRegistry,
        Retina,
        SignalBus,
        TrainingBuffer,
    )
    from ..types import FEATURE_DIM, SignalEvent
    from .learning.limbic import LimbicLayer
    from .modules.fingerprint import (
        FilesystemPrior,
        MemoryPrior,
        ModuleFingerprint,
        TimePrior,
        parse_fingerprint,
    )
else:
    _HOMES = {
        "FEATURE_DIM": "..types",
        "SignalEvent": "..types",
        "FilesystemPrior": ".modules.fingerprint",
        "MemoryPrior": ".modules.fingerprint",
        "ModuleFingerprint": ".modules.fingerprint",
        "TimePrior": ".modules.fingerprint",
        "parse_fingerprint": ".modules.fingerprint",
        "LimbicLayer": ".learning.limbic",
        "EscalationDecision": "..compat.prefrontal",
        "PrefrontalLayer": "..compat.prefrontal",
        "SignalBus": "..compat.bus",
        "PulseRegistry": "..compat.registry",
        "Retina": "..compat.retina",
        "ActivationRecord": "..compat.training",
        "TrainingBuffer": "..compat.training",
    }

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})


__all__ = [
    "FEATURE_DIM",
    "ActivationRecord",
    "EscalationDecision",
    "FilesystemPrior",
    "LimbicLayer",
    "MemoryPrior",
    "ModuleFingerprint",
    "PrefrontalLayer",
    "PulseRegistry",
    "Retina",
    "SignalBus",
    "SignalEvent",
    "TimePrior",
    "TrainingBuffer",
    "parse_fingerprint",
]
