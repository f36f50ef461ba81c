"""What a node is told: which partitions, how many processes, and from which settings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ....errors import InputError
from ....pulse.modules.partition_of import partition_of
from ....settings import load_settings
from ....settings.agent_file import read_agent_config
from ....settings.budget import parse_budget
from ....storage.postgres_url import PostgresUrl
from ....storage.state_folder import StateFolder
from .budget_shares import budget_shares

if TYPE_CHECKING:
    from ....protocols import Standings
    from ....pulse.modules.fingerprint import ModuleFingerprint
    from ....settings import Settings, SinkSettings, Sources
    from ....settings.budget import Budget
    from ....settings.gate import GateSettings
    from ..hand_over import Handling
    from ..screen import Screen
    from ..session import WatchSession

AUTO = "auto"
_SPAN = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?")
WHOLE = ("wakes_per_hour", "source_budget")
"""What a policy counts over all modules, and no partition alone."""
SHARED = ("http", "redis", "nats")
"""Sources that any node may read; the others are of one machine."""

Fence: TypeAlias = Callable[[PostgresUrl], int]
"""The epoch to write to a store of the partition with: of `PartitionTable.fence`."""


class PartitionHome(Protocol):
    """What the episodes of a partition need. standings: what the gate hears of peers."""

    @property
    def standings(self) -> Standings | None: ...

    def handling(self, session: WatchSession, screen: Screen) -> Handling:
        """What takes the wakes of the partition. Its `finish` waits so long for the episode in hand
        and begins no other one.
        """
        ...


OpenHome: TypeAlias = "Callable[[NodePlan, int, Fence, ExitStack], PartitionHome]"
"""Opens the home of the partition of that number; the stack gives it back. A function of a module,
since a plan goes to other processes. Raises SourceError, FencedError."""


@dataclass(frozen=True)
class NodePlan:
    """Fit for another process. partitions: "auto", or such as "0-15,20". file, overrides: as of
    `load_settings`. added: sinks of the command line. home: opens what episodes need, where wakes
    are attended to; None where they go to the sinks.
    """

    partitions: str
    workers: int
    file: str | None
    overrides: Mapping[str, Any]
    added: tuple[Mapping[str, Any], ...] = ()
    as_json: bool = False
    home: OpenHome | None = None

    @cached_property
    def settings(self) -> Settings:
        return load_settings(self.file, self.overrides)

    @cached_property
    def url(self) -> PostgresUrl:
        """Of the installation. Raises InputError where the settings name none."""
        if (url := self.settings.storage.url) is None:
            raise InputError(
                "--partitions needs storage.url in the settings, such as"
                " postgresql://localhost/prefrontal: partitions lie on a server"
            )
        return PostgresUrl.parse(url)

    @property
    def count(self) -> int:
        """How many partitions the installation has."""
        return self.settings.storage.partitions

    @property
    def state(self) -> StateFolder:
        return StateFolder(self.settings.state_folder())

    @property
    def role(self) -> str:
        """Members of a role share partitions; one that is told which shares with nobody."""
        return "worker" if self.partitions == AUTO else "fixed"

    @cached_property
    def sinks(self) -> tuple[SinkSettings, ...]:
        from ....settings import parse_settings

        return (*self.settings.sinks, *parse_settings({"sinks": list(self.added)}).sinks)

    @cached_property
    def ledger(self) -> PostgresUrl | None:
        """Of the trust that the gate follows; None where it follows none, or lies on no server,
        or each partition has its own.
        """
        from .shared_trust import shared_ledger

        if self.home is not None or not self.settings.executive.links.trust:
            return None
        return shared_ledger(self.file)

    @cached_property
    def agent(self) -> dict[str, Any]:
        """The agent's configuration, where episodes need it. Raises InputError, SourceError."""
        return {} if self.home is None else read_agent_config(self.file)

    @cached_property
    def modules(self) -> tuple[ModuleFingerprint, ...]:
        """All of the installation. Raises InputError where there is none."""
        from ..session import watched_modules

        modules = tuple(watched_modules(self.settings, self.state))
        if not modules:
            raise InputError("modules must hold one at least: `prefrontal modules add FILE`")
        return modules

    def wanted(self, worker: int) -> list[int]:
        """The partitions that the worker of that number may hold. Raises InputError."""
        return (
            self.all_wanted()
            if self.partitions == AUTO
            else self.all_wanted()[worker :: self.workers]
        )

    def all_wanted(self) -> list[int]:
        """The partitions that the node may hold. Raises InputError."""
        if self.partitions == AUTO:
            return list(range(self.count))
        return parse_partitions(self.partitions, self.count)

    def modules_of(self, partition: int) -> list[ModuleFingerprint]:
        return [m for m in self.modules if partition_of(m.module_id, self.count) == partition]

    @cached_property
    def budgets(self) -> dict[int, Budget]:
        """The share of `policy.budget` of each partition with modules, as of `budget_shares`; none
        without one. Raises InputError.
        """
        if (text := self.settings.gate.policy.budget) is None:
            return {}
        return budget_shares(
            parse_budget(text), Counter(partition_of(m.module_id, self.count) for m in self.modules)
        )

    def gate_of(self, partition: int) -> GateSettings:
        """The settings of the partition's gate: with its own share of the budget."""
        gate = self.settings.gate
        if (share := self.budgets.get(partition)) is None:
            return gate
        policy = gate.policy.model_copy(update={"budget": str(share)})
        return gate.model_copy(update={"policy": policy})

    def check(self) -> None:
        """Raises InputError for settings that one machine alone can follow."""
        refuse_local(self.settings.sources)
        telemetry = self.settings.telemetry
        for name in ("json_logs", "otel"):
            if getattr(telemetry, name):
                raise InputError(
                    f"telemetry.{name} must be left out with --partitions: telemetry.metrics goes"
                )
        if self.settings.adopted:
            raise InputError(
                "adopted must be empty with --partitions: its history lies on one machine"
            )
        folders = [m.module_id for m in self.modules if m.watch_directories()]
        if folders:
            raise InputError(
                f"module {folders[0]!r} must watch no folder with --partitions: it is of one node"
            )
        policy = self.settings.gate.policy
        for name in WHOLE:
            if getattr(policy, name):
                raise InputError(
                    f"policy.{name} must be left out with --partitions, since each decides by"
                    " itself: budget, module_budget and module_wakes_per_hour hold"
                )
        _ = self.budgets
        self.wanted(0)
        _ = self.url


def parse_partitions(text: str, count: int) -> list[int]:
    """The numbers of "0-15,20", in their order. Raises InputError."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = _SPAN.fullmatch(part.strip())
        first = int(match[1]) if match else -1
        last = int(match[2] or match[1]) if match else -1
        if not 0 <= first <= last < count:
            rule = f"be auto, or numbers in 0..{count - 1} such as 0-{min(15, count - 1)}"
            raise InputError(f"--partitions must {rule}, got {text!r:.80}")
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def refuse_local(sources: Sources) -> None:
    """Raises InputError naming a source that only one machine has."""
    for name in type(sources).model_fields:
        if name not in SHARED and getattr(sources, name):
            raise InputError(
                f"sources.{name} must be left out with --partitions: it is of one machine. A"
                " `prefrontal watch` there can post what it finds to a node"
            )


def partition_folder(state: StateFolder, number: int) -> StateFolder:
    """Where a partition's store is named, and what stays on this machine lies."""
    return StateFolder(Path(state.path) / "partitions" / f"{number:03d}")
