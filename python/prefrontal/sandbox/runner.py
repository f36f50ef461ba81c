"""The sandbox as a `protocols.Runner` with fixed limits and level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .execution import run
from .ladder import Rung, best_level, rung
from .limits import Limits
from .policy import Policy

if TYPE_CHECKING:
    from .result import SandboxResult


@dataclass(frozen=True, slots=True)
class SandboxRunner:
    """limits: of each run, which may ask for less time. level, network, allow_weak: see Policy."""

    limits: Limits = field(default_factory=Limits)
    level_asked: str = "auto"
    network: bool = False
    allow_weak: bool = False

    @property
    def rung(self) -> Rung:
        """The level of confinement here, and whether it works."""
        if self.level_asked == "auto":
            return best_level(weak=self.allow_weak)
        return rung(self.level_asked)

    @property
    def level(self) -> str:
        """The level's name; "none" also when nothing runs at all."""
        return self.rung.level

    @property
    def enforced(self) -> bool:
        """Whether the level works and confines files and network."""
        rung = self.rung
        return rung.works and rung.enforced and not self.network

    def run(
        self,
        argv: Sequence[str],
        *,
        scratch: Path,
        readable: Sequence[Path] = (),
        max_seconds: float | None = None,
        stdin: bytes = b"",
    ) -> SandboxResult:
        """Run to the end. Raises InputError for invalid arguments, not for a failed command."""
        seconds = min(max_seconds or self.limits.max_seconds, self.limits.max_seconds)
        policy = Policy(scratch, readable, self.network, self.level_asked, self.allow_weak)
        return run(argv, replace(self.limits, max_seconds=seconds), policy, stdin=stdin)
