"""`prefrontal cortex config`: what the cortex is told, and by whom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..paths import home_short
from ..workspace import workspace_options

if TYPE_CHECKING:
    from pydantic import BaseModel

DEFAULT = "default"


@click.command(short_help="Every setting in effect, and where it comes from.")
@click.option("--check", metavar="FILE", type=click.Path(), help="Only say whether FILE is good.")
@click.option("--set", "only_set", is_flag=True, help="Only what a file sets.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@workspace_options
def config(
    check: str | None, only_set: bool, as_json: bool, workspace: str | None, config: str | None
) -> None:
    """Every setting of the cortex in effect, and the file it comes from.

    \b
      prefrontal cortex config --set
      prefrontal cortex config --check new.yml

    A running agent takes up a changed file at its next reflection; one that cannot be used is
    told of in its log, and the old settings stay.
    """
    if check is not None:
        _check(Path(check))
        return
    rows, warnings = effective(config)
    rows = [row for row in rows if not only_set or row["origin"] != DEFAULT]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row))
    elif rows:
        from .pages import print_settings

        print_settings([(row["key"], _short(row["value"]), _home(row["origin"])) for row in rows])
    else:
        click.echo("No file sets anything below `cortex`; every setting has its default.")
    for sentence in warnings:
        click.echo(f"Warning: {sentence}", err=True)


def effective(path: str | None) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Each setting as key, value and origin, and a sentence for each key that is not known.

    Raises InputError for a value that cannot be used.
    """
    from ...settings.agent_file import agent_files, read_agent_config
    from ...settings.cortex import parse_cortex

    section = read_agent_config(path, keys={"cortex"}).get("cortex")
    settings, warnings = parse_cortex(section)
    origins: dict[str, str] = {}
    for file in agent_files(path):
        alone, _ = parse_cortex(read_agent_config(file, keys={"cortex"}).get("cortex"))
        origins |= dict.fromkeys(_told(alone), str(file))
    rows = [
        {"key": key, "value": value, "origin": origins.get(key, DEFAULT)}
        for key, value in _flat(settings.model_dump(mode="json"), settings)
    ]
    return rows, warnings


def _told(model: BaseModel, before: str = "") -> Iterator[str]:
    """The dotted keys that were told."""
    from pydantic import BaseModel

    for name in model.model_fields_set:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            yield from _told(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def _flat(
    values: Mapping[str, Any], model: BaseModel, before: str = ""
) -> Iterator[tuple[str, Any]]:
    from pydantic import BaseModel

    for name, value in values.items():
        inner = getattr(model, name)
        if isinstance(inner, BaseModel):
            yield from _flat(value, inner, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _check(file: Path) -> None:
    from ...errors import InputError
    from ...settings.agent_file import read_agent_config
    from ...settings.cortex import parse_cortex

    try:
        _, warnings = parse_cortex(read_agent_config(file, keys={"cortex"}).get("cortex"))
    except InputError as error:
        text = str(error)
        raise InputError(text if str(file) in text else f"{file}: {text}") from None
    for sentence in warnings:
        click.echo(f"Warning: {sentence}", err=True)
    verb = "is" if len(warnings) == 1 else "are"
    but = f", but {len(warnings)} of its keys {verb} not known" if warnings else ""
    click.echo(f"{file} can be used{but}.")


def _short(value: object) -> str:
    """A value as a person writes it."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_short, value)) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value) if isinstance(value, bool | dict) else str(value)


def _home(origin: str) -> str:
    return origin if origin == DEFAULT else home_short(origin)
