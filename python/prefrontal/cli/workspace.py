"""The options --workspace and --config, and the agent's files behind them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..settings.agent_file import AGENT_KEYS, read_agent_config, workspace_folder

if TYPE_CHECKING:
    from ..storage.memory_files import MemoryFiles

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Workspace:
    """The agent's folder and the configuration that was read to find it."""

    folder: Path
    config: dict[str, Any]

    def memory(self) -> MemoryFiles:
        """The texts that the agent keeps by key."""
        from ..storage.memory_files import MemoryFiles

        return MemoryFiles(self.folder / "memory" / "files")

    def running(self) -> str | None:
        """The process id of the agent that works here, as far as known; None when none does.

        It holds the lock beside its ledger. Raises InputError for a ledger.path that is none.
        """
        from ..ledger.location import file_name, ledger_path

        path = ledger_path(file_name(self.config), self.folder)
        return lock_owner(path.with_suffix(".lock")) if isinstance(path, Path) else None


def workspace_options(command: Command) -> Command:
    """Add --workspace and --config."""
    config = click.option(
        "--config",
        metavar="FILE.yml",
        type=click.Path(),
        help="Settings, YAML. [default: ~/.prefrontal/prefrontal.yml, then ./prefrontal.yml]",
    )
    workspace = click.option(
        "--workspace",
        metavar="DIR",
        type=click.Path(),
        help="Where the agent keeps what it remembers; also PREFRONTAL_HOME."
        " [default: ~/.prefrontal/workspace]",
    )
    return workspace(config(command))


def open_workspace(
    workspace: str | None, config: str | None, keys: Collection[str] = AGENT_KEYS
) -> Workspace:
    """The workspace that the options name. keys: the root keys of the settings that are needed.

    Raises InputError or SourceError for settings that cannot be used.
    """
    read = read_agent_config(config, keys={"workspace", *keys})
    return Workspace(workspace_folder(workspace, read), read)


def lock_owner(lock: Path) -> str | None:
    """Who holds a lock file: the number that it holds, or "unknown"; None when nobody does."""
    import fcntl

    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        owner = os.read(descriptor, 20).decode(errors="replace").strip()
        return owner if owner.isdecimal() else "unknown"
    else:
        return None
    finally:
        os.close(descriptor)
