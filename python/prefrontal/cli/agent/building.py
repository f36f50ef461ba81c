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

if TYPE_CHECKING:
    from ...plugin import Plugin
    from ...runtime.runtime import Runtime
    from ...settings.home import Home

LEVELS = ("debug", "info", "warn", "error", "off")


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What the options of the command line say.

    log: the least grave level that is shown; where neither option nor file says so, usual_log.
    webhook: settings of that channel that stand before those of the files.
    """

    home: Home
    log: str | None = None
    usual_log: str = "info"
    webhook: Mapping[str, Any] = field(default_factory=dict)


def build(
    options: AgentOptions,
    channels: Sequence[Plugin] = (),
    *,
    background: bool = True,
    discover: bool = True,
) -> Runtime:
    """The agent that options and files name.

    Raises InputError, SourceError or PluginError for what cannot be used.
    """
    from ...assembly.agent import build_runtime
    from ...runtime.plugins.config import ConfigPlugin
    from ...settings.agent_file import agent_files

    def read() -> dict[str, Any]:
        return with_options(options.home.whole_config(), options)

    return build_runtime(
        read(),
        workspace=options.home.folder,
        background=background,
        channels=tuple(channels),
        config_plugin=ConfigPlugin(agent_files(options.home.file), read),
        discover=discover,
    )


def with_options(config: dict[str, Any], options: AgentOptions) -> dict[str, Any]:
    """The configuration with the options of the command line in front. Raises InputError."""
    if options.log is not None and options.log not in LEVELS:
        raise InputError(f"--log must be one of {', '.join(LEVELS)}, got {options.log!r}")
    logging = {"level": options.usual_log} | config.get("logging", {})
    result = config | {"logging": logging | ({"level": options.log} if options.log else {})}
    if options.webhook:
        channels = dict(config.get("channels", {}))
        below = channels.get("webhook") or {}
        if isinstance(below, dict):  # the channel refuses what is none
            channels["webhook"] = below | dict(options.webhook)
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
