"""The options --workspace and --config, and whether an agent works in what they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..settings.home import Home
from ..storage.lock_file import holder
from .option_group import OWN_THEN_HERE, option_group, settings_option

workspace_options = option_group(
    click.option(
        "--workspace",
        metavar="DIR",
        type=click.Path(),
        help="Where the agent keeps what it remembers; also PREFRONTAL_HOME."
        " [default: ~/.prefrontal/workspace]",
    ),
    settings_option(usual=OWN_THEN_HERE),
)


def home_options(*keys: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --workspace and --config; the command takes what they name as `home`.

    keys: the root keys of the settings that the command needs.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_home(workspace: str | None, config: str | None, **options: Any) -> Any:
            return command(home=Home.open(workspace, config, keys), **options)

        return workspace_options(with_home)

    return decorate


def agent_process(home: Home) -> str | None:
    """The process id of the agent that works there, as far as known; None when none does.

    It holds the lock beside its ledger. Raises InputError for an invalid ledger.path.
    """
    from ..ledger.location import file_name, ledger_path

    path = ledger_path(file_name(home.config), home.folder)
    return holder(path.with_suffix(".lock")) if isinstance(path, Path) else None
