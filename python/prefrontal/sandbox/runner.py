"""The sandbox as a `protocols.Runner` with fixed limits and level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .execution import OWN, run
from .limits import Limits
from .policy import Policy

if TYPE_CHECKING:
    from .backends import Backend
    from .ladder import Rung
    from .result import SandboxResult


@dataclass(frozen=True, slots=True)
class SandboxRunner:
    """Runs commands that nobody has read yet, each under the same limits.

    limits: of each run, which may ask for less time. level_asked: the level of `Policy`. network,
    allow_weak: see `Policy`. backend: how commands are held, by default by the launcher of this
    package.
    """

    limits: Limits = field(default_factory=Limits)
    level_asked: str = "auto"
    network: bool = False
    allow_weak: bool = False
    backend: Backend = OWN

    @property
    def rung(self) -> Rung:
        """The level of confinement here, and whether it works."""
        return self.backend.rung(self._policy(Path()))

    @property
    def level(self) -> str:
        """The level's name; "none" also when nothing runs at all."""
        return self.rung.level

    @property
    def enforced(self) -> bool:
        """Whether the level works and confines files and network."""
        rung = self.rung
        return rung.works and rung.enforced and not self.network

    def narrow(self, hosts: Iterable[str]) -> SandboxRunner:
        """The same where only those of its hosts can be reached that are among `hosts`, too."""
        return replace(self, backend=self.backend.narrow(hosts))

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
        limits = self.limits
        if max_seconds is not None:
            limits = replace(limits, max_seconds=min(max_seconds, limits.max_seconds))
        policy = self._policy(scratch, readable)
        return run(argv, limits, policy, stdin=stdin, backend=self.backend)

    def _policy(self, scratch: Path, readable: Sequence[Path] = ()) -> Policy:
        return Policy(scratch, readable, self.network, self.level_asked, self.allow_weak)
