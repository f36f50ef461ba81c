"""What a command did, as a sentence or as a JSON object.

With --json standard output holds nothing but JSON. What went wrong is the same sentence on standard
error, with the same exit code, either way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click

UNREAD = "prefrontal.unread"
"""Where the context keeps what a closed pipe raised; the command ends with it."""
Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add --json to a command that says in a sentence what it did; it gets `as_json`."""
    text = "One JSON object instead of sentences."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def printable_json(value: object, indent: int | None = None) -> str:
    """The value as JSON in UTF-8 that no terminal acts upon: escapes where characters are not to be
    seen, and for the bytes of names that are no UTF-8.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    printable = text.replace("\n", "").isprintable()
    return text if printable else json.dumps(value, indent=indent)


def answer(as_json: bool, done: Mapping[str, Any], sentence: str) -> None:
    """Say what was done. done: the same for programs; all texts whole, as they are."""
    click.echo(printable_json(done) if as_json else sentence)


@contextmanager
def even_unread(agreed: bool = True) -> Iterator[None]:
    """What is printed before work that was asked for: a closed pipe does not stop that work.

    The command ends as on any closed pipe, but after it. agreed: False where what is printed is
    what somebody is asked about; nothing goes on then.
    """
    try:
        yield
    except BrokenPipeError as error:
        if not agreed:
            raise
        click.get_current_context().meta[UNREAD] = error


def raise_unread(context: click.Context) -> None:
    """Raises the BrokenPipeError that `even_unread` kept, if any."""
    error = context.meta.get(UNREAD)
    if isinstance(error, BrokenPipeError):
        raise error
