"""The options --config and --state, and the log of decisions that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import PrefrontalError, SourceError
from ..plain_text import quote_for_shell
from ..settings.agent_file import settings_file
from ..settings.state_place import state_path
from ..storage.state_folder import StateFolder, default_state
from .option_group import option_group, settings_option
from .paths import shell_word

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog

Command = TypeVar("Command", bound=Callable[..., Any])
CONFIG = settings_option("Settings whose `state` is meant")


def state_options(command: Command) -> Command:
    """Add --config and --state to a command, which takes the folder they name as `state`."""

    @wraps(command)
    def with_folder(config: str | None, state: str | None, **options: Any) -> Any:
        return command(state=state_folder(state, config), **options)

    return option_group(CONFIG, settings_state_option)(with_folder)  # type: ignore[return-value]


def settings_state_option(command: Command) -> Command:
    """Add --state to a command that reads settings, which may name the folder, too."""
    return click.option(
        "--state",
        metavar="DIR",
        envvar="PREFRONTAL_STATE",
        help="Where decisions, modules and what was learned are kept; also PREFRONTAL_STATE."
        " [default: `state` of the settings, else ~/.local/state/prefrontal]",
    )(command)


def state_folder(state: str | None, config: str | None = None) -> StateFolder:
    """The folder that --state named, else that of the settings, as for `prefrontal watch`.

    config: the settings that were named. Raises InputError and SourceError for unusable ones.
    """
    return StateFolder(state_path(state, config))


@contextmanager
def decision_log(folder: StateFolder, *, writes: bool = False) -> Iterator[DecisionLog]:
    """The log of decisions, which must be there. Raises SourceError.

    writes: whether the command writes into it; else it is read where nothing can be written, too.
    """
    if not folder.decisions.exists():
        why = f"{folder.path} holds no decisions yet: `prefrontal watch` makes them"
        raise SourceError(why + _elsewhere(folder))
    from ..decisions.log import DecisionLog, log_to_read

    with DecisionLog(folder.decisions) if writes else log_to_read(folder.decisions) as log:
        yield log


def state_words(path: Path) -> str:
    """The option for that folder, after a space, in a command to copy; empty for the default one
    where nothing here names another."""
    whole = path.absolute()
    with suppress(PrefrontalError):
        here = state_path(os.environ.get("PREFRONTAL_STATE")).absolute()
        if whole == here == default_state().absolute():
            return ""
    return f" --state {shell_word(str(whole))}"


def _elsewhere(folder: StateFolder) -> str:
    """Where a shadow, the settings of this place, or a watch without any keep decisions."""
    if folder.shadow.decisions.exists():
        return _found("those of the shadow", folder.shadow)
    with suppress(PrefrontalError):
        for whose, path in ((settings_file(), state_path()), (None, default_state())):
            other = StateFolder(path)
            if other.path != folder.path.absolute() and other.decisions.exists():
                return _found("others" if whose is None else f"those of {whose}", other)
    return ""


def _found(words: str, folder: StateFolder) -> str:
    return f"; {words} are found with --state {quote_for_shell(str(folder.path))}"
