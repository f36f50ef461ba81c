"""The settings of one call: those of `prefrontal watch`, less what only who listens can hear."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...executive.trust_standings import gate_standings
from ...home_folder import expanded
from ...settings.agent_file import FILE_NAME, read_agent_config, settings_file, workspace_folder
from ...settings.loading import load_settings

if TYPE_CHECKING:
    from ...protocols import Standings
    from ...settings import Settings
    from .call import GateCall

GATHER_S = 60.0
"""What one call finds is one question of each module."""
LOOKED_AT = ("directories", "git", "logs", "network", "github", "mail", "calendar")
"""Sources that can be looked at now and then; the others hear only while they listen."""


@dataclass(frozen=True, slots=True)
class LookSettings:
    """settings: with what can be looked at now and then. standings: of who is behind signals.

    left_to_watch: the names of the sources that only who listens can hear; "" for none.
    """

    settings: Settings
    standings: Standings | None
    left_to_watch: str

    @classmethod
    def read(cls, call: GateCall) -> LookSettings:
        """From the file that the call names, else from the one of the usual files that counts most.

        Raises InputError and SourceError.
        """
        file = _file(call)
        overrides: dict[str, Any] = {}
        if call.state:
            overrides["state"] = str(Path(call.state).absolute())
        settings = load_settings(file, overrides)
        agent = read_agent_config(file, keys={"workspace", "ledger"})
        workspace = workspace_folder(call.workspace, agent)
        standings = gate_standings(settings.executive, agent, workspace)
        listeners = _listeners(settings)
        left = ", ".join(f"sources.{name}" for name in listeners)
        return cls(_for_one_look(settings, call, listeners), standings, left)


def _file(call: GateCall) -> Path | None:
    if call.config is not None:
        return Path(call.config)
    if call.workspace is not None:
        workspace = expanded(call.workspace)
        if not workspace.is_dir():  # else settings that nobody meant would decide
            raise InputError(f"--workspace must be a folder, got {call.workspace!r:.300}")
        if (own := workspace / FILE_NAME).exists():
            return own
    return settings_file()


def _listeners(settings: Settings) -> dict[str, Any]:
    """What the settings name that can only be heard: each source with what it is without it."""
    sources = settings.sources
    fields = type(sources).model_fields
    quiet = {name: each.get_default() for name, each in fields.items() if name not in LOOKED_AT}
    del quiet["polling"]  # how folders are looked at, which is no source
    return {name: off for name, off in quiet.items() if getattr(sources, name) != off}


def _for_one_look(settings: Settings, call: GateCall, listeners: dict[str, Any]) -> Settings:
    """The same without listeners; folders are scanned, and what is found together is one question.

    Raises InputError where nothing is left to look at.
    """
    sources = settings.sources
    others = (settings.adopted, settings.modules, call.folders)
    if listeners and not any((*(getattr(sources, name) for name in LOOKED_AT), *others)):
        names = ", ".join(f"sources.{name}" for name in listeners)
        raise InputError(
            f"{settings.file} must name a source that can be looked at now and then"
            f" ({', '.join(LOOKED_AT)}, adopted), got only {names}; `prefrontal watch` listens"
        )
    policy = settings.gate.policy
    gathered = policy.model_copy(update={"group_s": max(policy.group_s, GATHER_S)})
    return settings.model_copy(
        update={
            "sources": sources.model_copy(update=listeners | {"polling": True}),
            "gate": settings.gate.model_copy(update={"policy": gathered}),
        }
    )
