"""The role that each way to hold a command plays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ladder import Rung
    from ..limits import Limits
    from ..policy import Policy
    from ..result import SandboxResult


@dataclass(frozen=True, slots=True)
class Job:
    """A command with its bounds. words: program, by its path, and arguments. scratch: resolved."""

    words: list[str]
    scratch: Path
    limits: Limits
    policy: Policy
    stdin: bytes = b""


class Backend(Protocol):
    """Holds a command to limits and policy; the attempts of tests/sandbox try each backend."""

    def rung(self, policy: Policy) -> Rung:
        """The level it would hold the policy at, whether that works here, and if not, why."""
        ...

    def narrow(self, hosts: Iterable[str]) -> Backend:
        """The same where only those of its hosts can be reached that are among `hosts`, too."""
        ...

    def run(self, job: Job) -> SandboxResult:
        """Run to the end. Fails closed: what cannot be held is not run, stopped_by "sandbox"."""
        ...
