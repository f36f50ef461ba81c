"""`prefrontal replay` inside the test's own process."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from prefrontal import cli

from .refusals import last_line


def run(*words: str | Path, data: str | None = None) -> Result:
    return CliRunner().invoke(cli.main, ["replay", *map(str, words)], input=data)


def said(result: Result) -> str:
    return last_line(result).strip().removeprefix("Error: ")
