"""`prefrontal route tools`: list, show, promote, move, expand, import from an MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...plain_text import one_line
from ...plural import many
from ..answers import answer, json_option, printable_json
from .options import project_options, settings_of

if TYPE_CHECKING:
    from ...routing.types import Discovery, Tool


@click.group()
def tools() -> None:
    """The tools of a project."""


@tools.command("list")
@project_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a tool.")
def list_tools(as_json: bool, **options: Any) -> None:
    """Every tool, and every file that only looks like one."""
    discovery = _discovered(options)
    owners = {one.name: one for one in discovery.tools if one.runnable and not one.shared}
    for tool in discovery.tools:
        if as_json:
            click.echo(printable_json(as_dict(tool)))
            continue
        where = "" if tool.runnable else "  (not locally runnable)"
        if tool.shared and tool.name in owners:
            where = f"  (shadowed by {owners[tool.name].relative})"
        click.echo(one_line(f"{tool.relative}  {_first_line(tool)}{where}"))
    for finding in discovery.findings:
        click.echo(f"Warning: {one_line(str(finding))}", err=True)
    if not discovery.tools:
        click.echo("No tools yet: workflows/domains/DOMAIN/ACTION/NAME.py makes one.", err=True)


@tools.command("show", short_help="What is known of a tool.")
@click.argument("name", metavar="TOOL")
@project_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show_tool(name: str, as_json: bool, **options: Any) -> None:
    """What is known of a tool: signature, place, manifest, history. TOOL: name or path."""
    from ...clock import SystemClock
    from ...routing.catalog.history import history_success, read_history

    discovery = _discovered(options)
    tool = _named(discovery, name)
    known = as_dict(tool)
    history = read_history(tool.spec.path.parent)
    events = history.of(tool.name if tool.runnable else tool.relative)
    known["history_success"] = history_success(events, SystemClock().now())
    known["events"] = [{"event": one.event, "at": one.at, "intent": one.intent} for one in events]
    if as_json:
        click.echo(printable_json(known))
        return
    for key, value in known.items():
        text = value if isinstance(value, str) else printable_json(value)
        click.echo(one_line(f"{key}: {text}"))


@tools.command("promote", short_help="Validate a file and keep it as a tool.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--domain", required=True, metavar="D", help="Where it goes: domains/D/ACTION.")
@click.option("--action", required=True, metavar="A", help="Where it goes: domains/DOMAIN/A.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--bump", type=click.Choice(["patch", "minor", "major"]), help="At least this one.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Try it without confinement, too.")
@json_option
@project_options
@click.pass_context
def promote_tool(ctx: click.Context, /, file: Path, yes: bool, **options: Any) -> None:
    """Validate a file of your own and keep it as a tool, with record and version."""
    from .promote import promote_file

    settings, workflows = settings_of(options)
    code = promote_file(settings, workflows, file, options, agreed=yes)
    if code:
        ctx.exit(code)


@tools.command("expand", short_help="Keep phrasings of tools that a model suggests.")
@click.argument("names", metavar="[TOOL]...", nargs=-1)
@click.option("--yes", is_flag=True, help="Keep them without asking.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a tool.")
@project_options
@click.pass_context
def expand_named_tools(
    ctx: click.Context, /, names: tuple[str, ...], yes: bool, as_json: bool, **options: Any
) -> None:
    """Ask the model of routing.model, once, how people would ask for a tool.

    What a person agrees to is kept in TOOL.tool.yaml, beside what the manifest said before, for a
    server's tool in the list that was imported, and counts as prompts do that the tool was
    accepted for. Without TOOL, every tool with fewer than ten phrasings.
    """
    from ...routing.catalog.expansion import MOST_PHRASINGS, intents_of
    from .expand import expand_tools

    discovery = _discovered(options)
    chosen = [_named(discovery, name) for name in names] or [
        tool for tool in discovery.tools if tool.runnable and len(intents_of(tool)) < MOST_PHRASINGS
    ]
    settings, workflows = settings_of(options)
    code = expand_tools(settings, workflows, chosen, agreed=yes, as_json=as_json)
    if code:
        ctx.exit(code)


@tools.command("move", short_help="Validate a tool and move it to another folder.")
@click.argument("name", metavar="TOOL")
@click.option("--domain", required=True, metavar="D", help="Where it goes: domains/D/ACTION.")
@click.option("--action", required=True, metavar="A", help="Where it goes: domains/DOMAIN/A.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Try it without confinement, too.")
@json_option
@project_options
@click.pass_context
def move_named_tool(ctx: click.Context, /, name: str, yes: bool, **options: Any) -> None:
    """Validate a domain's tool and move it: a major version, with a record in both folders.

    TOOL: name or path. Compositions call a tool by its file, so they may break.
    """
    from .promote import move_tool

    tool = _named(_discovered(options), name)
    settings, workflows = settings_of(options)
    code = move_tool(settings, workflows, tool, options, agreed=yes)
    if code:
        ctx.exit(code)


@tools.command("import-mcp", short_help="Take in the tools of an MCP server.")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--command",
    metavar="COMMAND",
    help="Start this server instead, ask it over standard input and output, and end it.",
)
@click.option(
    "--env",
    "variables",
    metavar="NAME",
    multiple=True,
    help="A variable that the started server gets, too; may be repeated.",
)
@click.option(
    "--server", metavar="NAME", help="What to call it. [default: the file's name, or its own]"
)
@json_option
@project_options
def import_tools(
    file: Path | None,
    command: str | None,
    variables: tuple[str, ...],
    server: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Take in an MCP server's tools: they rank, but do not run here.

    \b
      prefrontal route tools import-mcp --command "uvx mcp-server-fetch"
      prefrontal route tools import-mcp github.json

    FILE holds its answer to tools/list; --command asks the server itself. The folder of tools is
    made where there is none.
    """
    from ...assembly.router import build_layout
    from ...routing.catalog.mcp_tools import import_listed, import_mcp

    if (file is None) == (command is None):
        raise InputError("import-mcp must have exactly one of FILE and --command")
    if variables and command is None:
        raise InputError("--env must stand beside --command")
    settings, workflows = settings_of(options, must_exist=False)
    layout = build_layout(settings, workflows)
    if file is not None:
        imported, findings = import_mcp(layout, file, server)
    else:
        from ...routing.layout import slug
        from .ask_server import tools_of_server

        own, document = tools_of_server(command or "", variables)
        imported, findings = import_listed(
            layout, Path(own), document, server or slug(own, "server")
        )
    for finding in findings:
        click.echo(f"Warning: {one_line(str(finding))}", err=True)
    where = imported[0].relative.partition("#")[0] if imported else "nothing"
    done = {
        "tools": [tool.relative for tool in imported],
        "findings": [str(finding) for finding in findings],
    }
    answer(as_json, done, f"{many(len(imported), 'tool')} taken in ({where}).")


def as_dict(tool: Tool) -> dict[str, Any]:
    """A tool as plain values for JSON."""
    return {
        "name": tool.name,
        "path": tool.relative,
        "domain": tool.domain,
        "action": tool.action,
        "shared": tool.shared,
        "runnable": tool.runnable,
        "entry": tool.spec.entry,
        "args": [
            {"name": a.name, "type": a.type_hint, "required": a.required, "default": a.default}
            for a in tool.spec.args
        ],
        "returns": list(tool.returns) or tool.return_hint,
        "doc": tool.spec.doc,
        "side_effects": tool.manifest.side_effects if tool.manifest else None,
        "intents": list(tool.manifest.intents) if tool.manifest else [],
        "sha256": tool.sha256,
    }


def _discovered(options: dict[str, Any]) -> Discovery:
    from ...assembly.router import build_layout
    from ...routing.catalog.discovery import discover_all, open_cache

    settings, workflows = settings_of(options)
    layout = build_layout(settings, workflows)
    cache = open_cache(layout) if settings.cache_enabled else None
    return discover_all(layout, cache=cache)


def _named(discovery: Discovery, name: str) -> Tool:
    fitting = [tool for tool in discovery.tools if name in {tool.name, tool.relative}]
    fitting = [tool for tool in fitting if tool.relative == name] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        places = ", ".join(tool.relative for tool in fitting)
        raise InputError(f"TOOL must name one tool, got {name!r}, which may be {places}")
    from difflib import get_close_matches

    near = get_close_matches(name, [tool.name for tool in discovery.tools], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise InputError(f"TOOL must be one that `route tools list` shows, got {name!r}{hint}")


def _first_line(tool: Tool) -> str:
    return tool.spec.doc.strip().partition("\n")[0]
