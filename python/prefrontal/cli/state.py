"""The option --state, and the log of decisions behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import PrefrontalError, SourceError
from ..storage.state_folder import StateFolder, default_state

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog

Command = TypeVar("Command", bound=Callable[..., Any])


def state_option(command: Command) -> Command:
    """Add --state to a command, which gets `state: str | None`."""
    return _state_option("~/.local/state/prefrontal")(command)


def settings_state_option(command: Command) -> Command:
    """As `state_option`, for a command that reads settings, which may name the folder, too."""
    return _state_option("`state` of the settings, else ~/.local/state/prefrontal")(command)


def _state_option(default: str) -> Callable[[Command], Command]:
    return click.option(
        "--state",
        metavar="DIR",
        envvar="PREFRONTAL_STATE",
        help="Where decisions, modules and what was learned are kept; also PREFRONTAL_STATE."
        f" [default: {default}]",
    )


def state_folder(path: str | None) -> StateFolder:
    """The folder that --state named, or the default."""
    return StateFolder(path or default_state())


@contextmanager
def decision_log(path: str | None) -> Iterator[DecisionLog]:
    """The log of decisions, which must be there. Raises SourceError."""
    folder = state_folder(path)
    if not folder.decisions.exists():
        why = f"{folder.path} holds no decisions yet: `prefrontal watch` makes them"
        raise SourceError(why + _elsewhere(folder))
    from ..decisions.log import DecisionLog

    with DecisionLog(folder.decisions) as log:
        yield log


def _elsewhere(folder: StateFolder) -> str:
    """Where the settings of this place keep decisions, if they name another folder."""
    from ..settings import load_settings
    from ..settings.agent_file import settings_file

    with suppress(PrefrontalError):
        settings = load_settings(settings_file())
        other = StateFolder(settings.state_folder())
        if other.path != folder.path and other.decisions.exists():
            return f"; those of {settings.file} are found with --state {quote(str(other.path))}"
    return ""
