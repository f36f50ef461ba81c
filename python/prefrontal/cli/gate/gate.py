"""The command `prefrontal gate` for help, completion and slips; `supervisor` answers."""

from __future__ import annotations

from typing import Any

import click

from ..option_group import settings_option
from ..state import settings_state_option
from .call import CODES, LIMIT_S, SLIP, GateCall, exit_codes, seconds
from .supervisor import answer_call

EPILOG = """\
Where nothing can be decided the answer is wake: settings or a state that cannot be read, a defect,
more than the limit. Standard error says why, and so does the answer."""


class Slip(click.UsageError):
    """A slip of the command line, whose exit code is neither wake nor sleep."""

    exit_code = SLIP


class GateCommand(click.Command):
    """Raises `Slip` for what click cannot read."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            raise Slip(error.format_message(), error.ctx) from None


class ExitCodes(click.ParamType[tuple[int, int]]):
    """WAKE/SLEEP."""

    name = "codes"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        try:
            return value if isinstance(value, tuple) else exit_codes(value)
        except ValueError:
            rule = f"be two numbers from 0 to 125 but {SLIP}, as 0/1"
            self.fail(f"must {rule}, got {value!r}", param, ctx)


class Limit(click.ParamType[float]):
    """Seconds."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            return value if isinstance(value, float) else seconds(value)
        except ValueError:
            self.fail(f"must be a number of seconds from 0.1 to 600, got {value!r}", param, ctx)


@click.command(cls=GateCommand, epilog=EPILOG)
@click.argument("directories", nargs=-1, type=click.Path(), metavar="[DIR]...")
@settings_option()
@click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(),
    help="The agent's, with its prefrontal.yml; also PREFRONTAL_HOME.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(CODES)),
    default="text",
    help="Whose contract the answer keeps. [default: text]",
)
@click.option(
    "--exit-codes",
    "codes",
    type=ExitCodes(),
    metavar="WAKE/SLEEP",
    help="Codes to exit with. [default: 0/1; with exit 0/2; 0/0 where another code means failure]",
)
@click.option("--json", "as_json", is_flag=True, help="As --format json.")
@click.option(
    "--limit",
    "limit_s",
    type=Limit(),
    metavar="SECONDS",
    default=LIMIT_S,
    help=f"Wake when nothing is decided by then. [default: {LIMIT_S:g}]",
)
@settings_state_option
def gate(
    directories: tuple[str, ...],
    config: str | None,
    workspace: str | None,
    form: str,
    codes: tuple[int, int] | None,
    as_json: bool,
    limit_s: float,
    state: str | None,
) -> None:
    """Has anything happened since the last call that matters? Wake or sleep, and the question.

    \b
      prefrontal gate && my-agent
      prefrontal gate --workspace ~/assistant --format hermes
      prefrontal gate --format json

    Reads what came into the sources of the settings since the last call, decides as `prefrontal
    watch` does, into the same log, and ends.
    """
    call = GateCall(
        directories,
        config=config,
        workspace=workspace,
        state=state,
        form="json" if as_json else form,
        codes=codes,
        limit_s=limit_s,
    )
    click.get_current_context().exit(answer_call(call, _print))


def _print(descriptor: int, data: bytes) -> None:
    click.echo(data, nl=False, err=descriptor == 2)
