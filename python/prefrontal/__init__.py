"""Prefrontal: executive control for always-on agents.

The names below are loaded at first use, so that `import prefrontal` costs next to nothing; what
else there is lies in the packages they come from.
"""

from __future__ import annotations

from .lazy_names import lazy_names

TYPE_CHECKING = False  # that of typing costs milliseconds, in which Ctrl-C would show a traceback
if TYPE_CHECKING:
    from ._core import __version__ as __version__
    from .assembly.replay_path import replay
    from .control.agent.agent import ControlAgent
    from .cortex.plugin import CortexPlugin as Cortex
    from .executive.loop import Executive
    from .ledger.ledger import Ledger
    from .plugin.contract import Plugin
    from .pulse import PulseRegistry
    from .pulse.gate import Gate
    from .routing.run.router import Router
    from .runtime.runtime import Runtime
    from .sandbox.runner import SandboxRunner as Sandbox
    from .types import SignalEvent

__all__ = [
    "ControlAgent",
    "Cortex",
    "Executive",
    "Gate",
    "Ledger",
    "Plugin",
    "PulseRegistry",
    "Router",
    "Runtime",
    "Sandbox",
    "SignalEvent",
    "replay",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ControlAgent": ".control.agent.agent",
        "Cortex": ".cortex.plugin:CortexPlugin",
        "Executive": ".executive.loop",
        "Gate": ".pulse.gate",
        "Ledger": ".ledger.ledger",
        "Plugin": ".plugin.contract",
        "PulseRegistry": ".pulse",
        "Router": ".routing.run.router",
        "Runtime": ".runtime.runtime",
        "Sandbox": ".sandbox.runner:SandboxRunner",
        "SignalEvent": ".types",
        "__version__": "._core",
        "replay": ".replay:",  # the package can be called
    },
)
