"""What the server serves from: the gate and its log, the agent's records, the settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..assembly.adopted_modules import adopted_modules
from ..assembly.agent_records import AgentRecords
from ..clock import Clock, SystemClock
from ..decisions.log import DecisionLog
from ..errors import InputError, PrefrontalError
from ..executive.trust_standings import gate_standings
from ..home_folder import expanded
from ..pulse.shells.asker import Asker
from ..settings.agent_file import read_agent_config, workspace_folder

if TYPE_CHECKING:
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..settings import Settings
    from ..storage.state_folder import StateFolder


@dataclass(frozen=True, slots=True)
class Served:
    """Everything the tools stand on.

    readable: the folder below which `replay` may read; None for anywhere, which is what a server
    that only its own client can reach allows.
    """

    settings: Settings
    log: DecisionLog
    gate: Asker
    records: AgentRecords
    clock: Clock
    readable: Path | None = None

    def below(self, name: str) -> Path:
        """A path to read.

        Raises InputError for one outside of what may be read, and as `home_folder.expanded`.
        """
        try:
            path = expanded(name).resolve()
        except PrefrontalError:
            raise
        except (OSError, ValueError) as error:
            raise InputError(f"path must be one that can be, got {name!r:.300} ({error})") from None
        if self.readable is not None and not path.is_relative_to(self.readable.resolve()):
            raise InputError(f"path must lie below {self.readable}, got {name!r:.300}")
        return path


@contextmanager
def open_served(
    settings: Settings,
    state: StateFolder,
    modules: Sequence[ModuleFingerprint],
    *,
    config: str | None = None,
    workspace: str | None = None,
    readable: Path | None = None,
    clock: Clock | None = None,
) -> Iterator[Served]:
    """Open what the settings name. config, workspace: where the agent's part of them stands.

    Raises InputError for settings that cannot be, SourceError for files that cannot be read.
    """
    clock = clock or SystemClock()
    agent = read_agent_config(config, keys={"workspace", "ledger", "cortex"})
    folder = workspace_folder(workspace, agent)
    records = AgentRecords(folder, agent, clock=clock)
    state.make()
    with DecisionLog(state.decisions, clock=clock) as log:
        standings = gate_standings(settings.executive, agent, folder)
        modules = [*modules, *adopted_modules(settings, log)]
        gate = Asker(log, modules, settings.gate, standings=standings, clock=clock)
        yield Served(settings, log, gate, records, clock, readable)
