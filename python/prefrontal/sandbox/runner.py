"""The sandbox as a `protocols.Runner`: limits and level fixed, one command at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .execution import run
from .ladder import Rung, best_level, rung
from .limits import Limits
from .policy import Policy
from .result import SandboxResult


@dataclass(frozen=True, slots=True)
class SandboxRunner:
    """limits: of every run; a run may ask for less time. level, network, allow_weak: see Policy."""

    limits: Limits = field(default_factory=Limits)
    level_asked: str = "auto"
    network: bool = False
    allow_weak: bool = False

    @property
    def rung(self) -> Rung:
        """The level that commands are held at here, and whether it works."""
        if self.level_asked == "auto":
            return best_level(weak=self.allow_weak)
        return rung(self.level_asked)

    @property
    def level(self) -> str:
        """How commands are held on this machine; "none" also when nothing is run at all."""
        return self.rung.level

    @property
    def enforced(self) -> bool:
        """Whether that level works and confines files and network."""
        held = self.rung
        return held.works and held.enforced and not self.network

    def run(
        self,
        argv: Sequence[str],
        *,
        scratch: Path,
        readable: Sequence[Path] = (),
        max_seconds: float | None = None,
        stdin: bytes = b"",
    ) -> SandboxResult:
        """Run to the end. Raises InputError for the caller's slips, never for the command's."""
        seconds = min(max_seconds or self.limits.max_seconds, self.limits.max_seconds)
        policy = Policy(scratch, readable, self.network, self.level_asked, self.allow_weak)
        return run(argv, replace(self.limits, max_seconds=seconds), policy, stdin=stdin)
