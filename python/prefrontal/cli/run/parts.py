"""From settings to what `prefrontal run` runs: the ground, the gate's standings, the executive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...assembly.executive import (
    BuiltExecutive,
    LoopTime,
    build_executive,
    tools_folder,
    try_ledger,
)
from ...executive.trust_standings import TrustStandings, known_standings
from ...settings.agent_file import settings_file
from ...settings.home import Home
from ...settings.loading import load_settings
from .door import AgentDoor

if TYPE_CHECKING:
    from ...executive.roles import Waker
    from ...plugin import Plugin
    from ...settings import Settings
    from ..watch.session import Ground
    from ..watch.telemetry import Say

SELECTOR_FILE = "plan-selector.pt"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the options and files say. home: the agent's, by an absolute path."""

    settings: Settings
    home: Home

    @classmethod
    def read(
        cls, config: str | None, workspace: str | None, overrides: Mapping[str, Any]
    ) -> RunOptions:
        """From the file that is named, else the one of the usual files that counts most.

        overrides: the command line, which stands in front. Raises InputError and SourceError.
        """
        settings = load_settings(settings_file(config), overrides)
        home = Home.open(workspace, config)
        return cls(settings, replace(home, folder=home.folder.absolute()))

    def standings(self) -> TrustStandings:
        """What the ledger says of peers. Raises SourceError when it is damaged or in use."""
        try_ledger(self.home.config, self.home.folder)
        return known_standings(self.settings.executive.trust, self.home.config, self.home.folder)

    def own_folders(self, ground: Ground) -> list[Path]:
        """Where this process itself writes, unless somebody wants just that watched."""
        tools = tools_folder(self.settings).resolve()
        logs = (tools.parent / self.settings.routing.log_dir).resolve()
        roots = [each.resolve() for each in ground.folders()]
        own = [tools, logs, self.home.folder.resolve()]
        return [each for each in own if not any(root.is_relative_to(each) for root in roots)]

    def executive(
        self,
        ground: Ground,
        standings: TrustStandings,
        moments: LoopTime,
        waker: Waker,
        say: Say,
        taught: int = 0,
        plugins: Sequence[Plugin] = (),
    ) -> BuiltExecutive:
        """The executive over the ground, with the sinks as the door to the agent.

        plugins: as of `build_executive`.
        """
        return build_executive(
            self.settings,
            store=ground.log,
            moments=moments,
            waker=waker,
            ask=AgentDoor(ground.outbox, ground.sinks.plain, say),
            config=self.home.config,
            workspace=self.home.folder,
            roots=self._readable(ground),
            standings=standings,
            selector_file=ground.state.path / SELECTOR_FILE,
            taught=taught,
            plugins=plugins,
        )

    def _readable(self, ground: Ground) -> list[Path]:
        """What is watched: folders, repositories, log files."""
        sources = self.settings.sources
        named = [self.settings.path(each) for each in (*sources.git, *sources.logs)]
        return list(dict.fromkeys([*ground.folders(), *named]))
