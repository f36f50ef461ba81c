"""Options that every `prefrontal route` command shares, and what they make of the settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError, SourceError
from ...settings.agent_file import own_file
from ..option_group import option_group, settings_option

if TYPE_CHECKING:
    from ...routing.run.request import Mode
    from ...settings.routing import Routing

_ROUTING = re.compile(rb"^\s*[\"'{]?\s*[\"']?routing\b", re.MULTILINE)

project_options = option_group(
    click.option(
        "--workflows",
        metavar="DIR",
        type=click.Path(),
        help="The folder of tools; logs go beside it. [default: workflows]",
    ),
    settings_option(usual="`routing` of ~/.prefrontal/prefrontal.yml"),
)


def settings_of(options: Mapping[str, Any], *, must_exist: bool = True) -> tuple[Routing, Path]:
    """The settings below `routing`, the command line in front, and the folder of tools.

    must_exist: whether a missing folder is an error. Raises InputError for bad settings,
    SourceError for that.
    """
    routing, root = _loaded(options["config"])
    flags = {"cache_enabled": options.get("cache"), "rag_enabled": options.get("rag")}
    routing = routing.model_copy(update={k: v for k, v in flags.items() if v is not None})
    folder = options["workflows"]
    workflows = Path(folder) if folder else root
    if must_exist and not workflows.is_dir():
        hint = "tools are Python files in DOMAIN/ACTION/ of its folder domains"
        other = "" if folder else "; --workflows DIR names another folder"
        raise SourceError(f"{workflows} is not a folder of tools: {hint}{other}")
    return routing, workflows


def _loaded(config: str | None) -> tuple[Routing, Path]:
    """The settings and workflows_root; where nothing is set, nothing is loaded to read it.

    A file in the current folder is left alone: settings name code that runs, and the folder may be
    a stranger's.
    """
    file = config or _own_file()
    if file is None and not any(name.upper().startswith("PREFRONTAL_") for name in os.environ):
        from ...settings.routing import Routing

        routing = Routing()
        return routing, Path(routing.workflows_root)
    from ...settings import load_settings

    whole = load_settings(file)
    folder = whole.routing.workflows_root
    named = config is not None or "workflows_root" in whole.routing.model_fields_set
    return whole.routing, whole.path(folder) if named else Path(folder)


def _own_file() -> Path | None:
    """The person's own file of settings, where it may say something of routing."""
    file = own_file()
    try:
        return file if file and _ROUTING.search(file.read_bytes()) else None
    except FileNotFoundError:
        return None
    except OSError:
        return file  # whoever reads it says why it cannot be


def mode_of(options: Mapping[str, Any]) -> Mode:
    """How far the route goes. Raises InputError for options that exclude each other."""
    from ...routing.run.request import Mode

    if options.get("plan_only") and (options.get("dry_run") or options.get("non_interactive")):
        raise InputError("--plan must stand alone: it validates and keeps nothing")
    return Mode(
        plan_only=options.get("plan_only", False),
        dry_run=options.get("dry_run", False),
        interactive=not options.get("non_interactive", False),
        allow_generated=options.get("allow_generated", False),
        allow_weak_sandbox=options.get("allow_weak_sandbox", False),
    )
