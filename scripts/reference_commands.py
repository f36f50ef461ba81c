"""docs/reference/cli.md, from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

import click

from prefrontal.cli import COMMANDS, main

NAME = "prefrontal"
HEAD = """\
<!-- Written by scripts/make_references.py from the commands; do not edit. -->

# Every command and option

`prefrontal COMMAND --help` says the same. Every command ends with 0 when it is done, with 2 and one
sentence when something handed in was wrong or cannot be read, with 130 after Ctrl-C; what else
there is stands with the command. `PREFRONTAL_TRACEBACK=1` shows where a defect of ours happened.
"""


def page() -> str:
    """The whole page."""
    root = click.Context(main, info_name=NAME, **main.context_settings)
    rows = [
        f"| [`{name}`](#prefrontal-{name}) | {_cell(told)} |\n"
        for name, (_, told) in sorted(COMMANDS.items())
    ]
    table = "".join(["\n| command | what it does |\n| --- | --- |\n", *rows])
    return "".join([HEAD, table, *_sections(main, root)])


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, context, info_name=name)
        yield _section(command, inner)
        if isinstance(command, click.Group):
            yield from _sections(command, inner)


def _section(command: click.Command, context: click.Context) -> str:
    depth = context.command_path.count(" ")
    parts = [f"\n{'#' * min(depth + 1, 4)} {context.command_path}\n"]
    usage = command.get_usage(context).replace("Usage: ", "")
    parts.append(f"\n```text\n{usage}\n```\n")
    parts += [f"\n{each}\n" for each in _prose(command.help or "")]
    shown = shown_as(command)
    options = [each for each in shown.params if isinstance(each, click.Option) and not each.hidden]
    if options:
        parts.append("\n| option | what it does | default |\n| --- | --- | --- |\n")
        parts += [_option(each, context) for each in options]
    if isinstance(command, click.Group) and command.commands:
        names = [n for n in command.list_commands(context) if not command.commands[n].hidden]
        listed = ", ".join(f"`{name}`" for name in names)
        parts.append(f"\nIts commands: {listed}.\n")
    parts += [f"\n{each}\n" for each in _prose(command.epilog or "")]
    return "".join(parts)


def shown_as(command: click.Command) -> click.Command:
    """The command whose options a group shows as its own."""
    if isinstance(command, click.Group) and "prompt" in command.commands:
        return command.commands["prompt"]
    return command


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    names += "".join(f" / `{name}`" for name in option.secondary_opts)
    if not option.is_flag and not option.count:
        metavar = option.make_metavar(context)
        names = names.removesuffix("`") + f" {metavar}`"
    if option.multiple:
        names += ", repeatable"
    text, default = option.help or "", ""
    found = re.search(r"\s*\[default: (.+)\]$", text)
    if found:
        text, default = text[: found.start()], found[1]
    elif option.show_default and option.default is not None:
        default = str(option.default)
    return f"| {names.replace('|', chr(92) + '|')} | {_cell(text)} | {_cell(default)} |\n"


def _prose(text: str) -> Iterator[str]:
    """Paragraphs of a help text; what stands behind \\b becomes a block."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\f", "").strip()):
        lines = paragraph.splitlines()
        if lines and lines[0].strip() == "\b":
            body = dedent("\n".join(lines[1:]))
            language = "sh" if body.lstrip().startswith(NAME) else "text"
            mark = "<!-- not run: an example of the help text -->\n" if language == "sh" else ""
            yield f"{mark}```{language}\n{body}\n```"
        elif lines:
            yield " ".join(line.strip() for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<") or " "
