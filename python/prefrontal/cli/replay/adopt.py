"""`prefrontal adopt`: replay a history, and let the live gate go on from its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plain_text import visible
from ...settings.agent_file import FILE_NAME
from ...standard_input import is_terminal
from ..answers import answer, even_unread
from ..candidates import presets

if TYPE_CHECKING:
    from .adoption import AdoptionPlan

EPILOG = """\
A repository is followed from then on: `prefrontal watch` judges each new commit of the branch that
is checked out now as the replay would have, and learns what mattered from the commits themselves.
Of sessions and recorded windows only what was learned is kept: nothing follows them."""


@click.command(epilog=EPILOG)
@click.argument("place", required=False, metavar="[PATH]")
@click.option("--git", "repository", metavar="PATH", help="A git repository.")
@click.option(
    "--events", "file", metavar="FILE", help="Recorded windows, one JSON object a line (.gz too)."
)
@click.option(
    "--recall",
    type=float,
    metavar="R",
    help="Share of what matters to catch; the settings' recall, or 0.9, when not given.",
)
@click.option(
    "--relevant",
    metavar="PRESET",
    help="What mattered, as for `prefrontal replay`; found by itself when not given.",
    shell_complete=presets,
)
@click.option(
    "--module", "module_id", metavar="ID", help="Name of its module; that of the history."
)
@click.option(
    "--config",
    type=click.Path(),
    default=FILE_NAME,
    show_default=True,
    metavar="FILE.yml",
    help="Settings that get it; made when missing.",
)
@click.option(
    "--shadow",
    is_flag=True,
    help="Instead of a history: go on where `prefrontal watch --shadow` ended.",
)
@click.option(
    "--state",
    metavar="DIR",
    envvar="PREFRONTAL_STATE",
    help="With --shadow: the state folder of that watch, where the settings do not say it.",
)
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; asks nothing, as --yes.")
def adopt(
    place: str | None,
    repository: str | None,
    file: str | None,
    recall: float | None,
    relevant: str | None,
    module_id: str | None,
    config: str,
    shadow: bool,
    state: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Replay a history, and write what the gate learned where `prefrontal watch` goes on with it.

    Without any source it is the repository you are in. PATH is a repository, or what OpenClaw or
    Claude Code kept, or a file of recorded windows. Shows what it learned and what it will write,
    and asks. A second time replaces what the first one wrote. With --shadow the gate goes on with
    what a watch in the shadow learned and how far it read; nothing is asked of its time.

    \b
      prefrontal adopt
      prefrontal adopt ~/project --recall 0.95
      prefrontal adopt --events windows.jsonl --yes
      prefrontal adopt --shadow
    """
    if shadow:
        from ..shadow.adoption import adopt_the_shadow

        history_words = (place, repository, file, recall, relevant, module_id)
        if any(each is not None for each in history_words):
            raise InputError(
                "shadow must come without a history and its options, got both: it is adopted as it"
                " is"
            )
        adopt_the_shadow(config, state, yes, as_json)
        return
    source = click.get_current_context().get_parameter_source("state")
    if state is not None and source == click.core.ParameterSource.COMMANDLINE:
        raise InputError(
            "state must come with --shadow: a history goes into the state folder of the settings"
        )
    from ..page import progress
    from .adoption import History, carry_out, plan

    if sum(each is not None for each in (place, repository, file)) > 1:
        raise InputError("adopt must be given one history, got several")
    if not (yes or as_json or is_terminal()):
        raise InputError("adopt must be asked from a terminal; --yes asks nothing")
    history = History.of(place, repository, file)
    with progress() as step:
        planned = plan(history, Path(config), module_id, recall, relevant, step)
    with planned:
        if not as_json:
            with even_unread(agreed=yes):
                _show(planned)
        if not (yes or as_json) and not _agreed():
            click.echo("Nothing was written.")
            return
        carry_out(planned)
    answer(as_json, planned.done(), _done(planned))


def _agreed() -> bool:
    try:
        return click.confirm("Write this?", default=True)
    except click.Abort:
        raise KeyboardInterrupt from None  # told as every interrupt is


def _show(planned: AdoptionPlan) -> None:
    from rich.console import Console

    from ...replay.report.table import print_brief

    console = Console()
    with console.capture() as brief:  # rich would end the process where nobody reads
        print_brief(planned.result, console)
    click.echo(brief.get(), nl=False)
    for line in planned.lines():
        click.echo(visible(line, 1000))


def _done(planned: AdoptionPlan) -> str:
    lines = [f"Wrote {visible(str(planned.config), 500)}. Next:"]
    lines += [f"  {command}   {why}" for command, why in planned.following()]
    return "\n".join(lines)
