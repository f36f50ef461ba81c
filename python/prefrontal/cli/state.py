"""The option --state, and the log of decisions behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import SourceError
from ..storage.state_folder import StateFolder, default_state

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog

Command = TypeVar("Command", bound=Callable[..., Any])


def state_option(command: Command) -> Command:
    """Add --state to a command, which gets `state: str | None`."""
    option = click.option(
        "--state",
        metavar="DIR",
        envvar="PREFRONTAL_STATE",
        help="Where decisions, modules and what was learned are kept; also PREFRONTAL_STATE."
        " [default: ~/.local/state/prefrontal]",
    )
    return option(command)


def state_folder(path: str | None) -> StateFolder:
    """The folder that --state named, or the default."""
    return StateFolder(path or default_state())


@contextmanager
def decision_log(path: str | None) -> Iterator[DecisionLog]:
    """The log of decisions, which must be there. Raises SourceError."""
    folder = state_folder(path)
    if not folder.decisions.exists():
        raise SourceError(f"{folder.path} holds no decisions yet: `prefrontal watch` makes them")
    from ..decisions.log import DecisionLog

    with DecisionLog(folder.decisions) as log:
        yield log
