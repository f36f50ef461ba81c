"""`prefrontal install` and `uninstall`: show the difference, ask, write; undo it to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...installation.chosen import NAMES, USUAL_EVERY, USUAL_RECALL, Wish
from ...plain_text import visible
from ...standard_input import is_terminal
from ...storage.state_folder import default_state
from ..answers import answer, even_unread
from ..option_group import option_group, settings_option
from ..styling import painted

if TYPE_CHECKING:
    from ...installation.changes import TextChange
    from ...installation.receipts import InstallReceipt
    from ...installation.target import InstallTarget

_common = option_group(
    click.argument("name", metavar="TARGET", type=click.Choice(NAMES)),
    click.argument("folder", metavar="[DIR]", required=False),
    click.option("--yes", is_flag=True, help="Ask nothing."),
    click.option("--dry-run", is_flag=True, help="Only show what would change."),
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="One JSON object; asks nothing, as --yes, or --dry-run beside it.",
    ),
)


@click.command()
@_common
@settings_option("Settings of the gate")
@click.option(
    "--state",
    metavar="DIR",
    envvar="PREFRONTAL_STATE",
    help="Where the gate keeps its decisions; also PREFRONTAL_STATE. [default: the settings']",
)
@click.option(
    "--every",
    metavar="T",
    help="How often the gate is asked, such as 10m or 1h (openclaw, hermes, cron)."
    f" [default: {USUAL_EVERY}]",
)
@click.option(
    "--exec",
    "command",
    metavar="COMMAND",
    help="What gets the question on its standard input (cron); without it cron mails it.",
)
@click.option("--consult", is_flag=True, help="Also consult before tools are used (claude-code).")
@click.option(
    "--recall",
    type=float,
    metavar="R",
    help=f"Share of what mattered that must be reviewed (github-action). [default: {USUAL_RECALL}]",
)
def install(
    name: str, folder: str | None, yes: bool, dry_run: bool, as_json: bool, **wish: Any
) -> None:
    """Put the gate in front of an agent: shows what it changes, asks, and writes it.

    TARGET is claude-code, openclaw, hermes, systemd, cron or github-action. DIR is the repository
    for github-action, and a project for claude-code, which otherwise means all projects. What is
    there stays as it is, a copy is kept, and `prefrontal uninstall` undoes it to the byte.

    \b
      prefrontal install hermes
      prefrontal install cron --every 30m --exec 'claude -p'
      prefrontal install github-action ~/project --dry-run
    """
    from ...installation.changes import coming
    from ...installation.changes import install as write
    from ...installation.receipts import ReceiptFolder

    target = Wish(name, folder, **wish).target()
    copies = ReceiptFolder(default_state(), target.key)
    receipt = copies.read()
    changes = coming(target, receipt)
    jobs = _new_jobs(target, receipt)
    done = _document(target, changes, jobs, dry_run)
    if not jobs and not any(each.is_one for each in changes):
        notes = [each.note for each in changes if each.note]
        there = f"Nothing to do: the gate is in front of {target.title} already."
        answer(as_json, done, "\n".join([*notes, there]))
        return
    if not as_json:
        with even_unread(agreed=yes):
            _show(target, changes, jobs)
    if not _agreed("install", yes or as_json, dry_run, as_json, done):
        return
    write(target, changes, copies)
    answer(as_json, done, _wrote(target, changes, copies.path))


@click.command()
@_common
def uninstall(name: str, folder: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Take out what `prefrontal install` wrote: each file is then as it was, to the byte.

    Where somebody changed a file since, only what prefrontal wrote goes, and that is said.

    \b
      prefrontal uninstall hermes
    """
    from ...installation.changes import going
    from ...installation.changes import uninstall as take_out
    from ...installation.receipts import ReceiptFolder

    target = Wish(name, folder).target(needs_settings=False)
    copies = ReceiptFolder(default_state(), target.key)
    changes = going(target, copies.read())
    jobs = [line for job in target.jobs if job.is_there() for line in job.removals()]
    done = _document(target, changes, jobs, dry_run)
    if not jobs and not any(each.is_one for each in changes):
        answer(as_json, done, f"Nothing to do: nothing of prefrontal is in {target.title}.")
        return
    if not as_json:
        with even_unread(agreed=yes):
            _show(target, changes, jobs)
    if not _agreed("uninstall", yes or as_json, dry_run, as_json, done):
        return
    saved = take_out(target, changes, copies)
    lines = [
        f"Taken out of {target.title}.",
        *(f"A copy is {visible(each, 500)}." for each in saved),
    ]
    answer(as_json, done | {"copies": saved}, "\n".join(lines))


def _new_jobs(target: InstallTarget, receipt: InstallReceipt | None) -> list[str]:
    """What is run, line by line."""
    known = () if receipt is None else receipt.jobs
    return [
        line
        for job in target.jobs
        if not (job.is_there() and tuple(job.commands()) in known)
        for line in job.commands()
    ]


def _document(
    target: InstallTarget, changes: Sequence[TextChange], jobs: Sequence[str], dry_run: bool
) -> dict[str, Any]:
    """What was done, for programs."""
    return {
        "target": target.name,
        "written": not dry_run and bool(jobs or any(each.is_one for each in changes)),
        "changed": [each.place.name for each in changes if each.is_one],
        "runs": list(jobs),
        "notes": [each.note for each in changes if each.note] + list(target.notes),
    }


def _show(target: InstallTarget, changes: Sequence[TextChange], jobs: Sequence[str]) -> None:
    from ...installation.difference import difference, styled

    for each in changes:
        for line, style in styled(difference(each)) if each.is_one else ():
            click.echo(_coloured(line, style))
        if each.note:
            click.echo(visible(each.note, 1000))
    for line in jobs:
        click.echo(line if line.startswith(" ") else f"runs: {visible(line, 1000)}")
    for note in target.notes:
        click.echo(note)


def _coloured(line: str, style: str) -> str:
    """click takes the colours away where no terminal is."""
    if style == "bold":
        return painted(line, bold=True)
    return painted(line, fg=style) if style else line


def _agreed(verb: str, yes: bool, dry_run: bool, as_json: bool, done: dict[str, Any]) -> bool:
    """Whether it is to be written. Raises InputError where nobody can be asked."""
    if dry_run:
        answer(as_json, done, "Nothing was written (--dry-run).")
        return False
    if yes:
        return True
    if not is_terminal():
        raise InputError(
            f"{verb} must be asked from a terminal, and nothing was written: --yes asks nothing,"
            " --dry-run only shows"
        )
    try:
        if click.confirm("Do this?", default=True):
            return True
    except click.Abort:
        raise KeyboardInterrupt from None  # told as every interrupt is
    click.echo("Nothing was written.")
    return False


def _wrote(target: InstallTarget, changes: Sequence[TextChange], copies: Path) -> str:
    lines = [f"The gate is in front of {target.title}."]
    if any(each.now is not None for each in changes if each.is_one):
        lines.append(f"What was there is kept in {visible(str(copies), 500)}.")
    lines.append(f"`prefrontal uninstall {target.name}` takes it out again. Next:")
    return "\n".join(lines + [f"  {command}   {why}" for command, why in target.following])
