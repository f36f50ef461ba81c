"""The group of all commands. A subcommand is imported only when it is called.

What goes wrong is a sentence and an exit code (`exit_codes`), never a traceback;
PREFRONTAL_TRACEBACK=1 shows the traceback of a defect. Ctrl-C and SIGTERM end a command without a
word.
"""

from __future__ import annotations

import errno
import os
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import PrefrontalError
from ..interrupts import end_line, exit_code, leave_again, raise_at_signals
from .answers import raise_unread
from .exit_codes import sentence, tell_exit_codes
from .path_faults import path_fault

_CLICKS = (click.ClickException, click.Abort)

SECTIONS = {
    "Start here": {
        "replay": ("replay.replay:replay", "Replay a history: what would have woken the agent?"),
        "adopt": ("replay.adopt:adopt", "Start the live gate where a replay ended."),
        "init": ("run.init:init", "Write a commented prefrontal.yml for this machine."),
        "install": ("install.install:install", "Put the gate in front of an agent."),
        "uninstall": ("install.install:uninstall", "Take the gate out again."),
        "doctor": ("doctor:doctor", "What this machine offers, and what is missing."),
    },
    "The live gate": {
        "watch": ("watch.watch:watch", "Watch, and ask when a signal matters."),
        "gate": ("gate.gate:gate", "Wake or sleep? One answer, for cron, hooks and scripts."),
        "decisions": ("decisions.decisions:decisions", "The latest decisions."),
        "explain": ("decisions.decisions:explain", "Why a decision was made."),
        "feedback": ("decisions.decisions:feedback", "Say whether a wake-up was worth it."),
        "modules": ("watch.modules:modules", "The modules that `watch` runs."),
        "shadow": ("shadow.shadow:shadow", "What a shadow watch would have cost and caught."),
        "verify": ("decisions.verify:verify", "Make the logged decisions again, bit for bit."),
        "dash": ("dash:dash", "The live page: what the gate does, and your say."),
    },
    "Tools, and the whole loop": {
        "route": ("route.route:route", "From a prompt to a validated, promoted tool."),
        "run": ("run.run:run", "Watch, act with a tool or ask, and learn from it."),
        "push": ("replay.push:push", "Should a reviewer look at this push?"),
    },
    "The agent": {
        "agent": ("agent.agent:agent", "An agent that remembers its peers, and reflects."),
        "memory": ("agent.memory:memory", "What the agent remembers."),
        "ledger": (
            "agent.ledger:ledger",
            "The agent's peers: what they said, how far it trusts them.",
        ),
        "cortex": ("cortex.cortex:cortex", "What the agent believes, and why."),
        "mcp": ("mcp:mcp", "Serve agents over the Model Context Protocol."),
    },
    "Also": {
        "storage": ("storage.storage:storage", "Where everything is stored; move it to a server."),
        "control": ("control:control", "Experiments on the control modules."),
        "completion": ("completion:completion", "Print the completion script of a shell."),
        "hook": ("install.hook:hook", "What the hooks of an agent call."),
    },
}
"""Sections of `prefrontal --help`: name of a command -> where it is, and its line there."""
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class LazyGroup(click.Group):
    """A group whose help and completion do not import its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=COMMANDS[name][1]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f".{module}", __package__), name)
        assert isinstance(command, click.Command)
        tell_exit_codes(command, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name what a misspelt command may have meant; click would look among those imported."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from ..nearest import nearest

            close = nearest(name, [*COMMANDS, "--help"])
            hint = f" Did you mean {close!r}?" if close else ""
            ctx.fail(f"No such command {name!r:.100}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, section in SECTIONS.items():
            with formatter.section(title):
                lines = [(name.ljust(width), line) for name, (_, line) in section.items()]
                formatter.write_dl(lines)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Print help and version, too, which come before any command."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except OSError as error:
            _tell(click.Context(self), error)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        if os.environ.get("COLUMNS", "").strip("0") == "":
            os.environ.pop("COLUMNS", None)  # no width at all: nothing would be printed
        try:
            try:
                raise_at_signals()
                result = super().invoke(ctx)
                raise_unread(ctx)
                return result
            finally:
                leave_again()
        except click.exceptions.Exit:
            raise_unread(ctx)
            raise
        except BaseException as error:
            code = exit_code(error)
            if code is None:
                _tell(ctx, error)
                raise
            end_line()
            ctx.exit(code)


def _tell(ctx: click.Context, error: BaseException) -> None:
    """Say what went wrong and leave; what click itself tells better is left to it."""
    if isinstance(error, PrefrontalError):
        _leave(ctx, str(error), 2)
    if not isinstance(error, Exception) or isinstance(error, _CLICKS):
        return
    broken_pipe = isinstance(error, OSError) and error.errno == errno.EPIPE
    if broken_pipe or os.environ.get("PREFRONTAL_TRACEBACK"):
        return  # click ends quietly on a closed pipe
    if (fault := path_fault(error)) is not None:
        _leave(ctx, fault, 2)
    name = type(error).__name__
    text = f"This is a defect of prefrontal, please report it: {name}: {error}"
    _leave(ctx, f"{text} (PREFRONTAL_TRACEBACK=1 shows where)", 1)


def _leave(ctx: click.Context, what: str, code: int) -> None:
    click.echo(f"Error: {what}", err=True)
    ctx.exit(code)


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from .. import __version__

        click.echo(f"prefrontal {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup, epilog=sentence(""), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Executive control for always-on agents: wake the agent only when a signal matters."""
