"""From what a person asked for to the target that it means."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..errors import InputError
from ..home_folder import expanded
from .programs import Caller, own_program, usual_config
from .target import InstallTarget
from .targets.claude_code import claude_code
from .targets.cron import cron
from .targets.github_action import github_action
from .targets.hermes import hermes
from .targets.openclaw import openclaw
from .targets.systemd import systemd

NAMES = ("claude-code", "openclaw", "hermes", "systemd", "cron", "github-action")
USUAL_EVERY = "10m"
USUAL_RECALL = 0.9
_TAKES = {
    "folder": ("claude-code", "github-action"),
    "every": ("openclaw", "hermes", "cron"),
    "command": ("cron",),
    "consult": ("claude-code",),
    "recall": ("github-action",),
}
_SHOWN = {"folder": "DIR", "command": "--exec"}


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for; None and False where nothing was said."""

    name: str
    folder: str | None = None
    config: str | None = None
    state: str | None = None
    every: str | None = None
    command: str | None = None
    consult: bool = False
    recall: float | None = None

    def target(self, *, needs_settings: bool = True) -> InstallTarget:
        """needs_settings: off where it is only to be taken out. Raises InputError for what does
        not belong together, SourceError where there are no settings."""
        for option, names in _TAKES.items():
            if getattr(self, option) and self.name not in names:
                word = _SHOWN.get(option, f"--{option}")
                raise InputError(
                    f"{word} must come with {' or '.join(names)}, got it with {self.name}"
                )
        if self.name == "github-action":
            recall = USUAL_RECALL if self.recall is None else self.recall
            if not 0.0 < recall <= 1.0:
                raise InputError(f"--recall must be above 0 and at most 1, got {recall!r}")
            return github_action(_folder(self.folder or "."), recall)
        return self._before_an_agent(self._caller(needs_settings))

    def _caller(self, needs_settings: bool) -> Caller:
        config = usual_config(self.config) if needs_settings else Path("prefrontal.yml")
        state = None if self.state is None else str(expanded(self.state).absolute())
        return Caller(own_program(), config, state)

    def _before_an_agent(self, caller: Caller) -> InstallTarget:
        every, mcp = self.every or USUAL_EVERY, find_spec("mcp") is not None
        if self.name == "claude-code":
            folder = None if self.folder is None else _folder(self.folder)
            return claude_code(caller, folder, consult=self.consult, mcp=mcp)
        if self.name == "hermes":
            return hermes(caller, every, mcp=mcp)
        if self.name == "openclaw":
            return openclaw(caller, every, mcp=mcp)
        return systemd(caller) if self.name == "systemd" else cron(caller, every, self.command)


def _folder(name: str) -> Path:
    folder = expanded(name).resolve()
    if not folder.is_dir():
        raise InputError(f"DIR must be a folder, got {name!r}")
    return folder
