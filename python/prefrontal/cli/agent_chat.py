"""`prefrontal agent chat`: talk to the agent in this terminal."""

from __future__ import annotations

import sys

import click

from .modules import plain
from .workspace import open_workspace, workspace_options


@click.command()
@click.option("--log", metavar="LEVEL", help="Show the agent's log: debug, info, warn or error.")
@workspace_options
def chat(log: str | None, workspace: str | None, config: str | None) -> None:
    """Talk to the agent here, a line a message; /quit or the end of the input ends it.

    What the agent says of its own accord (a holding reply, a follow-up that a reflection asked
    for) stands on lines of its own. Nothing is kept but what every agent keeps: its ledger, its
    memory and its reflections, in the workspace.
    """
    from ..runtime.channels.terminal import TerminalChannel
    from .agent_building import Told, build, end

    identity = open_workspace(workspace, config, keys=("identity",)).config.get("identity") or {}
    name = plain(str(identity.get("name") or "agent"))
    channel = TerminalChannel(agent=name, prompt="> " if sys.stdin and sys.stdin.isatty() else "")
    runtime = build(Told(workspace, config, log, usual_log="warn"), [channel])
    click.echo(f"Talking to {name}. /quit ends.", err=True)
    end(runtime)
