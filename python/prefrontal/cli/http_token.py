"""What commands that serve have in common: their options, and the token that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from ..http_door import LOOPBACK
from .option_group import HERE_ELSE_OWN, option_group, settings_option
from .state import settings_state_option

if TYPE_CHECKING:
    from ..storage.state_folder import StateFolder


@dataclass(frozen=True, slots=True)
class HttpToken:
    """secret: "" for none. file: where it is kept, if in a file. others: who else has an account
    here, when that is why there is one.
    """

    secret: str
    file: Path | None = None
    others: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """Where the token is and why, for a person."""
        if self.file is None:
            return []
        sentences = [f"The token is in {self.file}; programs send it as Authorization: Bearer."]
        if self.others:
            names = ", ".join(self.others[:3]) + (" and others" if len(self.others) > 3 else "")
            sentences.append(f"{names} can log in here, too; --no-token serves without one.")
        return sentences


def server_options(
    port: int, when: str = "", usual: str = HERE_ELSE_OWN
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options of a command that serves: what it reads, where it listens and who may ask.

    port: the usual one. when: what help says of listening, where the command may do without. usual:
    the settings that are read where none are named.
    """
    return option_group(
        settings_option(usual=usual),
        settings_state_option,
        click.option(
            "--workspace",
            metavar="DIR",
            type=click.Path(),
            help="The agent's; also PREFRONTAL_HOME. [default: `workspace` of the settings, else"
            " ~/.prefrontal/workspace]",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help=f"Where to listen{when}."
        ),
        click.option("--port", default=port, show_default=True, help=f"0 for any free one{when}."),
        click.option(
            "--token-env",
            metavar="NAME",
            help="The environment variable with the token; one is needed unless the host is this"
            " machine alone.",
        ),
        click.option(
            "--token/--no-token",
            default=None,
            help="Ask for a token that is kept in the state folder, or for none. [default: asked"
            " for where others have accounts on this machine]",
        ),
    )


def http_token(
    variable: str | None, wanted: bool | None, host: str, folder: StateFolder
) -> HttpToken:
    """The token to ask for. variable, wanted: what the options say; folder: keeps it.

    Raises InputError for options that contradict each other, SourceError for a bad file.
    """
    from ..settings.accounts import other_accounts
    from ..settings.secrets import environment_secret, file_secret

    if variable is not None:
        if wanted is not None:
            option = "--token" if wanted else "--no-token"
            raise InputError(f"{option} must stand without --token-env, got both")
        return HttpToken(environment_secret("--token-env", variable) or "")
    others: tuple[str, ...] = ()
    if wanted is None and host in LOOPBACK:
        others = tuple(other_accounts())
    if not (wanted or others):
        return HttpToken("")
    folder.make()
    return HttpToken(file_secret(folder.http_token), folder.http_token, others)
