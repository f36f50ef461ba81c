"""Prefrontal: executive control for always-on agents.

The names below are loaded at first use, so that `import prefrontal` costs next to nothing.
"""

from __future__ import annotations

from .lazy_names import lazy_names

TYPE_CHECKING = False  # that of typing costs milliseconds, in which Ctrl-C would show a traceback
if TYPE_CHECKING:
    from ._core import __version__
    from .assembly.replay_path import replay
    from .control.agent.agent import ControlAgent
    from .cortex.plugin import CortexPlugin as Cortex
    from .decisions.decision import Decision
    from .decisions.log import DecisionLog
    from .executive.loop import Executive
    from .ledger.ledger import Ledger
    from .plugin.contract import Plugin
    from .protocols import Source
    from .pulse import (
        EscalationDecision,
        LimbicLayer,
        ModuleFingerprint,
        PrefrontalLayer,
        PulseRegistry,
        parse_fingerprint,
    )
    from .pulse.gate import Gate
    from .pulse.modules.fingerprint import ModuleFingerprint as Fingerprint
    from .pulse.shells.watch import Watch
    from .pulse.sinks import Sink
    from .replay.result import ReplayResult
    from .routing.run.router import Router
    from .routing.types import Tool
    from .runtime.runtime import Runtime
    from .sandbox.runner import SandboxRunner as Sandbox
    from .settings.gate import GateSettings
    from .types import SignalEvent

__all__ = [
    "ControlAgent",
    "Cortex",
    "Decision",
    "DecisionLog",
    "EscalationDecision",
    "Executive",
    "Fingerprint",
    "Gate",
    "GateSettings",
    "Ledger",
    "LimbicLayer",
    "ModuleFingerprint",
    "Plugin",
    "PrefrontalLayer",
    "PulseRegistry",
    "ReplayResult",
    "Router",
    "Runtime",
    "Sandbox",
    "SignalEvent",
    "Sink",
    "Source",
    "Tool",
    "Watch",
    "__version__",
    "parse_fingerprint",
    "replay",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ControlAgent": ".control.agent.agent",
        "Cortex": ".cortex.plugin:CortexPlugin",
        "Decision": ".decisions.decision",
        "DecisionLog": ".decisions.log",
        "Executive": ".executive.loop",
        "Fingerprint": ".pulse.modules.fingerprint:ModuleFingerprint",
        "Gate": ".pulse.gate",
        "GateSettings": ".settings.gate",
        "Ledger": ".ledger.ledger",
        "Plugin": ".plugin.contract",
        "ReplayResult": ".replay.result",
        "Router": ".routing.run.router",
        "Runtime": ".runtime.runtime",
        "Sandbox": ".sandbox.runner:SandboxRunner",
        "SignalEvent": ".types",
        "Sink": ".pulse.sinks",
        "Source": ".protocols",
        "Tool": ".routing.types",
        "Watch": ".pulse.shells.watch",
        "__version__": "._core",
        "replay": ".replay:",  # the package can be called
    }
    | dict.fromkeys(
        (
            "EscalationDecision",
            "LimbicLayer",
            "ModuleFingerprint",
            "PrefrontalLayer",
            "PulseRegistry",
            "parse_fingerprint",
        ),
        ".pulse",
    ),
)
