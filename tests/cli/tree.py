"""Every command of `prefrontal`, with the words that call it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from prefrontal.cli import main


def commands(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


TREE = {" ".join(path): command for path, command in commands()}
LEAVES = {name: each for name, each in TREE.items() if not isinstance(each, click.Group)}
