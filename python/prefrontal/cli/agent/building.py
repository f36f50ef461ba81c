"""An agent built from the options, and how its run ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ..workspace import open_workspace

if TYPE_CHECKING:
    from ...plugin import Plugin
    from ...runtime.running import Runtime

LEVELS = ("debug", "info", "warn", "error", "off")


@dataclass(frozen=True, slots=True)
class Told:
    """What the options of the command line say.

    log: the least grave level that is shown; where neither option nor file says so, usual_log.
    webhook: settings of that channel that stand before those of the files.
    """

    workspace: str | None
    config: str | None
    log: str | None = None
    usual_log: str = "info"
    webhook: Mapping[str, Any] = field(default_factory=dict)


def build(
    told: Told, channels: Sequence[Plugin] = (), *, background: bool = True, discover: bool = True
) -> Runtime:
    """The agent that options and files name.

    Raises InputError, SourceError or PluginError for what cannot be used.
    """
    from ...assembly.agent import build_runtime
    from ...runtime.plugins.config import ConfigPlugin
    from ...settings.agent_file import agent_files, read_agent_config

    place = open_workspace(told.workspace, told.config)

    def read() -> dict[str, Any]:
        return with_options(read_agent_config(told.config), told)

    return build_runtime(
        with_options(place.config, told),
        workspace=place.folder,
        background=background,
        channels=tuple(channels),
        config_plugin=ConfigPlugin(agent_files(told.config), read),
        discover=discover,
    )


def with_options(config: dict[str, Any], told: Told) -> dict[str, Any]:
    """The configuration with the options of the command line in front. Raises InputError."""
    if told.log is not None and told.log not in LEVELS:
        raise InputError(f"--log must be one of {', '.join(LEVELS)}, got {told.log!r}")
    logging = {"level": told.usual_log} | config.get("logging", {})
    result = config | {"logging": logging | ({"level": told.log} if told.log else {})}
    if told.webhook:
        channels = dict(config.get("channels", {}))
        below = channels.get("webhook") or {}
        if isinstance(below, dict):  # the channel refuses what is none
            channels["webhook"] = below | dict(told.webhook)
        result["channels"] = channels
    return result


def end(runtime: Runtime) -> None:
    """Run until a signal or the end of the input, and leave with the exit code that tells which.

    With 1 when answers were lost because the output could not be written.
    """
    number = asyncio.run(runtime.run())
    if number is not None:
        if sys.stderr.isatty():
            click.echo(err=True)  # the terminal showed ^C and stayed in that line
        click.get_current_context().exit(128 + signal.Signals(number))
    channels = runtime.registry.all_with_capability("channel")
    if any(getattr(each, "output_failed", False) for each in channels):
        click.get_current_context().exit(1)


def once_only(runtime: Runtime) -> None:
    """Do what is due now, and stop."""
    asyncio.run(_once(runtime))


async def _once(runtime: Runtime) -> None:
    await runtime.start()
    try:
        await runtime.tick()
    finally:
        await runtime.stop()
