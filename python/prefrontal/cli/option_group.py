"""Options that several commands have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
HERE_ELSE_OWN = "./prefrontal.yml, else ~/.prefrontal/prefrontal.yml"
OWN_THEN_HERE = "~/.prefrontal/prefrontal.yml, then ./prefrontal.yml"
"""Where settings are read that no --config names: one file, or each key where it stands last."""


def settings_option(
    what: str = "Settings, YAML", usual: str = HERE_ELSE_OWN
) -> Callable[[Command], Command]:
    """The option --config. what: what is read from the file. usual: the one without the option."""
    return click.option(
        "--config", metavar="FILE.yml", type=click.Path(), help=f"{what}. [default: {usual}]"
    )


def option_group(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """One decorator that adds all of these, listed by --help in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
