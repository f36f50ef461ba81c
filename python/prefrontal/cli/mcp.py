"""`prefrontal mcp`: serve agents that speak the Model Context Protocol."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..http_door import CommandDoor
from ..interrupts import leave_after, leaving_at_once
from ..mcp_sdk import require_mcp_sdk
from ..standard_input import is_terminal
from .http_token import HttpToken, http_token, server_options
from .watch.gate_options import gate_options, gate_overrides

if TYPE_CHECKING:
    from ..http_door import Door
    from ..settings import Settings
    from ..storage.state_folder import StateFolder

FOR_A_PERSON = (
    "Speaks MCP on standard input and output: add it to your agent, as in"
    " `claude mcp add prefrontal -- prefrontal mcp`. Ctrl-C stops."
)
MOST_BYTES = 4 << 20


@click.command()
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="Standard input and output, or streamable HTTP.",
)
@server_options(port=8767, when=" (http)", usual="~/.prefrontal/prefrontal.yml")
@gate_options
@click.option("--no-wakes", is_flag=True, help="Do not tell clients of new wakes.")
def mcp(
    transport: str,
    config: str | None,
    workspace: str | None,
    recall: float | None,
    threshold: float | None,
    log_refusals: bool,
    no_wakes: bool,
    **options: Any,
) -> None:
    """Serve should_wake, give_feedback, route_tool, consult and more to agents over MCP.

    Clients that ask for it are told of each new wake in the log, whoever decided it. Nothing but
    the protocol is written to standard output. Over http, `replay` reads only below the folder in
    which the server was started.
    """
    require_mcp_sdk("this command")
    with leaving_at_once():
        from ..mcp.audience import EVERY_S
        from ..mcp.served import open_served
        from ..mcp.server import build_server
        from ..mcp.transports import serve_http, serve_stdio
        from .watch.module_files import given_modules

    overrides = gate_overrides(recall, threshold, log_refusals)
    settings, state = _settings(config, overrides, options["state"])
    token, door = _door(options, state) if transport == "http" else (None, None)
    readable = None if door is None else Path.cwd()
    with open_served(
        settings,
        state,
        [module for _, module in given_modules(settings, state)],
        config=config,
        workspace=workspace,
        readable=readable,
    ) as served:
        server = build_server(served, None if no_wakes else EVERY_S)
        if door is None or token is None:
            if is_terminal():
                click.echo(FOR_A_PERSON, err=True)
            serve_stdio(server)
            return
        number = serve_http(server, door, partial(_ready, token))
    leave_after(number)


def _ready(token: HttpToken, address: str) -> None:
    lines = [f"Serving {address}", *token.sentences(), "Ctrl-C stops."]
    click.echo("\n".join(lines), err=True)


def _door(options: dict[str, Any], state: StateFolder) -> tuple[HttpToken, Door]:
    """Raises InputError for a host of the world without a token, and the like."""
    host = options["host"]
    token = http_token(options["token_env"], options["token"], host, state)
    return token, CommandDoor(host, options["port"], token.secret, MOST_BYTES)


def _settings(
    config: str | None, overrides: dict[str, Any], state: str | None
) -> tuple[Settings, StateFolder]:
    """A file in the current folder is left alone: an agent starts the server wherever it works."""
    from ..settings import load_settings
    from ..settings.agent_file import own_file
    from ..storage.state_folder import StateFolder

    own = own_file()
    settings = load_settings(config or (own if own and own.exists() else None), overrides)
    return settings, StateFolder(state or settings.state_folder())
