"""docs/reference/ says what the models and the commands say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from prefrontal.assembly.agent import build_runtime
from prefrontal.cli import main
from prefrontal.settings.cortex import CortexSettings
from prefrontal.settings.models import Settings

from .pages import REPOSITORY, read

SCRIPT = REPOSITORY / "scripts" / "make_references.py"
CONFIGURATION = "docs/reference/configuration.md"


def made(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, words)], capture_output=True, text=True, check=False
    )


def rows() -> Iterator[tuple[str, list[str]]]:
    """Section and cells of every key on the page."""
    section = ""
    for line in read(CONFIGURATION).splitlines():
        if line.startswith("#"):
            section = line.strip("# `")
        elif line.startswith("| `"):
            yield section, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.mark.exhaustive
def test_the_pages_are_up_to_date() -> None:
    result = made("--check")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "docs/reference, share: up to date\n"


@pytest.mark.exhaustive
def test_a_page_that_is_out_of_date_is_named_until_it_is_written_again(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "docs" / "reference", tmp_path / "docs" / "reference")
    shutil.copytree(REPOSITORY / "share", tmp_path / "share")
    shutil.copy(REPOSITORY / "docs" / "plugins.md", tmp_path / "docs")
    page = tmp_path / "docs" / "reference" / "cli.md"
    page.write_text(page.read_text().replace("--git", "--got"))
    (tmp_path / "docs" / "reference" / "configuration.md").unlink()
    (tmp_path / "share" / "man" / "man1" / "prefrontal-gone.1").write_text("")
    result = made("--check", tmp_path)
    assert result.returncode == 1
    assert [line.partition(" is out of date")[0] for line in result.stderr.splitlines()] == [
        str(tmp_path / "docs/reference/cli.md"),
        str(tmp_path / "docs/reference/configuration.md"),
        str(tmp_path / "share/man/man1/prefrontal-gone.1"),
    ]
    assert made(tmp_path).returncode == 0
    assert made("--check", tmp_path).returncode == 0


def test_every_key_has_a_type_a_default_and_a_meaning() -> None:
    found = list(rows())
    assert len(found) > 200
    for section, (key, kind, default, meaning) in found:
        assert kind not in ("", "anything"), (section, key)
        assert default or kind == "mapping", (section, key)
        assert meaning, (section, key)


@pytest.mark.parametrize(("section", "model"), [("cortex", CortexSettings), ("", Settings)])
def test_no_key_of_a_model_is_left_out(section: str, model: Any) -> None:
    told = {(place, cells[0].strip("`").partition(".")[0]) for place, cells in rows()}
    places = {place.partition(".")[0].removesuffix("[]") for place, _ in told}
    for name in model.model_fields:
        inside = (section, name) in told if section else name in {key for _, key in told} | places
        assert inside, name


def test_the_page_of_the_cortex_shows_its_defaults() -> None:
    table = read("docs/cortex.md").partition("\n## Settings\n")[2].partition("\n## ")[0]
    lines = [line.split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    shown: dict[str, str] = {}
    for _, told, default, *_ in lines:
        names, values = told.strip().split(", "), re.findall(r"\[.*?\]|\w[^,]*|{}", default.strip())
        if values:
            values *= len(names) if len(values) == 1 else 1
            shown |= dict(zip(names, values, strict=True))
    assert len(shown) > 20
    for name, text in shown.items():
        value = getattr(CortexSettings(), name)
        known = {"none", "all", "all in one"} if value is None else {_shown(value)}
        assert text in known, (name, text, value)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def test_defaults_that_are_shown_for_the_agent_are_taken(tmp_path: Path) -> None:
    config: dict[str, Any] = {}
    for section, (key, kind, default, _) in rows():
        agent = section in ("at the root", "llm", "plugins", "subagent", "observability")
        if not agent or default in ("", "none", "needed") or "folder" in kind or "none;" in kind:
            continue
        path = key.strip("`") if section == "at the root" else f"{section}.{key.strip('`')}"
        if path not in ("workspace", "ledger.path", "soul.path"):
            _set(config, path.split("."), _plain(default.strip("`")))
    assert config["llm"]["max_tokens"] == 2048
    assert build_runtime(config, workspace=tmp_path) is not None


def _plain(text: str) -> object:
    """What YAML makes of a default."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _set(config: dict[str, Any], path: list[str], value: object) -> None:
    for name in path[:-1]:
        config = config.setdefault(name, {})
    config[path[-1]] = value


def test_every_command_and_option_is_on_the_page() -> None:
    page = read("docs/reference/cli.md")
    for path, command in _commands(main, click.Context(main, info_name="prefrontal")):
        assert re.search(rf"^#+ {re.escape(path)}$", page, re.MULTILINE), path
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert all(f"`{name}" in page for name in parameter.opts), (path, parameter.opts)


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        inner = click.Context(command, context, info_name=name)
        yield inner.command_path, command
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
