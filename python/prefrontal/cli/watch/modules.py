"""`prefrontal modules`: which modules `prefrontal watch` runs, and what they mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..answers import answer, json_option
from ..candidates import module_names
from ..paths import home_short
from ..state import state_options
from .watched_sources import watched_sources

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...storage.state_folder import StateFolder

LEAST_NAME = 12
"""Columns of a terminal that a long name gets, or a third of all."""


@click.group()
def modules() -> None:
    """The modules that `prefrontal watch` runs: who asks, what to watch, what to ask."""


@modules.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@state_options
def list_modules(as_json: bool, state: StateFolder) -> None:
    """Every module that is kept."""
    from .module_files import kept_modules

    module_list = kept_modules(state)
    if as_json:
        for module in module_list:
            document = module.fingerprint and module.fingerprint.to_dict()
            click.echo(
                json.dumps({"file": str(module.path), "module": document, "error": module.error})
            )
        return
    if not module_list:
        click.echo(f"No module is kept in {state.modules}; `prefrontal modules add FILE` adds one.")
        return
    from rich.table import Table

    from ..page import page

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("module", no_wrap=True)
    table.add_column("from", justify="right")
    table.add_column("watches", overflow="fold")
    for module in module_list:
        if module.fingerprint is None:
            table.add_row(module.path.name, "", f"cannot be used: {module.error}")
        else:
            own = module.fingerprint.default_threshold
            threshold = "recall" if own is None else f"{own:.2f}"
            table.add_row(
                plain(module.fingerprint.module_id), threshold, watched(module.fingerprint)
            )
    with page() as console:
        table.columns[0].max_width = max(LEAST_NAME, console.width // 3)
        console.print(table)


@modules.command("add", short_help="Check a fingerprint and keep it.")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@state_options
def add_module(file: Path, as_json: bool, state: StateFolder) -> None:
    """Check a fingerprint (JSON or YAML) and keep it for `prefrontal watch`."""
    from .module_files import keep, read_fingerprint

    fingerprint = read_fingerprint(file)
    replaced = keep(state, fingerprint)
    verb = "Replaced" if replaced else "Added"
    answer(
        as_json,
        {"module_id": fingerprint.module_id, "replaced": replaced, "module": fingerprint.to_dict()},
        f"{verb} {plain(fingerprint.module_id)}: watches {watched(fingerprint)}.\n"
        "A watch that is running takes it up when it is started again.",
    )


@modules.command("remove")
@click.argument("module_id", metavar="ID", shell_complete=module_names)
@json_option
@state_options
def remove_module(module_id: str, as_json: bool, state: StateFolder) -> None:
    """Remove a kept module; what it learned stays in the log."""
    from .module_files import drop

    drop(state, module_id)
    answer(as_json, {"module_id": module_id, "removed": True}, f"Removed {plain(module_id)}.")


@modules.command("check", short_help="Check a fingerprint and say what it means.")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def check_module(file: Path, as_json: bool) -> None:
    """Check a fingerprint (JSON or YAML) and say what it means, signal by signal."""
    from .module_files import read_fingerprint
    from .module_meaning import sentences

    fingerprint = read_fingerprint(file)
    meaning = list(sentences(fingerprint))
    heading = f"{plain(fingerprint.module_id)} is a good fingerprint. Before anything was learned:"
    answer(
        as_json,
        {"module_id": fingerprint.module_id, "meaning": meaning},
        "\n".join([heading, *(f"  {each}" for each in meaning)]),
    )


def watched(fingerprint: ModuleFingerprint) -> str:
    """What the module watches, in a few words."""
    parts = []
    if fingerprint.history:
        return "the history that it was adopted from"
    if files := fingerprint.filesystem:
        kinds = f" ({', '.join(files.relevant_extensions)})" if files.relevant_extensions else ""
        parts.append(f"{', '.join(map(home_short, files.watch_directories))}{kinds}")
    if memory := fingerprint.memory:
        parts.append(f"memory {', '.join(memory.watch_namespaces)}")
    parts += watched_sources(fingerprint)
    if time := fingerprint.time:
        hours = f"{time.active_hours[0]:02d}:00 to {time.active_hours[1]:02d}:59"
        parts.append(f"mostly {hours}" if parts else f"the clock, {hours}")
    return plain("; ".join(parts)) or "everything"


def plain(text: str) -> str:
    """One line that a terminal can show, however it came."""
    from ...plain_text import visible

    return visible(text, 2000)
