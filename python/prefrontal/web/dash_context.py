"""What the page stands on: the log, the agent's records, the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from ..assembly.adopted_modules import adopted_modules
from ..assembly.agent_records import AgentRecords
from ..clock import Clock, SystemClock
from ..decisions.log import DecisionLog
from ..replay.prices import USUAL_PRICES, Prices
from ..settings.agent_file import read_agent_config, workspace_folder
from .later_answers import LaterAnswers

if TYPE_CHECKING:
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..settings import Settings
    from ..settings.gate import PolicySettings
    from ..storage.state_folder import StateFolder


@dataclass(frozen=True, slots=True)
class DashContext:
    """Everything that is shown, and what a person may change.

    modules: those of the settings and the state folder, by id. watcher: the process that watches
    with the state folder, None when none does. writing: one change at a time. later: answers that
    can still be taken back. prices: of a wake-up.
    """

    settings: Settings
    state: StateFolder
    log: DecisionLog
    records: AgentRecords
    clock: Clock
    modules: Mapping[str, ModuleFingerprint]
    policy: PolicySettings
    watcher: Callable[[], str | None]
    writing: Lock
    later: LaterAnswers = field(default_factory=LaterAnswers)
    prices: Prices = USUAL_PRICES

    def floor(self, module_id: str) -> float:
        """The threshold of a module about which nothing was learned or said."""
        gate, module = self.settings.gate, self.modules.get(module_id)
        own = None if module is None else module.default_threshold
        if gate.recall_of(own) is not None:
            return 0.0  # everything wakes until labels say what may sleep
        return gate.threshold if gate.threshold is not None else own or 0.0

    def threshold_words(self, module_id: str) -> str:
        """Whose the threshold is, where no gate says it."""
        module = self.modules.get(module_id)
        if module is None:
            return "The threshold is its own; no settings name it here."
        recall = self.settings.gate.recall_of(module.default_threshold)
        if recall is not None:
            return f"The threshold follows recall {recall:.2f}."
        fixed = self.settings.gate.threshold is not None
        return f"The threshold is {'that of the settings' if fixed else 'its own'}."


@contextmanager
def open_context(
    settings: Settings,
    state: StateFolder,
    modules: Sequence[ModuleFingerprint] = (),
    *,
    config: str | None = None,
    workspace: str | None = None,
    watcher: Callable[[], str | None] = lambda: None,
    clock: Clock | None = None,
    prices: Prices = USUAL_PRICES,
) -> Iterator[DashContext]:
    """Open what the settings name. config, workspace: where the agent's part of them stands.
    prices: of a wake-up.

    Raises InputError for settings that cannot be, SourceError for files that cannot be read.
    """
    clock = clock or SystemClock()
    agent = read_agent_config(config, keys={"workspace", "ledger", "cortex"})
    records = AgentRecords(workspace_folder(workspace, agent), agent, clock=clock)
    state.make()
    with DecisionLog(state.decisions, clock=clock) as log:
        yield DashContext(
            settings=settings,
            state=state,
            log=log,
            records=records,
            clock=clock,
            modules={each.module_id: each for each in (*modules, *adopted_modules(settings, log))},
            policy=settings.gate.policy,
            watcher=watcher,
            writing=Lock(),
            prices=prices,
        )
