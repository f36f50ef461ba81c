"""The questions of `prefrontal init`, at most five, and what they come to without asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from ...errors import InputError
from ...home_folder import expanded
from ...plain_text import visible
from ...pulse.sinks import CommandSink, HttpSink
from ...settings.gate import USUAL_RECALL
from ..paths import check_utf8, home_short

if TYPE_CHECKING:
    from .init_findings import Findings

TERMINAL, OPENCLAW = "terminal", "openclaw"

Kind = Literal["git", "directories", "logs"]
Watched = tuple[Kind, Path]
Value = TypeVar("Value")
_SHOWN = {"git": "new commits in", "directories": "files in", "logs": "new lines of"}


@dataclass(frozen=True, slots=True)
class Answers:
    """What is to be written.

    watched: kind and path. told: "terminal", "openclaw", an address or a command. recall: above 0
    and at most 1. quiet: first and last hour, None for none. acts: whether wakes are routed to
    tools that are run.
    """

    watched: tuple[Watched, ...]
    told: str = TERMINAL
    recall: float = USUAL_RECALL
    quiet: tuple[int, int] | None = None
    acts: bool = False


def usual(findings: Findings, folder: Path) -> Answers:
    """What is taken where nobody is asked: the nearest repository and the downloads."""
    return Answers(tuple(_chosen(findings, folder)))


def ask(findings: Findings, folder: Path) -> Answers:
    """Ask a person. Raises click.Abort when the person leaves."""
    offered = _offered(findings, folder)
    click.echo("What may Prefrontal watch? Found here:")
    for number, (kind, path) in enumerate(offered, 1):
        click.echo(f"  {number}  {_SHOWN[kind]} {visible(home_short(str(path)), 200)}")
    chosen = [str(offered.index(each) + 1) for each in _chosen(findings, folder)]
    watched = _prompt(
        "Numbers, or folders of your own, separated by commas",
        ",".join(chosen),
        lambda text: _picked(text, offered, folder),
    )
    claw = f", {OPENCLAW}" if findings.openclaw else ""
    target = _prompt(
        f"Where do questions go: {TERMINAL}{claw}, a command, or an http address",
        OPENCLAW if findings.openclaw else TERMINAL,
        _place,
    )
    recall = _prompt(
        "Which share of what matters must be caught (0 to 1)", f"{USUAL_RECALL}", _share
    )
    quiet = _prompt("Quiet hours, the first and the last, such as 22-6, or none", "none", _hours)
    acts = click.confirm("Let `prefrontal run` act on wakes with tools, in a sandbox?", False)
    return Answers(watched, target, recall, quiet, acts)


def _offered(findings: Findings, folder: Path) -> list[Watched]:
    offered: list[Watched] = [("git", each) for each in findings.repositories]
    if findings.downloads is not None:
        offered.append(("directories", findings.downloads))
    offered += [("logs", each) for each in findings.logs]
    return [*offered, ("directories", folder)]


def _chosen(findings: Findings, folder: Path) -> list[Watched]:
    chosen: list[Watched] = [("git", each) for each in findings.repositories[:1]]
    if findings.downloads is not None:
        chosen.append(("directories", findings.downloads))
    return chosen or [("directories", folder)]


def _prompt(question: str, default: str, read: Callable[[str], Value]) -> Value:
    """Ask until the answer can be read."""

    def checked(text: str) -> Value:
        try:
            return read(text.strip())
        except InputError as error:
            raise click.BadParameter(str(error)) from None

    answer: Value = click.prompt(question, default=default, value_proc=checked)
    return answer


def _picked(text: str, offered: list[Watched], folder: Path) -> tuple[Watched, ...]:
    """Numbers of what is offered, and folders."""
    picked: list[Watched] = []
    for word in filter(None, map(str.strip, text.split(","))):
        if word.isascii() and word.isdigit():
            if not 1 <= int(word) <= len(offered):
                raise InputError(f"number must be one of 1 to {len(offered)}, got {word}")
            picked.append(offered[int(word) - 1])
            continue
        try:
            path = (folder / expanded(word)).resolve()
        except (OSError, ValueError) as error:
            raise InputError(f"folder must be one that can be, got {word!r} ({error})") from None
        if not path.exists():
            raise InputError(f"folder must be there, got {word!r}")
        check_utf8("folder", path)
        kind: Kind = "git" if (path / ".git").exists() else "directories"
        picked.append((kind if path.is_dir() else "logs", path))
    if not picked:
        raise InputError("what to watch must be one thing at least, got none")
    return tuple(dict.fromkeys(picked))


def _place(text: str) -> str:
    if text not in (TERMINAL, OPENCLAW):
        sink = HttpSink(text) if text.startswith(("http://", "https://")) else CommandSink(text)
        sink.close()
    return text


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise InputError(f"recall must be a number above 0 and at most 1, got {text!r}")
    return share


def _hours(text: str) -> tuple[int, int] | None:
    if text.casefold() in ("", "none", "no"):
        return None
    parts = [part.strip() for part in text.split("-")]
    if len(parts) != 2 or not all(each.isascii() and each.isdigit() for each in parts):
        raise InputError(f"quiet hours must be two hours, such as 22-6, got {text!r}")
    first, last = map(int, parts)
    if max(first, last) > 23:
        raise InputError(f"quiet hours must be two hours 0..23, got {text!r}")
    return first, last
