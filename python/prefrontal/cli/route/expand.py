"""`prefrontal route tools expand`: phrasings that a model suggests and a person agrees to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError, SourceError
from ...plain_text import one_line
from ...plural import many
from ...routing.exit_codes import NEEDS_APPROVAL, OK
from ...storage.files import write_atomic
from ..answers import even_unread, printable_json
from .person import Person

if TYPE_CHECKING:
    from ...protocols import CodeModel
    from ...routing.types import Tool
    from ...settings.routing import Routing


def expand_tools(
    settings: Routing, workflows: Path, tools: Sequence[Tool], *, agreed: bool, as_json: bool
) -> int:
    """Ask the model about each tool, the person about its phrasings, and keep them.

    Returns the exit code: that of a needed approval when phrasings were suggested and none was
    kept. Raises InputError without a model, SourceError when the model fails; what was kept before
    stays.
    """
    from ...assembly.router import build_layout, build_model

    model = build_model(settings, build_layout(settings, workflows))
    if model is None:
        raise InputError("routing.model must name a model that expands tools, got provider 'none'")
    outcomes: list[bool | None] = []
    for tool in tools:
        try:
            outcomes.append(_expand(model, tool, agreed=agreed, as_json=as_json))
        except SourceError as error:
            raise SourceError(f"{_reached(tool, outcomes, len(tools))}: {error}") from error
    if not tools:
        click.echo("No tool here lacks phrasings; name those to expand all the same.", err=True)
    return NEEDS_APPROVAL if False in outcomes and True not in outcomes else OK


def _expand(model: CodeModel, tool: Tool, *, agreed: bool, as_json: bool) -> bool | None:
    """Whether its phrasings were kept; None where there were none."""
    from ...routing.catalog.expansion import expanded_manifest, expansion_prompt, phrasings_in

    phrasings = phrasings_in(model.complete(expansion_prompt(tool)), tool)
    path, text = expanded_manifest(tool, phrasings)
    if not as_json:
        with even_unread(agreed):
            _show(tool, phrasings, model.name)
    answer = False if not phrasings else agreed or Person().agree(f"Keep them in {path.name}?")
    keeps = bool(answer)
    if keeps:
        write_atomic(path, text)
    if not as_json and phrasings:
        with even_unread(agreed):
            click.echo(one_line(f"  {_outcome(path, answer)}"))
    if as_json:
        row = {"tool": tool.relative, "phrasings": list(phrasings), "manifest": path.name}
        with even_unread(agreed):
            click.echo(printable_json({**row, "kept": keeps}))
    return keeps if phrasings else None


def _reached(tool: Tool, outcomes: Sequence[bool | None], count: int) -> str:
    """Which tool the model failed at, and what became of those before it."""
    at = f"the model failed at {tool.relative}, tool {len(outcomes) + 1} of {count}"
    if not outcomes:
        return f"{at}; nothing was kept"
    keeps = many(outcomes.count(True), "tool before it", "tools before it")
    return f"{at}; the phrasings of {keeps} are kept"


def _outcome(path: Path, answer: bool | None) -> str:
    if answer is None:
        return "not kept: nobody answered; --yes keeps them"
    return f"kept in {path.name}" if answer else "not kept"


def _show(tool: Tool, phrasings: Sequence[str], model: str) -> None:
    click.echo(one_line(f"{tool.relative}: {many(len(phrasings), 'phrasing')} by {model}"))
    for phrasing in phrasings:
        click.echo(one_line(f"  {phrasing}"))
