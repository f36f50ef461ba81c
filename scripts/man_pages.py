"""The manual: prefrontal(1) and a page for each of its commands, from the commands themselves."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click

from prefrontal.cli import COMMANDS, main
from prefrontal.cli.exit_codes import HEADING
from reference_commands import shown_as

NAME = "prefrontal"
ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {
    "PREFRONTAL_STATE": "Where decisions, modules and what was learned are kept.",
    "PREFRONTAL_HOME": "The workspace of the agent.",
    "PREFRONTAL_TRACEBACK": "Set to 1, a defect of ours shows its traceback.",
    "PREFRONTAL_ISA": "scalar, base, v3 or v4: the instruction set; all give the same bits.",
    "NO_COLOR": "Set to anything, nothing is coloured.",
}
FILES = {
    "~/.prefrontal/prefrontal.yml": "Settings; those of ./prefrontal.yml stand in front.",
    "~/.local/state/prefrontal": "Decisions, modules and what was learned.",
    "~/.prefrontal/workspace": "What the agent keeps.",
}


def pages() -> dict[str, str]:
    """File name -> page, for all commands."""
    root = click.Context(main, info_name=NAME, **main.context_settings)
    found = {f"{NAME}.1": _overview(root)}
    for name, (_, line) in sorted(COMMANDS.items()):
        command = main.get_command(root, name)
        assert command is not None
        context = click.Context(command, root, info_name=name)
        found[f"{NAME}-{name}.1"] = "".join(_page(command, context, line))
    return found


def _overview(root: click.Context) -> str:
    lines = [_head(NAME, (main.help or "").strip()), ".SH SYNOPSIS\n"]
    lines += [f".B {NAME}\n[OPTIONS] COMMAND [ARGS]...\n", ".SH DESCRIPTION\n"]
    lines += [_text(main.help or ""), ".SH COMMANDS\n"]
    lines += [_entry(f"{NAME}-{name}(1)", line) for name, (_, line) in sorted(COMMANDS.items())]
    lines += [".SH OPTIONS\n", *_options(main, root), *_codes(main)]
    lines += [".SH ENVIRONMENT\n", *(_entry(*each) for each in ENVIRONMENT.items())]
    lines += [".SH FILES\n", *(_entry(*each) for each in FILES.items())]
    return "".join(lines)


def _page(command: click.Command, context: click.Context, line: str) -> Iterator[str]:
    yield _head(f"{NAME}-{context.info_name}", line)
    yield ".SH SYNOPSIS\n" + _usage(command, context)
    yield ".SH DESCRIPTION\n" + _prose(command.help or "")
    yield from _listed(".SH OPTIONS\n", command, context)
    for inner, below in _below(command, context):
        words = below.command_path.removeprefix(f"{NAME} {context.info_name} ")
        yield f".SH COMMAND: {_escaped(words.upper())}\n" + _usage(inner, below)
        yield ".PP\n" + _prose(inner.help or "")
        yield from _options(inner, below)
        yield _prose(_notes(inner))
        yield ".PP\n" + _text(HEADING + _codes_of(inner))
    if notes := _notes(command):
        yield ".SH NOTES\n" + _prose(notes)
    yield from _codes(command)
    yield f".SH SEE ALSO\n.BR {NAME} (1)\n"


def _below(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.commands[name]
            below = click.Context(inner, context, info_name=name)
            if not inner.hidden:
                yield inner, below
                yield from _below(inner, below)


def _head(name: str, line: str) -> str:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    title = f'.TH {_escaped(name.upper())} 1 "" "{NAME} {told["version"]}" "Prefrontal"\n'
    mark = '.\\" Written by scripts/make_references.py from the commands; do not edit.\n'
    return f"{mark}{title}.SH NAME\n{_escaped(name)} \\- {_escaped(line.strip().rstrip('.'))}\n"


def _usage(command: click.Command, context: click.Context) -> str:
    forms = [each.strip() for each in command.get_usage(context).split("Usage: ") if each.strip()]
    path = context.command_path
    words = [" ".join(each.removeprefix(path).split()) for each in forms]
    return ".br\n".join(f".B {_escaped(path)}\n{_escaped(each)}\n" for each in words)


def _listed(title: str, command: click.Command, context: click.Context) -> Iterator[str]:
    if options := list(_options(command, context)):
        yield title
        yield from options


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for option in shown_as(command).get_params(context):
        record = option.get_help_record(context)
        if record is not None and record[1]:
            yield _entry(*record)


def _entry(term: str, text: str) -> str:
    return f".TP\n.B {_escaped(term)}\n{_text(text)}"


def _notes(command: click.Command) -> str:
    return (command.epilog or "").partition(HEADING)[0].strip()


def _codes_of(command: click.Command) -> str:
    return " ".join((command.epilog or "").partition(HEADING)[2].split())


def _codes(command: click.Command) -> Iterator[str]:
    yield ".SH EXIT STATUS\n"
    for each in _codes_of(command).removesuffix(".").split("; "):
        code, _, meaning = each.partition(" ")
        yield _entry(code, meaning)


def _prose(text: str) -> str:
    """Paragraphs of a help text; what stands behind \\b stays as it is."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", dedent(text.replace("\f", "")).strip()):
        lines = paragraph.splitlines()
        if lines and lines[0].strip() == "\b":
            body = _escaped(dedent("\n".join(lines[1:])))
            parts.append(f".PP\n.RS 4\n.nf\n{body}\n.fi\n.RE\n")
        elif lines:
            parts.append(f".PP\n{_text(paragraph)}")
    return "".join(parts).removeprefix(".PP\n")


def _text(text: str) -> str:
    return _escaped(" ".join(text.split())) + "\n"


def _escaped(text: str) -> str:
    """Text as roff shows it: no escapes, no request at the beginning of a line."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    safe = safe.replace("'", "\\(aq").replace("~", "\\(ti").replace("^", "\\(ha")
    return re.sub(r"^\.", r"\\&.", safe, flags=re.MULTILINE)
