"""Doubles for tests: they do what the test says and write down what was asked of them.

The names are loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .agent import ChatCall, Reply, ScriptedLLM, ScriptedSubagent, SpawnCall
    from .executive import (
        ScriptedActor,
        ScriptedChooser,
        ScriptedReviewer,
        ScriptedSelector,
        ScriptedWaker,
        SteppingMoments,
    )
    from .gate import (
        ScriptedFinding,
        ScriptedGate,
        ScriptedJudge,
        ScriptedRule,
    )
    from .manual_clock import ManualClock
    from .runtime import make_runtime

_HOMES = {
    "ChatCall": ".agent",
    "ManualClock": ".manual_clock",
    "Reply": ".agent",
    "ScriptedActor": ".executive",
    "ScriptedChooser": ".executive",
    "ScriptedFinding": ".gate",
    "ScriptedGate": ".gate",
    "ScriptedLLM": ".agent",
    "ScriptedReviewer": ".executive",
    "ScriptedRule": ".gate",
    "ScriptedJudge": ".gate",
    "ScriptedSelector": ".executive",
    "ScriptedSubagent": ".agent",
    "ScriptedWaker": ".executive",
    "SpawnCall": ".agent",
    "SteppingMoments": ".executive",
    "make_runtime": ".runtime",
}

__all__ = [
    "ChatCall",
    "ManualClock",
    "Reply",
    "ScriptedActor",
    "ScriptedChooser",
    "ScriptedFinding",
    "ScriptedGate",
    "ScriptedJudge",
    "ScriptedLLM",
    "ScriptedReviewer",
    "ScriptedRule",
    "ScriptedSelector",
    "ScriptedSubagent",
    "ScriptedWaker",
    "SpawnCall",
    "SteppingMoments",
    "make_runtime",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
