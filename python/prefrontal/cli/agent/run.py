"""`prefrontal agent run`: the agent behind one or more channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...settings.agent_file import CHANNELS
from ..workspace import home_options

if TYPE_CHECKING:
    from ...plugin import Plugin
    from ...settings.home import Home

EPILOG = """\
JSON lines: {"sender_id": "ann", "content": "Hello"} a line in, {"type": "reply", "content": ...} a
line out; the agent ends with the input. Webhook: the same object by POST."""


@click.command(epilog=EPILOG)
@click.option(
    "--channel",
    "names",
    multiple=True,
    type=click.Choice(CHANNELS),
    help="Where messages come from; may be repeated. [default: as `channels` says, or jsonl]",
)
@click.option("--host", metavar="HOST", help="The webhook's address. [default: 127.0.0.1]")
@click.option(
    "--port",
    type=int,
    metavar="PORT",
    help="The webhook's port; 0 takes a free one. [default: 8765]",
)
@click.option("--once", is_flag=True, help="Do what is due now (cron, a reflection), then end.")
@click.option("--log", metavar="LEVEL", help="How much to tell on standard error. [default: info]")
@home_options("channels")
def run(
    names: tuple[str, ...],
    host: str | None,
    port: int | None,
    once: bool,
    log: str | None,
    home: Home,
) -> None:
    """Answer messages until told to stop.

    \b
      prefrontal agent run --channel webhook --port 8080
      prefrontal agent run --channel jsonl < messages.jsonl > replies.jsonl
      prefrontal agent run --once
    """
    from .building import AgentOptions, build, end, once_only

    place = {"host": host, "port": port}
    webhook = {name: value for name, value in place.items() if value is not None}
    options = AgentOptions(home, log, webhook=webhook)
    if once:
        if names:
            raise InputError(f"--once must stand without --channel, got {names[0]!r}")
        once_only(build(options, background=False))
        return
    chosen = names or _usual(home)
    if not {"jsonl", "terminal"} - set(chosen):
        raise InputError("--channel must not be jsonl and terminal at once: both read the input")
    if webhook and "webhook" not in chosen:
        raise InputError("--host and --port must stand with --channel webhook")
    end(build(options, _channels(chosen)))


def _usual(home: Home) -> tuple[str, ...]:
    """The channels that the files set up; JSON lines where they do not."""
    channels = home.config.get("channels") or {}
    return tuple(name for name in CHANNELS if name in channels) or ("jsonl",)


def _channels(chosen: Sequence[str]) -> list[Plugin]:
    made: list[Plugin] = []
    if "jsonl" in chosen:
        from ...runtime.channels.jsonl import JsonLinesChannel

        made.append(JsonLinesChannel())
    if "terminal" in chosen:
        from ...runtime.channels.terminal import TerminalChannel

        made.append(TerminalChannel())
    if "webhook" in chosen:
        from ...runtime.channels.webhook import WebhookChannel

        made.append(WebhookChannel())
    return made
