"""`prefrontal route` inside the test's own process, in a copy of the shipped example."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from prefrontal import cli
from prefrontal.assembly.router import build_runner
from prefrontal.cli.exit_codes import OWN, USUAL
from prefrontal.cli.route import person
from prefrontal.routing.layout import Layout
from prefrontal.settings.routing import Routing

from ..routing.known_types import lend_types

EXAMPLES = Path(__file__).parents[2] / "examples" / "routing"
SUMMARIZE = "summarize this matrix for me"
COMPOSE = "Summarize a matrix then plot it"
UNKNOWN = "download the weather forecast for Berlin"

confined = pytest.mark.skipif(
    not build_runner(Routing()).enforced, reason="no sandbox here confines, so nothing is tried"
)


def example(folder: Path, *, model: bool = False) -> Path:
    """A project with the example's tools; model: with the recorded one of the example."""
    for name in ("workflows", "recorded"):
        left_out = shutil.ignore_patterns("_tmp", "__pycache__")
        shutil.copytree(EXAMPLES / name, folder / name, ignore=left_out)
    if model:
        shutil.copy(EXAMPLES / "prefrontal.yml", folder)
    lend_types(Layout.of(folder / "workflows"))
    return folder


def route(project: Path, *words: str, data: str | BytesIO | None = None) -> Result:
    """What `prefrontal route WORDS` did in the project; data: typed at a terminal."""
    config = project / "prefrontal.yml"
    told = ["--config", str(config)] if config.is_file() else []
    told += ["--workflows", str(project / "workflows")]
    with patch.object(person, "is_terminal", lambda: data is not None):
        result = CliRunner().invoke(cli.main, ["route", *words, *told], input=data)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in USUAL | codes_of(words), words
    return result


def codes_of(words: Sequence[str]) -> dict[int, str]:
    """The exit codes that the help of `prefrontal route WORDS` tells besides the usual ones."""
    depth = 2 if words[:1] == ("tools",) else 1
    return OWN.get(" ".join(("route", *words[:depth])), {} if depth == 2 else OWN["route"])


def settings(project: Path, text: str) -> None:
    """Write prefrontal.yml; text: what stands below `routing:`."""
    (project / "prefrontal.yml").write_text(f"routing: {{{text}}}\n", encoding="utf-8")


def log(project: Path) -> list[dict[str, Any]]:
    """The events of the latest run."""
    path = max(project.glob("logs/runs/*/steps.log"), key=lambda one: one.stat().st_mtime_ns)
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def phases(project: Path) -> list[str]:
    return [event["phase"] for event in log(project)]


def kept(project: Path) -> set[str]:
    """Files of the tools and their records."""
    root = project / "workflows"
    paths = (path for path in root.rglob("*") if path.is_file() and "_tmp" not in path.parts)
    return {path.relative_to(root).as_posix() for path in paths}
