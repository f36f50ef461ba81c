"""`prefrontal init`: write a commented prefrontal.yml for this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...errors import InputError, SourceError
from ...home_folder import expanded, known_home
from ...installation.runtimes import TITLES, runtimes_here
from ...plain_text import quote_for_shell, visible
from ...standard_input import is_terminal
from ...storage.files import write_atomic
from .. import COMMANDS
from ..answers import answer
from ..paths import check_utf8
from .init_document import OPENCLAW_TOKEN, document
from .init_findings import look_around
from .init_questions import OPENCLAW, Answers, ask, usual

FILE_NAME = "prefrontal.yml"


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Ask nothing; take what is found.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; asks nothing, as --yes.")
def init(folder: Path, yes: bool, force: bool, as_json: bool) -> None:
    """Write a commented prefrontal.yml for this machine into DIR, after at most five questions.

    \b
      prefrontal init
      prefrontal init ~/assistant --yes
    """
    folder = Path(os.path.realpath(expanded(folder)))
    path = folder / FILE_NAME
    if folder.exists() and not folder.is_dir():
        raise InputError(f"DIR must be a folder, got the file {str(folder)!r}")
    if path.exists() and not force:
        raise InputError(f"{path} is there already; --force replaces it")
    check_utf8("DIR", folder)
    yes = yes or as_json
    if not (yes or is_terminal()):
        raise InputError("init must be asked from a terminal; --yes asks nothing")
    findings = look_around(folder, known_home() or folder)
    try:
        answers = usual(findings, folder) if yes else ask(findings, folder)
    except click.Abort:
        raise KeyboardInterrupt from None  # told as every interrupt is
    _write(path, document(answers, folder))
    following = _next(path, answers)
    done = {"file": str(path), "next": [command for command, _ in following]}
    wrote = f"Wrote {visible(str(path), 500)}. Next:"
    answer(as_json, done, "\n".join([wrote, *(f"  {each}   {why}" for each, why in following)]))
    if not yes:
        _offer(path)


def _offer(path: Path) -> None:
    """Put the gate in front of the agents that are here, if a person wishes it."""
    from ..install.install import install

    for name in runtimes_here():
        title = TITLES[name]
        try:
            wanted = click.confirm(f"Show what puts the gate in front of {title}?", default=False)
        except click.Abort:
            raise KeyboardInterrupt from None  # told as every interrupt is
        if wanted:
            install.main([name, "--config", str(path)], standalone_mode=False)


def _write(path: Path, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        rule = "names of files must be UTF-8 to stand in settings"
        raise InputError(f"{rule}, got {_around(text, error.start)!r}") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{path.parent} cannot be made: {error.strerror}") from None
    write_atomic(path, text)


def _around(text: str, place: int) -> str:
    """The line of that character."""
    return text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0].strip()


def _next(path: Path, answers: Answers) -> list[tuple[str, str]]:
    """Which commands come next, and what each does."""
    config = quote_for_shell(str(path))
    lines = []
    repository = next((each for kind, each in answers.watched if kind == "git"), None)
    if repository is not None and _may_have_commits(repository):
        command = f"prefrontal replay --git {quote_for_shell(str(repository))}"
        lines.append((command, "what it would have cost"))
    if answers.told == OPENCLAW:
        lines.append((f"export {OPENCLAW_TOKEN}=...", "hooks.token of your OpenClaw"))
    for name in runtimes_here():
        command = f"prefrontal install {name} --config {config}"
        lines.append((command, f"the gate in front of {TITLES[name]}"))
    lines.append((f"prefrontal watch --config {config}", "ask when something matters"))
    if answers.acts and "run" in COMMANDS:
        lines.append((f"prefrontal run --config {config}", "and act on it"))
    return lines


def _may_have_commits(repository: Path) -> bool:
    """Whether a replay has something to read; what git cannot say, the replay tells."""
    from ...replay.histories.git_repository import has_commits

    try:
        return has_commits(str(repository))
    except SourceError:
        return True
