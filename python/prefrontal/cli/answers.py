"""What a command did, as a sentence or as a JSON object.

With --json standard output holds nothing but JSON. What went wrong is the same sentence on standard
error, with the same exit code, either way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add --json to a command that says in a sentence what it did; it gets `as_json`."""
    text = "One JSON object instead of sentences."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def answer(as_json: bool, done: Mapping[str, Any], sentence: str) -> None:
    """Say what was done. done: the same for programs; all texts whole, as they are."""
    click.echo(json.dumps(done, ensure_ascii=False) if as_json else sentence)
