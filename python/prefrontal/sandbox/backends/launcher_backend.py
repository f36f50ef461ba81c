"""Runs commands by the launcher of this package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ladder import Rung, best_level, rung
from ..launcher import parse_report
from ..launching import Launch, launch
from ..policy import readable_paths, variables
from ..result import not_run, result_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..policy import Policy
    from ..result import SandboxResult
    from .backend import Job


@dataclass(frozen=True, slots=True)
class LauncherBackend:
    """The levels of docs/sandbox.md, by the level that the policy asks for."""

    def narrow(self, hosts: Iterable[str]) -> LauncherBackend:
        """Itself: it has no list of hosts."""
        return self

    def rung(self, policy: Policy) -> Rung:
        """The level asked for, or the strongest that works here."""
        if policy.level == "auto":
            return best_level(weak=policy.allow_weak)
        return rung(policy.level)

    def run(self, job: Job) -> SandboxResult:
        """Run at that level, or not at all."""
        policy = job.policy
        held = self.rung(policy)
        if not held.works:
            return not_run(policy.level if policy.level != "auto" else held.level, held.why)
        network = "on" if policy.network else "off"
        order = Launch(
            held.level, job.scratch, readable_paths(policy), variables(policy, job.scratch),
            job.limits, network, job.words, job.stdin,
        )  # fmt: skip
        return launched(order, held.level)


def launched(order: Launch, level: str) -> SandboxResult:
    """The result of what the launcher was asked to do. level: its name in the result."""
    try:
        streams = launch(order)
    except OSError as error:
        return not_run(level, f"the launcher cannot be started: {error}")
    report = parse_report(bytes(streams.report))
    outputs = bytes(streams.stdout), bytes(streams.stderr)
    return result_of(report, level, outputs, streams.too_much)
