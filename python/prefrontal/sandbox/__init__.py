"""Run code where it cannot hurt: few files, no network, little time and memory, no survivors.

    from prefrontal.sandbox import Limits, Policy, run
    result = run([sys.executable, "-I", "tool.py"], Limits(max_seconds=3), Policy(scratch=folder))

docs/sandbox.md tells what each level holds back and what it does not.
"""

from __future__ import annotations

from .execution import run
from .ladder import Ladder, Level, Rung, probe
from .limits import Limits
from .policy import Policy
from .result import SandboxResult
from .runner import SandboxRunner

__all__ = [
    "Ladder",
    "Level",
    "Limits",
    "Policy",
    "Rung",
    "SandboxResult",
    "SandboxRunner",
    "probe",
    "run",
]
