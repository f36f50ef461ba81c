"""The second loop of the agent: it looks back, judges, believes for a while, and steers.

The names below are loaded at first use, so that a command that reads beliefs does not pay for
what makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .clamp import clamp_trust
    from .models import Belief, ReflectionRecord
    from .plugin import CortexPlugin
    from .triggers.triggers import TriggerEngine

_HOMES = {
    "Belief": ".models",
    "CortexPlugin": ".plugin",
    "ReflectionRecord": ".models",
    "TriggerEngine": ".triggers.triggers",
    "clamp_trust": ".clamp",
}

__all__ = ["Belief", "CortexPlugin", "ReflectionRecord", "TriggerEngine", "clamp_trust"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
