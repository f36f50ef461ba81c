"""Command lines as pages show them, and whether `prefrontal` would take them."""

from __future__ import annotations

import io
import re
import shlex
from contextlib import redirect_stdout
from dataclasses import dataclass

import click

from prefrontal.cli import main

from .pages import Block

NAME = "prefrontal"
_ENDS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1", ")", "(", "|&"})


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of a block and what the page shows below it."""

    command: str
    output: str
    line: int


def commands_of(block: Block) -> list[Shown]:
    """The commands of a console block (after `$ `) or of a sh block (each line)."""
    found: list[tuple[str, list[str], int]] = []
    going_on = False
    for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
        told = line[2:] if line.startswith("$ ") else line
        starts = line.startswith("$ ") or block.language == "sh"
        if going_on:
            command, output, first = found[-1]
            found[-1] = (f"{command} {told.rstrip(chr(92)).strip()}", output, first)
        elif starts and (block.language == "console" or told.strip()):
            found.append((told.removesuffix("\\").strip(), [], number))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{block.place}: a console block must begin with '$ ', got {line!r}")
        going_on = (starts or going_on) and told.endswith("\\")
    return [Shown(command, "\n".join(lines), number) for command, lines, number in found]


def without_comment(command: str) -> str:
    """The command without what follows a `#` that the shell would pass over."""
    return re.sub(r"(?<!\S)#(?=\s|$).*$", "", command).rstrip()


def calls_in(command: str) -> list[list[str]]:
    """The words after each `prefrontal` of a command line, up to a pipe or the like.

    Raises ValueError for quotation marks that do not end.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words = list(lexer)
    found: list[list[str]] = []
    current: list[str] | None = None
    previous = "|"
    for word in words:
        if word in _ENDS:
            current = None
        elif current is not None:
            current.append(word)
        elif word.rpartition("/")[2] == NAME and _begins(previous):
            found.append(current := [])
        elif word == "#":
            break
        previous = word
    return found


def _begins(previous: str) -> bool:
    """Whether a command can begin after this word: not as the argument of another one."""
    stopped = previous in _ENDS or "=" in previous
    return stopped or previous in ("--", "INT", "exec", "timeout", "nohup") or previous.isdigit()


def refusal(words: list[str]) -> str | None:
    """Why `prefrontal WORDS` is no command line; None when it is one.

    Commands, options, their values and the number of arguments are checked; files need not exist.
    """
    command: click.Command = main
    context: click.Context | None = None
    name, rest = NAME, words
    with redirect_stdout(io.StringIO()):  # --help prints
        try:
            while True:
                context = command.make_context(name, list(rest), parent=context)
                if not isinstance(command, click.Group):
                    return None
                rest = [*getattr(context, "_protected_args", ()), *context.args]
                found, inner, rest = command.resolve_command(context, rest)
                if found is None or inner is None:
                    return f"there is no command {rest!r}"
                name, command = found, inner
        except click.exceptions.NoArgsIsHelpError:
            return "a command must follow"
        except click.UsageError as error:
            return error.format_message()
        except click.exceptions.Exit:
            return None
